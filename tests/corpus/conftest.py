"""Snapshots of hosts that cases of the corpus are compared with."""

import pytest

from support.corpus import snapshots


@pytest.fixture(scope="session")
def snapshot_file(tmp_path_factory):
    """snapshot_file(name) -> path of that snapshot."""
    folder = tmp_path_factory.mktemp("snapshots")
    return lambda name: snapshots.write(name, folder)
