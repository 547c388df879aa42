"""Reads scenario.json strictly: an unknown key or a wrong type is an error that names the file and the key."""

import json
from dataclasses import dataclass, field
from pathlib import Path

STEP_KEYS = {"argv": list, "exit": int, "env": dict, "stdout_contains": list, "stderr_contains": list,
             "stdout_lacks": list, "stderr_lacks": list, "json_schema": str, "unchanged": bool, "golden": list}
STORY_KEYS = {"story": str, "needs": list, "bundle": dict, "volatile": list, "as_user": bool, "steps": list}
NEEDS = ("bundle", "host")
GOLDENS = ("stdout", "stderr")


@dataclass
class Step:
    """One command and what must come of it."""
    argv: list
    exit: int
    env: dict = field(default_factory=dict)
    stdout_contains: list = field(default_factory=list)
    stderr_contains: list = field(default_factory=list)
    stdout_lacks: list = field(default_factory=list)
    stderr_lacks: list = field(default_factory=list)
    json_schema: str = None
    unchanged: bool = False
    golden: list = field(default_factory=list)


@dataclass
class Story:
    """One folder of tests/scenarios."""
    folder: Path
    story: str
    steps: list
    needs: list = field(default_factory=list)
    bundle: dict = field(default_factory=dict)
    volatile: list = field(default_factory=list)
    as_user: bool = False

    @property
    def name(self):
        return self.folder.name

    @property
    def given(self):
        """The script that makes the tree the story starts with, or None."""
        path = self.folder / "given"
        return path if path.exists() else None

    def golden_path(self, number, stream, is_json):
        """golden.stdout.txt for a story of one step, golden.2.stdout.json for the second of several."""
        step = f".{number}" if len(self.steps) > 1 else ""
        return self.folder / f"golden{step}.{stream}.{'json' if is_json else 'txt'}"


def read_story(folder):
    """Throws ValueError with file and key."""
    file = folder / "scenario.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    own_step = {key: document.pop(key) for key in list(document) if key in STEP_KEYS}
    _check(file, document, STORY_KEYS)
    if own_step and "steps" in document:
        raise ValueError(f"{file}: 'steps' and '{next(iter(own_step))}' exclude each other")
    raw_steps = document.pop("steps", None) or [own_step]
    for step in raw_steps:
        _check(file, step, STEP_KEYS)
        missing = [key for key in ("argv", "exit") if key not in step]
        if missing:
            raise ValueError(f"{file}: a step needs '{missing[0]}'")
    if "story" not in document:
        raise ValueError(f"{file}: 'story' is missing: one sentence that says what is shown")
    story = Story(folder=folder, steps=[Step(**step) for step in raw_steps], **document)
    _check_words(file, "needs", story.needs, NEEDS)
    for step in story.steps:
        _check_words(file, "golden", step.golden, GOLDENS)
    if story.bundle and "bundle" not in story.needs:
        story.needs.append("bundle")
    return story


def _check(file, values, keys):
    for key, value in values.items():
        if key not in keys:
            raise ValueError(f"{file}: unknown key '{key}'; expected one of {', '.join(sorted(keys))}")
        if not isinstance(value, keys[key]):
            raise ValueError(f"{file}: '{key}' must be a {keys[key].__name__}")


def _check_words(file, key, values, known):
    for value in values:
        if value not in known:
            raise ValueError(f"{file}: '{key}' knows {', '.join(known)}; got '{value}'")
