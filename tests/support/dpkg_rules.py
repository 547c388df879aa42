#!/usr/bin/env python3
"""What dpkg and topsctl say of the debs of support/wrong_debs. Run as a program, with the path of a topsctl, it writes the
table of docs/dpkg-rules.md."""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.wrong_debs import CASES, STRICTER  # noqa: E402

REPOSITORY = Path(__file__).resolve().parent.parent.parent
DOCUMENT = REPOSITORY / "docs" / "dpkg-rules.md"
BEGIN, END = "<!-- rules of dpkg: begin -->", "<!-- rules of dpkg: end -->"
# What every Debian system has, by base-files.
FOLDERS = ("bin", "boot", "dev", "etc/default", "home", "lib", "media", "mnt", "opt", "proc", "root", "run", "sbin", "srv",
           "sys", "tmp", "usr/bin", "usr/games", "usr/include", "usr/lib/x86_64-linux-gnu", "usr/sbin", "usr/share/doc",
           "usr/share/man", "usr/src", "usr/local/bin", "usr/local/lib", "usr/local/sbin", "usr/local/share", "var/backups",
           "var/cache", "var/lib", "var/local", "var/log", "var/mail", "var/opt", "var/spool", "var/tmp")


@dataclass(frozen=True)
class Judged:
    case: object
    dpkg: str  # why dpkg refuses it; None: it takes it
    errors: tuple  # ids of topsctl's findings of severity error and above

    @property
    def name(self):
        return f"{self.case.rule}: {self.case.name}"


def refusal_of_dpkg(deb):
    """Why dpkg refuses to install the deb into an empty system; None: it takes it."""
    # dpkg syncs what it writes, which is free in memory.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as root:
        return _refusal(deb, Path(root))


def _refusal(deb, root):
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    admin = root / "var/lib/dpkg"
    for folder in ("info", "updates", "triggers", "parts"):
        (admin / folder).mkdir(parents=True)
    (admin / "status").touch()
    done = subprocess.run(
        ["dpkg", f"--root={root}", "--log=/dev/null", "--force-not-root,unsafe-io,script-chrootless", "--no-debsig",
         "--install", deb], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace", check=False,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(root)})
    if done.returncode == 0 and "\nStatus: install ok installed\n" in (admin / "status").read_text(errors="replace"):
        return None
    return " / ".join(line for line in done.stderr.splitlines() if line.strip()) or f"exit {done.returncode}"


def judged(place, inspected):
    """All cases as Judged; `inspected(folder)` is the JSON document of `topsctl inspect --deep` on it."""
    folder = place / "debs"
    folder.mkdir()
    files = []
    for number, case in enumerate(CASES):
        files.append(folder / f"{number:04}.deb")
        files[-1].write_bytes(case.deb)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        refusals = list(pool.map(refusal_of_dpkg, files))
    errors = {file.name: set() for file in files}
    for finding in inspected(folder)["findings"]:
        if finding["severity"] in ("error", "critical"):
            errors[finding["subject"]].add(finding["id"])
    return [Judged(case, refusal, tuple(sorted(errors[file.name])))
            for case, refusal, file in zip(CASES, refusals, files)]


def missed(all_judged):
    """What dpkg refuses and inspect does not."""
    return [f"{one.name}: {one.dpkg}" for one in all_judged if one.dpkg and not one.errors]


def stricter(all_judged):
    """(rule, name) -> ids, of what dpkg takes and inspect does not."""
    return {(one.case.rule, one.case.name): one.errors for one in all_judged if not one.dpkg and one.errors}


def table(all_judged):
    """The lines between the two markers."""
    rows = ["| rule | debs | dpkg refuses | of these `inspect` does | it refuses besides |", "|---|---|---|---|---|"]
    total = [0, 0, 0, 0]
    for rule in dict.fromkeys(one.case.rule for one in all_judged):
        of_rule = [one for one in all_judged if one.case.rule == rule]
        counts = [len(of_rule), sum(one.dpkg is not None for one in of_rule),
                  sum(one.dpkg is not None and bool(one.errors) for one in of_rule),
                  sum(one.dpkg is None and bool(one.errors) for one in of_rule)]
        total = [sum(pair) for pair in zip(total, counts)]
        rows.append(f"| {rule} | " + " | ".join(map(str, counts)) + " |")
    rows.append("| all | " + " | ".join(map(str, total)) + " |")
    rows += ["", "What `inspect` refuses though dpkg takes it, and why:", ""]
    rows += [f"- {reason}: {', '.join(name for _, name in cases)}" for reason, cases in STRICTER.items()]
    return "\n".join(rows)


def with_table(text, all_judged):
    """The document with the table as it should be."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(all_judged)}\n{END}{after}"


def main(binary):
    def inspected(folder):
        done = subprocess.run([binary, "inspect", "--deep", "--json", folder], capture_output=True, text=True, check=False)
        return json.loads(done.stdout)

    with tempfile.TemporaryDirectory() as place:
        found = judged(Path(place), inspected)
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8"), found), encoding="utf-8")
    print("\n".join(missed(found)), stricter(found), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])
