"""The fixtures of the peer tests: the seed, topsctl's probe, and the peers."""

import os
import random

import pytest

from peers.judges import Judge, dpkg_deps_judge, dpkg_library_judge


@pytest.fixture(scope="session")
def seed():
    """TOPSCTL_TEST_SEED, or always the same."""
    return int(os.environ.get("TOPSCTL_TEST_SEED") or 20240229)


@pytest.fixture
def chance(seed, request):
    """Random choices that are the same in each run and differ between tests; a failure names the seed."""
    print(f"TOPSCTL_TEST_SEED={seed}")
    return random.Random(f"{seed} {request.node.name}")


@pytest.fixture(scope="session")
def probe(repository):
    path = repository / "build" / "dev" / "tests" / "topsctl_version_probe"
    if not path.exists():
        pytest.fail(f"'{path}' is not built: run `cmake --preset dev && cmake --build --preset dev`, or tests/run, "
                    "which builds first", pytrace=False)
    return Judge(path)


@pytest.fixture(scope="session")
def dpkg_library(tmp_path_factory):
    return dpkg_library_judge(tmp_path_factory.mktemp("judge"))


@pytest.fixture(scope="session")
def dpkg_deps():
    return dpkg_deps_judge()
