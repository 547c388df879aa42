"""The bills of materials that the unit tests keep are what CycloneDX 1.5 demands; planted faults are seen."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest

from support.boms import cyclonedx_faults

DATA = Path(__file__).resolve().parent.parent / "data"


def read(name):
    return json.loads((DATA / name).read_text(encoding="utf-8"))


DOCUMENT = "sbom/bundle.cdx.json"
SCHEMA = "schemas/cyclonedx-1.5.schema.json"


def faults_of(document):
    validator = jsonschema.Draft202012Validator(read(SCHEMA))
    found = [error.message for error in validator.iter_errors(document)]
    return found or cyclonedx_faults(document)


def test_the_kept_document_is_valid():
    jsonschema.Draft202012Validator.check_schema(read(SCHEMA))
    assert faults_of(read(DOCUMENT)) == []


def test_the_kept_document_holds_every_part():
    text = json.dumps(read(DOCUMENT))
    for part in ('"purl"', '"supplier"', '"hashes"', '"licenses"', '"id"', '"contact"', '"description"', '%2B'):
        assert part in text, part


PLANTED = [  # path to the value, the value put there or None to take it away
    (["serialNumber"], "urn:uuid:1"),
    (["specVersion"], "1.4"),
    (["metadata", "timestamp"], "yesterday"),
    (["components", 0, "type"], "archive"),
    (["components", 0, "name"], None),
    (["components", 0, "hashes", 0, "content"], "ab"),
    (["components", 0, "bom-ref"], "bundle"),
    (["dependencies", 0, "ref"], "package-nowhere"),
    (["dependencies", 0, "dependsOn", 0], "package-nowhere"),
]


@pytest.mark.parametrize("path, value", PLANTED)
def test_a_planted_fault_is_seen(path, value):
    document = copy.deepcopy(read(DOCUMENT))
    place = document
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    assert faults_of(document)
