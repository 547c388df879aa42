"""Each command that topsctl tells its reader to type, typed as it is shown, on a host in the very state it was told in."""

import re
import subprocess

import pytest

from hosts.hint_defects import judge
from hosts.hint_states import FILES, STATES, TREES
from hosts.hints import Place, Reader, write
from hosts.users import USERS, add_users

LEAST = 120
NO_KEY = "ssh-ed25519 AAAA nobody\n"


@pytest.fixture(scope="session")
def names(topsctl_release):
    """The commands of topsctl."""
    shown = subprocess.run([topsctl_release, "-h"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  ([a-z]+)  ", shown, re.MULTILINE))


@pytest.fixture(scope="session")
def place(fleet_root, host_place, topsctl_release, bundle):
    def prepare(host):
        host.install_binary(topsctl_release)
        add_users(host, USERS, NO_KEY)
        for path, arguments in TREES.items():
            host.copy_in(bundle(**arguments), path)
        for path, text in FILES.items():
            write(host, path, text)

    made = Place(fleet_root, host_place, {state.name: state for state in STATES}, prepare)
    yield made
    made.remove()


@pytest.mark.parametrize("state", [pytest.param(state, id=state.name, marks=state.marks) for state in STATES])
def test_what_a_host_tells_to_type_works_when_it_is_typed(place, names, state):
    results = Reader(place, state, names).results()
    assert len(results) >= state.least, results
    failed = {(ask, line): reason for ask, line, reason in results if reason}
    judge(state.name, failed)


def test_enough_is_collected():
    assert sum(state.least for state in STATES if not state.marks) >= LEAST
