"""Tests of the schema check: references between files are followed, anything outside is refused."""

import json

import pytest

from support.schemas import Schemas

META = "https://json-schema.org/draft/2020-12/schema"


@pytest.fixture
def schemas(tmp_path):
    def write(name, document):
        (tmp_path / f"{name}.schema.json").write_text(json.dumps({"$schema": META, **document}))
    write("common", {"$id": "https://example.invalid/common.schema.json",
                     "$defs": {"size": {"type": "integer", "minimum": 0}}})
    write("named", {"$id": "https://example.invalid/named.schema.json", "type": "object", "required": ["size"],
                    "properties": {"size": {"$ref": "common.schema.json#/$defs/size"}}})
    write("unnamed", {"properties": {"size": {"$ref": "common.schema.json#/$defs/size"}}})
    write("outside", {"$ref": "other.schema.json"})
    return Schemas(tmp_path)


@pytest.mark.parametrize("name", ["named", "unnamed"])
def test_references_between_files_are_followed(schemas, name):
    assert schemas.problems({"size": 1}, name) == []
    assert schemas.problems({"size": -1}, name) == ["/size: -1 is less than the minimum of 0"]


def test_a_missing_field_is_a_problem(schemas):
    assert schemas.problems({}, "named") == ["/: 'size' is a required property"]


def test_a_reference_to_anything_else_is_refused(schemas):
    with pytest.raises(Exception, match="no file of docs/"):
        schemas.problems({}, "outside")


def test_an_unknown_schema_is_named(schemas):
    with pytest.raises(AssertionError, match="docs/nothing.schema.json does not exist"):
        schemas.validate({}, "nothing")
