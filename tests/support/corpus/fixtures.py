"""Builds the corpus once in a session, case by case as tests ask for them."""

import json

import pytest

from .case import write
from .cases import CASES
from .native import Native
from .workshop import Workshop


@pytest.fixture(scope="session")
def built_case(tmp_path_factory):
    """built_case(name) -> (path to give to inspect, expectation as it stands in the file beside it)."""
    folder, scratch = tmp_path_factory.mktemp("corpus"), tmp_path_factory.mktemp("scratch")
    native = Native(scratch / "native")
    made = {}

    def build(name):
        if name not in made:
            path = write(CASES[name], folder, lambda place: Workshop(place, scratch, native))
            made[name] = (path, json.loads((folder / f"{name}.expect.json").read_text()))
        return made[name]

    return build
