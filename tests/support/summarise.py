#!/usr/bin/python3
"""Adds up JUnit results of gtest and pytest: failures, each skipped test with its reason, and one closing line."""

import argparse
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Summary:
    """What came of all tests; failed and skipped hold (name, text)."""
    passed: int = 0
    failed: list = field(default_factory=list)
    skipped: list = field(default_factory=list)

    @property
    def good(self):
        return self.passed > 0 and not self.failed

    def closing_line(self):
        return f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped"


def summary_of(paths, failures=()):
    """Reads result files; one that is missing or torn is a failure, for its tests crashed before they wrote it."""
    total = Summary()
    for path in map(Path, paths):
        try:
            _add(total, ElementTree.parse(path).getroot())
        except (OSError, ElementTree.ParseError) as error:
            total.failed.append((path.stem, f"left no readable results: {error}"))
    total.failed += [tuple(text.partition("=")[::2]) for text in failures]
    return total


def _add(total, root):
    for case in root.iter("testcase"):
        if case.get("status") == "notrun" or case.get("result") == "suppressed":
            continue  # gtest lists what a filter or DISABLED_ left out
        name = _name(case)
        broken = [child for child in case if child.tag in ("failure", "error")]
        skipped = case.find("skipped")
        if broken:
            total.failed.append((name, "\n".join(_text(child) for child in broken)))
        elif skipped is not None or case.get("result") == "skipped":
            total.skipped.append((name, _reason(skipped)))
        else:
            total.passed += 1


def _name(case):
    return ".".join(part for part in (case.get("classname"), case.get("name")) if part)


def _text(element):
    return (element.text or element.get("message") or "").strip()


def _reason(element):
    if element is None:
        return "no reason given"
    # gtest begins its message with the place in the source.
    text = (element.get("message") or element.text or "").strip()
    return text.splitlines()[-1].strip() if text else "no reason given"


def write(total, stream, lines_each=25):
    for name, text in total.failed:
        print(f"failed: {name}", file=stream)
        lines = text.splitlines()
        if len(lines) > lines_each:
            lines = [f"... {len(lines) - lines_each} lines left out"] + lines[-lines_each:]
        for line in lines:
            print(f"    {line}", file=stream)
    for name, reason in total.skipped:
        print(f"skipped: {name}: {reason}", file=stream)
    print(total.closing_line(), file=stream)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="*", help="JUnit XML files")
    parser.add_argument("--failed", action="append", default=[], metavar="NAME=REASON",
                        help="something that failed outside of any test, as a build")
    arguments = parser.parse_args()
    total = summary_of(arguments.results, arguments.failed)
    write(total, sys.stdout)
    sys.exit(0 if total.good else 1)


if __name__ == "__main__":
    main()
