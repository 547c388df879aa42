"""Builds the corpus once in a session, case by case as tests ask for them."""

import json

import pytest

from support.corpus import snapshots
from support.corpus.case import write
from support.corpus.cases import CASES
from support.corpus.native import Native
from support.corpus.workshop import Workshop


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


@pytest.fixture(scope="session")
def snapshot_file(tmp_path_factory):
    """snapshot_file(name) -> path of that snapshot."""
    folder = tmp_path_factory.mktemp("snapshots")
    return lambda name: snapshots.write(name, folder)
