"""The documents that the unit tests keep, locks and differences of bundles, are what their schemas in docs say."""

import copy
import json
from pathlib import Path

import pytest

from support.schemas import Schemas

TESTS = Path(__file__).resolve().parent.parent
SCHEMAS = Schemas(TESTS.parent / "docs")


def read(name):
    return json.loads((TESTS / "data" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("file, schema", [("lock/bundle.lock", "lock"), ("diff/bundles.json", "diff")])
def test_the_kept_document_is_valid(file, schema):
    assert SCHEMAS.problems(read(file), schema) == []


PLANTED = [
    ("lock/bundle.lock", "lock", ["packages", 0, "path"], "/a.deb"),
    ("lock/bundle.lock", "lock", ["packages", 0, "path"], "a/../../b.deb"),
    ("lock/bundle.lock", "lock", ["packages", 0, "path"], ".."),
    ("lock/bundle.lock", "lock", ["packages", 0, "sha256"], "ab"),
    ("lock/bundle.lock", "lock", ["kind"], "topsctl-snapshot"),
    ("diff/bundles.json", "diff", ["changed", 0, "change"], "upgraded"),
    ("diff/bundles.json", "diff", ["changed", 0, "files", "modes", "first", 0, "after"], "75"),
    ("diff/bundles.json", "diff", ["changed", 0, "scripts", 0, "first_lines", 0, "text"], "x"),
    ("diff/bundles.json", "diff", ["containers", "first", 0, "place"], 3),
    ("diff/bundles.json", "diff", ["settings", "first", 0, "after"], ["1"]),
]


@pytest.mark.parametrize("file, schema, path, value", PLANTED)
def test_a_planted_fault_is_seen(file, schema, path, value):
    document = copy.deepcopy(read(file))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert SCHEMAS.problems(document, schema)
