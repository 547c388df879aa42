"""The pytest fixtures for fleets: fleet_root, make_fleet, make_workstation, packages; without root they skip and say so."""

import pytest

from hosts.fleet import Fleet, options_of
from hosts.root_cache import cached_root
from hosts.settings import SettingsError, fleet_root_settings
from hosts.workstation import Workstation

PYTHON = "3.9"  # of the hosts of a fleet


@pytest.fixture(scope="session")
def fleet_root(host_namespace):
    """The cached root of the hosts of a fleet, with sshd, sudo and other shells; made on first use, in a few minutes."""
    try:
        return cached_root(fleet_root_settings())
    except SettingsError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def fleet_factory(fleet_root, host_place):
    """As make_fleet, for a fixture of wider scope, which must call remove() itself."""
    hash_cache = {}

    def make(hosts=1, behind_jump=False, each=None, **common):
        return Fleet(fleet_root, host_place, hash_cache, options_of(hosts, common, each or {}), behind_jump)

    return make


@pytest.fixture
def make_fleet(fleet_factory):
    """make_fleet(hosts=1, behind_jump=False, each={}, **options) -> Fleet, as many as a test wants.

    Options are those of HostOptions, for every host; `each` has others by the number of the host: {1: {"port": 2222}}.
    With behind_jump the last host is reached through the first only.
    """
    made = []

    def make(*arguments, **options):
        made.append(fleet_factory(*arguments, **options))
        return made[-1]

    yield make
    for fleet in reversed(made):
        fleet.remove()


@pytest.fixture
def make_workstation(make_fleet, topsctl_release, schema):
    """make_workstation(hosts, ...) as make_fleet has it -> Workstation."""
    return lambda *arguments, **options: Workstation(make_fleet(*arguments, **options), topsctl_release, schema)


@pytest.fixture
def packages(bundle):
    """A bundle of just what a stack needs on the hosts of a fleet."""
    return bundle(python=PYTHON, only_needed=True)
