"""The pytest fixtures for fleets: fleet_root, make_fleet; without root they skip and say so."""

import pytest

from hosts.fleet import Fleet, options_of
from hosts.root_cache import cached_root
from hosts.settings import SettingsError, fleet_root_settings


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
