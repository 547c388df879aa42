#!/usr/bin/env python3
"""The rules by which wheels are judged, all of them. Run as a program it writes the table of docs/wheels.md."""

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY / "tests"))

from support.faulty_wheels import FAULTY, REFUSED, TAKEN  # noqa: E402
from support.hostile import between, severities  # noqa: E402
from support.odd_wheels import SOUND, STRICTER  # noqa: E402

RULES = {**FAULTY, **STRICTER, **SOUND}
DOCUMENT = REPOSITORY / "docs" / "wheels.md"
BEGIN, END = "<!-- rules: begin -->", "<!-- rules: end -->"


def install_of(rule):
    if rule.install == TAKEN:
        return "takes"
    return "refuses" if rule.pip == REFUSED else f"refuses: {rule.why}"


def table():
    """The lines between the two markers."""
    severity = severities()
    rows = ["| what is wrong or odd | wheels | pip | `inspect --deep` | `install` |", "|---|---|---|---|---|"]
    for rule in RULES.values():
        said = ", ".join(f"`{one}`" + ("" if severity[one] in ("error", "critical") else f" ({severity[one]})")
                         for one in rule.ids)
        rows.append(f"| {rule.what} | {len(rule.cases)} | {rule.pip} | {said or 'nothing'} | {install_of(rule)} |")
    return "\n".join(rows)


def with_table(text):
    """The document with the table as it should be."""
    return between(text, BEGIN, END, table())


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    sys.exit(0)
