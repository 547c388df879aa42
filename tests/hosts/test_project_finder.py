"""`doctor --project` on sources of the shapes that public projects have, whose lines somebody labelled who did not know the rules."""

import json
import subprocess
from collections import defaultdict
from pathlib import Path

FINDER = Path(__file__).resolve().parents[1] / "data" / "finder"
MARK = "#= "  # before a label, at the end of its line; JSON has FILE.labels


def labels():
    """{(path, line): shim, change or cannot}"""
    wanted = {}
    for path in sorted(FINDER.rglob("*.*")):
        name = path.relative_to(FINDER).as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        if path.suffix == ".labels":
            wanted.update({(name[:-len(".labels")], int(line.split()[0])): line.split()[1] for line in lines if line})
        else:
            wanted.update({(name, number): line.rpartition(MARK)[2].strip() for number, line in enumerate(lines, 1) if MARK in line})
    return wanted


def test_what_is_meant_for_cuda_is_found_and_nothing_else(topsctl_release, schema):
    done = subprocess.run([topsctl_release, "doctor", "--project", FINDER, "--json"], capture_output=True, text=True, timeout=60, check=False)
    report = json.loads(done.stdout)
    schema(report, "doctor")
    wanted, found = labels(), defaultdict(set)
    for place in report["places"]:
        found[place["path"], place["line"]].add(place["handling"])
    assert len(wanted) >= 250
    missed = [each for each in wanted if each not in found]
    extra = [each for each in found if each not in wanted]
    wrong = [each for each in wanted if each in found and wanted[each] not in found[each]]
    print({"labelled": len(wanted), "missed": missed, "extra": extra, "wrong": wrong})
    assert len(missed) <= 0.02 * len(wanted) and len(extra) <= 0.03 * len(found) and wrong == []
    assert done.returncode == 5 and report["verdict"] == "problems"
