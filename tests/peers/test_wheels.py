"""Wheels that are wrong in one way each: what pip refuses, `inspect` says, and what pip takes is taken, but for the rules
of our own that the table of docs/wheels.md names. Install refuses what `inspect` calls an error: one function judges."""

import json
import os
import subprocess
import sys

import pytest

from support.faulty_wheels import REFUSED, TAKEN
from support.wheel_forge import Draft
from support.wheel_table import RULES

BACKENDS = ("0", "1")  # how pip reads metadata: with pkg_resources, as for Python up to 3.10, or with importlib
LOUD, ERRORS = ("warning", "error", "critical"), ("error", "critical")


def write_all(folder, outside):
    """path relative to the folder -> (rule, case)"""
    written = {}
    for rule, about in RULES.items():
        for case, change in about.cases.items():
            draft = Draft()
            change(draft, outside)
            path = folder / rule / case / draft.file_name
            path.parent.mkdir(parents=True)
            path.write_bytes(draft.bytes())
            written[str(path.relative_to(folder))] = (rule, case)
    return written


def start_judge(repository, backend, scratch, folder, wheels):
    scratch.mkdir()
    listed = scratch / "wheels"
    listed.write_text("\n".join(str(folder / path) for path in wheels))
    with open(listed, encoding="utf-8") as stream:
        return subprocess.Popen([sys.executable, "-B", repository / "tests/support/wheel_judge.py", scratch], text=True,
                                stdin=stream, stdout=subprocess.PIPE,
                                env={**os.environ, "_PIP_USE_IMPORTLIB_METADATA": backend})


@pytest.fixture(scope="module")
def verdicts(repository, topsctl_dev, run_topsctl_anywhere, tmp_path_factory):
    """rule -> case -> (why pip refuses it or "", findings of severity warning and above)"""
    base = tmp_path_factory.mktemp("wheels")
    folder, outside = base / "bundle", base / "outside"
    outside.mkdir()
    wheels = write_all(folder, outside)
    judges = [start_judge(repository, backend, base / f"pip-{backend}", folder, wheels) for backend in BACKENDS]
    seen = run_topsctl_anywhere(["inspect", "--deep", "--json", folder], base)
    pips = [json.loads(judge.communicate()[0]) for judge in judges]
    assert [judge.returncode for judge in judges] == [0, 0]
    found = {path: {} for path in wheels}
    for one in seen.json["findings"]:
        if one["severity"] in LOUD:
            found[one["subject"]][one["id"]] = one["severity"]
    result = {rule: {} for rule in RULES}
    for path, (rule, case) in wheels.items():
        reasons = [pip[str(folder / path)] for pip in pips]
        result[rule][case] = (next((reason for reason in reasons if reason), ""), found[path])
    return result


@pytest.fixture(scope="module")
def run_topsctl_anywhere(topsctl_dev):
    from support.topsctl import run_topsctl
    return lambda argv, home: run_topsctl(topsctl_dev, argv, home)


def test_there_are_enough_wheels_of_each_kind():
    refused = sum(len(rule.cases) for rule in RULES.values() if rule.pip == REFUSED)
    assert refused >= 200 and sum(len(rule.cases) for rule in RULES.values()) >= 350
    assert all(rule.why for rule in RULES.values() if rule.pip == TAKEN and rule.install == REFUSED)


@pytest.mark.parametrize("rule", RULES)
def test_pip_does_what_the_table_says(verdicts, rule):
    wanted = RULES[rule].pip == REFUSED
    assert {case: why for case, (why, _) in verdicts[rule].items() if bool(why) != wanted} == {}


@pytest.mark.parametrize("rule", RULES)
def test_inspect_says_what_pip_or_a_rule_of_ours_refuses_and_nothing_else(verdicts, rule):
    about = RULES[rule]
    wrong = {}
    for case, (_, found) in verdicts[rule].items():
        is_error = any(severity in ERRORS for severity in found.values())
        if is_error != (about.install == REFUSED) or not set(found) <= set(about.ids):
            wrong[case] = found
    assert wrong == {}
