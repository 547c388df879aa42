"""Runs every folder of tests/scenarios: the given tree, the command, and all that must and must not come of it."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from hosts.digest import tree_digest
from scenarios.story import read_story
from scenarios.volatile import golden_json, normalised_text

FOLDER = Path(__file__).resolve().parent
STORIES = [read_story(path.parent) for path in sorted(FOLDER.glob("*/scenario.json"))]
NOBODY = 65534


class Stage:
    """Where a story plays: the places its argv can name, who runs it, and what must stay as it is."""

    def __init__(self, places, host=None, binary=None, user=None):
        self.places = places  # placeholder name -> path
        self.host = host
        self.binary = binary
        self.user = user

    def fill(self, text):
        for name, path in self.places.items():
            text = text.replace("{" + name + "}", str(path))
        return text

    def placeholders(self):
        return {str(path): f"<{name}>" for name, path in self.places.items()}

    def digests(self):
        return [tree_digest(self.places["tree"]), *([self.host.digest()] if self.host else [])]


@pytest.fixture
def stage(request, tmp_path):
    story = request.param
    if story.as_user and os.geteuid() != 0:
        pytest.skip("needs root: it becomes another user")
    with tempfile.TemporaryDirectory(prefix="topsctl-story-") as folder:
        os.chmod(folder, 0o755)  # pytest's own folders are closed to other users
        home = Path(folder) if story.as_user else tmp_path
        places = {"tree": home / "tree"}
        places["tree"].mkdir()
        host = request.getfixturevalue("make_host")() if "host" in story.needs else None
        if host:
            places["root"] = host.root
        if "bundle" in story.needs:
            places["bundle"] = request.getfixturevalue("bundle")(**story.bundle)
        binary = None
        if story.as_user:
            binary = shutil.copy2(request.getfixturevalue("topsctl_dev"), home / "topsctl")
        if story.given:
            environment = {**os.environ, **{name.upper(): str(path) for name, path in places.items()}}
            subprocess.run([story.given], cwd=places["tree"], env=environment, check=True, timeout=300)
        yield Stage(places, host, binary, NOBODY if story.as_user else None)


def test_there_are_stories():
    assert STORIES


@pytest.mark.parametrize("stage, story", [pytest.param(story, story, id=story.name) for story in STORIES],
                         indirect=["stage"])
def test_story(stage, story, run_topsctl, schema):
    for number, step in enumerate(story.steps, 1):
        before = stage.digests() if step.unchanged else None
        outcome = run_topsctl([stage.fill(part) for part in step.argv], cwd=stage.places["tree"], binary=stage.binary,
                              env={key: stage.fill(value) for key, value in step.env.items()},
                              user=stage.user, timeout=600)
        assert outcome.code == step.exit, f"step {number}: expected exit {step.exit}\n{outcome}"
        check_words(stage, step, outcome)
        if step.json_schema:
            schema(outcome.json, step.json_schema)
        if step.unchanged:
            changes = [line for old, new in zip(before, stage.digests()) for line in old.diff(new)]
            assert not changes, "\n".join(["changed:", *changes[:20], str(outcome)])
        for stream in step.golden:
            check_golden(stage, story, number, stream, outcome)


def check_words(stage, step, outcome):
    for words, text, wanted in ((step.stdout_contains, outcome.out, True), (step.stderr_contains, outcome.err, True),
                                (step.stdout_lacks, outcome.out, False), (step.stderr_lacks, outcome.err, False)):
        for word in words:
            found = stage.fill(word) in text
            assert found == wanted, f"{'expected' if wanted else 'did not expect'} '{stage.fill(word)}' in\n{outcome}"


def check_golden(stage, story, number, stream, outcome):
    text = outcome.out if stream == "stdout" else outcome.err
    is_json = text.lstrip().startswith("{")
    if is_json:
        seen = golden_json(json.loads(text), stage.placeholders(), story.volatile)
    else:
        seen = normalised_text(text, stage.placeholders(), story.volatile)
    path = story.golden_path(number, stream, is_json)
    if os.environ.get("TOPSCTL_UPDATE_GOLDENS"):
        for old in (story.golden_path(number, stream, kind) for kind in (True, False)):
            old.unlink(missing_ok=True)
        path.write_text(seen, encoding="utf-8")
        return
    assert path.exists(), f"{path} is missing: write it with tests/update-goldens {story.name}, and read it"
    assert seen == path.read_text(encoding="utf-8"), \
        f"differs from {path}; if that is meant: tests/update-goldens {story.name}"
