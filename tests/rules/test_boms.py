"""The bills of materials that the unit tests keep are what CycloneDX 1.5 and SPDX 2.3 demand; planted faults are seen."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest

from support.boms import cyclonedx_faults, spdx_faults

DATA = Path(__file__).resolve().parent.parent / "data"


def read(name):
    return json.loads((DATA / name).read_text(encoding="utf-8"))


FORMS = {"cyclonedx": ("sbom/bundle.cdx.json", "schemas/cyclonedx-1.5.schema.json", cyclonedx_faults),
         "spdx": ("sbom/bundle.spdx.json", "schemas/spdx-2.3.schema.json", spdx_faults)}


def faults_of(form, document):
    _, schema, more = FORMS[form]
    validator = jsonschema.Draft202012Validator(read(schema))
    found = [error.message for error in validator.iter_errors(document)]
    return found or more(document)


@pytest.mark.parametrize("form", FORMS)
def test_the_kept_document_is_valid(form):
    jsonschema.Draft202012Validator.check_schema(read(FORMS[form][1]))
    assert faults_of(form, read(FORMS[form][0])) == []


def test_the_kept_documents_hold_every_part():
    text = json.dumps(read(FORMS["cyclonedx"][0])) + json.dumps(read(FORMS["spdx"][0]))
    for part in ('"purl"', '"supplier"', '"hashes"', '"licenses"', '"id"', '"contact"', '"description"', '"DEPENDS_ON"',
                 '"CONTAINS"', '"extractedText"', '"externalRefs"', '"checksums"', '"summary"', '%2B'):
        assert part in text, part


PLANTED = [  # form, path to the value, the value put there or None to take it away
    ("cyclonedx", ["serialNumber"], "urn:uuid:1"),
    ("cyclonedx", ["specVersion"], "1.4"),
    ("cyclonedx", ["metadata", "timestamp"], "yesterday"),
    ("cyclonedx", ["components", 0, "type"], "archive"),
    ("cyclonedx", ["components", 0, "name"], None),
    ("cyclonedx", ["components", 0, "hashes", 0, "content"], "ab"),
    ("cyclonedx", ["components", 0, "bom-ref"], "bundle"),
    ("cyclonedx", ["dependencies", 0, "ref"], "package-nowhere"),
    ("cyclonedx", ["dependencies", 0, "dependsOn", 0], "package-nowhere"),
    ("spdx", ["documentNamespace"], "urn:uuid:x#y"),
    ("spdx", ["creationInfo", "creators", 0], "topsctl"),
    ("spdx", ["packages", 1, "SPDXID"], "SPDXRef-a_b"),
    ("spdx", ["packages", 1, "SPDXID"], "SPDXRef-bundle"),
    ("spdx", ["packages", 1, "downloadLocation"], None),
    ("spdx", ["relationships", 1, "relatedSpdxElement"], "SPDXRef-nowhere"),
    ("spdx", ["relationships", 1, "relationshipType"], "HAS"),
    ("spdx", ["hasExtractedLicensingInfos", 0, "licenseId"], "LicenseRef-other"),
]


@pytest.mark.parametrize("form, path, value", PLANTED)
def test_a_planted_fault_is_seen(form, path, value):
    document = copy.deepcopy(read(FORMS[form][0]))
    place = document
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    assert faults_of(form, document)
