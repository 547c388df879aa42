"""Tests of the scenario machinery with a stub binary: strict reading, goldens, and that each expectation can fail."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scenarios.story import read_story
from scenarios.volatile import normalised_json, normalised_text

TESTS = Path(__file__).resolve().parent.parent

STUB = """#!/bin/sh
# A stand-in for topsctl that does what its first argument says.
case $1 in
say) echo "root $2 took 12 ms at 2026-01-02T03:04:05Z" ;;
json) echo '{"schema": 1, "topsctl_version": "0.1.0", "duration_ms": 5, "path": "'"$2"'", "sha256": null}' ;;
change) : > "$2/new" ;;
refuse) echo "error: no '$2'" >&2; exit 2 ;;
whoami) id -u ;;
esac
"""


@pytest.fixture
def project(tmp_path):
    """A copy of the machinery with the stub as its dev binary and no stories yet."""
    top = tmp_path / "project"
    for name in ("hosts", "support", "scenarios"):
        shutil.copytree(TESTS / name, top / "tests" / name,
                        ignore=lambda folder, names: [each for each in names if not each.endswith(".py") and each != "corpus"])
    for name in ("conftest.py", "pytest.ini"):
        shutil.copy(TESTS / name, top / "tests")
    binary = top / "build" / "dev" / "topsctl"
    binary.parent.mkdir(parents=True)
    binary.write_text(STUB)
    binary.chmod(0o755)
    (top / "docs").mkdir()
    (top / "docs" / "some.schema.json").write_text(json.dumps(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "required": ["schema"]}))
    return top


@pytest.fixture
def play(project):
    """Runs one story in the copy; the exit status and the output of pytest."""
    def run(story, given=None, update=False):
        folder = project / "tests" / "scenarios" / "a-story"
        folder.mkdir(exist_ok=True)
        (folder / "scenario.json").write_text(json.dumps({"story": "It is told.", **story}))
        if given:
            (folder / "given").write_text(given)
            (folder / "given").chmod(0o755)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(project),
                       **({"TOPSCTL_UPDATE_GOLDENS": "1"} if update else {})}
        done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "tests/scenarios/test_scenarios.py"],
                              cwd=project, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr
    return run


def test_a_story_that_holds_passes(play):
    code, output = play({"argv": ["refuse", "{tree}/x"], "exit": 2, "stderr_contains": ["no '{tree}/x'"],
                         "stdout_lacks": ["error"], "unchanged": True})
    assert code == 0, output


@pytest.mark.parametrize("story, complaint", [
    ({"argv": ["refuse", "x"], "exit": 0}, "expected exit 0"),
    ({"argv": ["refuse", "x"], "exit": 2, "stderr_contains": ["yes"]}, "expected 'yes'"),
    ({"argv": ["refuse", "x"], "exit": 2, "stderr_lacks": ["error"]}, "did not expect 'error'"),
    ({"argv": ["change", "{tree}"], "exit": 0, "unchanged": True}, "+ /new (file)"),
    ({"argv": ["say", "x"], "exit": 0, "json_schema": "some"}, "stdout is not JSON"),
    ({"argv": ["json", "x"], "exit": 0, "json_schema": "other"}, "docs/other.schema.json does not exist"),
    ({"argv": ["say", "x"], "exit": 0, "golden": ["stdout"]}, "golden.stdout.txt is missing"),
])
def test_a_story_that_does_not_hold_fails(play, story, complaint):
    code, output = play(story)
    assert code == 1 and complaint in output, output


def test_the_given_script_makes_the_tree(play):
    code, output = play({"steps": [{"argv": ["say", "{tree}"], "exit": 0}, {"argv": ["refuse", "x"], "exit": 2}]},
                        given="#!/bin/sh\ntest \"$PWD\" = \"$TREE\" || exit 1\n: > here\n")
    assert code == 0, output
    code, output = play({"argv": ["say", "x"], "exit": 0}, given="#!/bin/sh\nexit 1\n")
    assert code == 1 and "given" in output


def test_goldens_are_written_and_compared_with_placeholders(play, project):
    text = {"argv": ["say", "{tree}"], "exit": 0, "golden": ["stdout"]}
    assert play(text, update=True)[0] == 0
    folder = project / "tests" / "scenarios" / "a-story"
    assert (folder / "golden.stdout.txt").read_text() == "root <tree> took <duration> at <time>\n"
    assert play(text)[0] == 0
    (folder / "golden.stdout.txt").write_text("something else\n")
    assert play(text)[0] == 1
    document = {"argv": ["json", "{tree}/x"], "exit": 0, "golden": ["stdout"], "json_schema": "some"}
    assert play(document, update=True)[0] == 0
    assert json.loads((folder / "golden.stdout.json").read_text()) == {
        "schema": 1, "topsctl_version": "<version>", "duration_ms": "<duration>", "path": "<tree>/x", "sha256": None}
    assert not (folder / "golden.stdout.txt").exists()
    assert play(document)[0] == 0


def test_a_story_can_be_told_by_another_user(play):
    code, output = play({"argv": ["whoami"], "exit": 0, "as_user": True, "stdout_contains": ["65534"]})
    assert code == 0, output
    assert "1 skipped" in output or "needs root" not in output


@pytest.mark.parametrize("document, complaint", [
    ({"story": "x", "argv": [], "exit": 0, "exits": 1}, "unknown key 'exits'"),
    ({"story": "x", "argv": [], "exit": "0"}, "'exit' must be a int"),
    ({"story": "x", "argv": []}, "a step needs 'exit'"),
    ({"argv": [], "exit": 0}, "'story' is missing"),
    ({"story": "x", "argv": [], "exit": 0, "steps": []}, "exclude each other"),
    ({"story": "x", "argv": [], "exit": 0, "needs": ["gold"]}, "got 'gold'"),
])
def test_a_wrong_file_is_refused_by_name(tmp_path, document, complaint):
    (tmp_path / "scenario.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match=complaint) as error:
        read_story(tmp_path)
    assert "scenario.json" in str(error.value)


def test_only_what_differs_from_run_to_run_is_replaced():
    places = {"/tmp/x/tree": "<tree>", "/tmp/x": "<home>"}
    text = "topsctl 0.1.0 read /tmp/x/tree/a and /tmp/x/b: 2.5.136, 3 packages, 1.5 s, 12.0 MB"
    assert normalised_text(text, places) == \
        "topsctl <version> read <tree>/a and <home>/b: 2.5.136, 3 packages, <duration>, 12.0 MB"
    assert normalised_text(text, places, ["size"]).endswith("<duration>, <size>")
    assert normalised_text("pid 1234", {}, [r"pid \d+"]) == "<volatile>"
    document = {"size": 12, "name": "torch_gcu", "steps": [{"duration_ms": 3, "size": None, "sha256": "a" * 64}]}
    assert normalised_json(document, {}, ["size"]) == {
        "size": "<size>", "name": "torch_gcu", "steps": [{"duration_ms": "<duration>", "size": None,
                                                          "sha256": "<sha256>"}]}
