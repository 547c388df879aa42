"""The roots that faults strike, made once for all tests of this folder."""

import pytest

from faults.sweep import Sweep


@pytest.fixture(scope="session")
def sweep(test_root, host_place, topsctl_release, tmp_path_factory):
    """An older generation with local edits, and the newer one over it; each test strikes hosts of its own laid over them."""
    made = Sweep(test_root, host_place, topsctl_release, tmp_path_factory.mktemp("sweep"))
    yield made
    made.close()
