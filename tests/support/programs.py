"""Programs that a test cannot do without."""

import shutil

import pytest


def needed(*programs):
    """The path of the first one; the test fails, with the way out, where one of them is missing."""
    paths = [shutil.which(program) for program in programs]
    if None in paths:
        pytest.fail(f"{programs[paths.index(None)]} is missing: run `packaging/install-packages tests/packages`", pytrace=False)
    return paths[0]
