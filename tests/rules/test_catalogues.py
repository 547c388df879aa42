"""The built-in catalogues are what their schemas say, which are what an operator writes files by; planted faults are seen."""

import copy
import json
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "src" / "data"
FILES = sorted(path for kind in ("diagnoses", "rewrites", "launchers") for path in (DATA / kind).glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_built_in_files_are_of_the_form_that_is_documented(schema, path):
    schema(json.loads(path.read_text(encoding="utf-8")), path.parent.name)


def changed(record, **changes):
    record = copy.deepcopy(record)
    for key, value in changes.items():
        if value is None:
            del record[key]
        else:
            record[key] = value
    return record


@pytest.mark.parametrize("kind, file, changes", [
    ("diagnoses", "framework", {"title_zh": None}),
    ("diagnoses", "framework", {"id": "Two Words"}),
    ("diagnoses", "framework", {"severity": "bad"}),
    ("diagnoses", "framework", {"look_for": {}}),
    ("diagnoses", "framework", {"look_for": {"machine": [{"signal": "x", "below": "1", "above": "2"}]}}),
    ("diagnoses", "framework", {"example_match": None}),
    ("rewrites", "python", {"examples": []}),
    ("rewrites", "python", {"api": "t3x"}),
    ("rewrites", "python", {"patterns": ["x"]}),
])
def test_a_record_that_topsctl_refuses_is_refused_by_the_schema(schema, kind, file, changes):
    document = json.loads((DATA / kind / f"{file}.json").read_text(encoding="utf-8"))
    document = {key: document[key] for key in document if key != kind} | {kind: [changed(document[kind][0], **changes)]}
    with pytest.raises(AssertionError, match=f"not valid by docs/{kind}.schema.json"):
        schema(document, kind)
