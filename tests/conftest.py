"""The fixtures every test may use: the two binaries, sample bundles, schemas, and running topsctl."""

import collections
import sys
from pathlib import Path

import pytest

sys.dont_write_bytecode = True

from support.bundles import make_bundle  # noqa: E402
from support.schemas import Schemas  # noqa: E402
from support.topsctl import run_topsctl as run  # noqa: E402

pytest_plugins = ["support.leftovers", "support.corpus.fixtures", "hosts.fixtures", "hosts.fleet_fixtures", "hosts.crafted",
                  "hosts.this_machine", "hosts.release_packages"]

REPOSITORY = Path(__file__).resolve().parent.parent


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="also the tests marked `whole`, which a release must pass, and all that are `sampled`")


def _is_left_out(item, seen):
    """Whether only --all has it. `seen`: the cases of each sampled test so far."""
    if item.get_closest_marker("whole"):
        return True
    sampled = item.get_closest_marker("sampled")
    if not sampled:
        return False
    test = (item.path, item.function.__qualname__)
    seen[test] += 1
    return seen[test] % sampled.args[0] != 1


def pytest_collection_modifyitems(config, items):
    """Leaves out what takes --all, puts the longest first, and keeps together what shares a fixture of its file."""
    seen = collections.Counter()
    left_out = [] if config.getoption("--all") else [item for item in items if _is_left_out(item, seen)]
    config.hook.pytest_deselected(items=left_out)
    left = set(left_out)
    taken = [item for item in items if item not in left]
    items[:] = sorted(taken, key=lambda item: item.get_closest_marker("long") is None)
    for item in items:
        fixtures = item._fixtureinfo.name2fixturedefs.values()
        if any(each.scope == "module" for definitions in fixtures for each in definitions):
            item.add_marker(pytest.mark.xdist_group(str(item.path)))


def _built(preset):
    path = REPOSITORY / "build" / preset / "topsctl"
    if not path.exists():
        pytest.fail(f"'{path}' is not built: run `cmake --preset {preset} && cmake --build --preset {preset}`, "
                    "or tests/run, which builds first", pytrace=False)
    return path


@pytest.fixture(scope="session")
def repository():
    """The top folder of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def topsctl_dev():
    """The path of the binary with the address and undefined-behaviour sanitizers."""
    return _built("dev")


@pytest.fixture(scope="session")
def topsctl_release():
    """The path of the fully static binary."""
    return _built("release")


@pytest.fixture(scope="session")
def bundle(tmp_path_factory):
    """bundle(generation="2.5.136", faults=(), personality=None, python=None, scale=None, only_needed=False) -> Path.

    Made once for the same arguments; a test that changes a bundle works on a copy.
    """
    made = {}

    def factory(generation="2.5.136", faults=(), personality=None, python=None, scale=None, only_needed=False):
        key = (generation, tuple(sorted(faults)), personality, python, scale, only_needed)
        if key not in made:
            made[key] = make_bundle(tmp_path_factory.mktemp("bundle"), *key)
        return made[key]

    return factory


@pytest.fixture(scope="session")
def schema():
    """schema(document, "inspect") fails the test unless the parsed JSON is what docs/inspect.schema.json says."""
    return Schemas(REPOSITORY / "docs").validate


@pytest.fixture
def run_topsctl(request, tmp_path):
    """run_topsctl(argv, env=None, cwd=None, binary=None, input=None, timeout=120, user=None) -> Outcome.

    An Outcome has code, out, err and json. The dev binary unless told otherwise, with a home of its own and nothing of
    the caller's environment.
    """
    def call(argv, env=None, cwd=None, binary=None, **options):
        binary = binary or request.getfixturevalue("topsctl_dev")
        return run(binary, argv, home=tmp_path, env=env, cwd=cwd or tmp_path, **options)

    return call
