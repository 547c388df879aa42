"""Each command that topsctl tells its reader to type, typed as it is shown, on a host in the very state it was told in."""

import re
import subprocess

import pytest

from hosts import hint_states, hint_states_rare
from hosts.hint_states import ALTERED, FILES, TREES
from hosts.hints import Place, Reader, write
from hosts.users import USERS, add_users
from support.quoted import to_be_typed

STATES = [*hint_states.STATES, *hint_states_rare.STATES]
LEAST = 120  # of what all states tell; the normal run types those of each second state
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

    made = Place(fleet_root, host_place, {state.name: state for state in (*STATES, ALTERED)}, prepare)
    yield made
    made.remove()


@pytest.mark.parametrize("state", [pytest.param(state, id=state.name, marks=state.marks) for state in STATES])
@pytest.mark.sampled(2)
def test_what_a_host_tells_to_type_works_when_it_is_typed(place, names, state):
    results = Reader(place, state, names).results()
    assert len(results) >= state.least, results
    failed = [f"{ask}  told  {line}: {reason}" for ask, line, reason in results if reason]
    assert not failed, "\n".join(["", *failed])


def test_enough_is_collected():
    assert sum(state.least for state in STATES) >= LEAST


def test_a_line_that_is_told_wrong_is_seen(place, names):
    (_, line, reason), = Reader(place, ALTERED, names).results()
    assert line == "topsctl recovery" and "it ends with 2" in reason


@pytest.mark.parametrize("text, lines", [
    ("hint:  run `topsctl recover`, or `sudo topsctl\n       rollback 3`\n", ["topsctl recover", "sudo topsctl rollback 3"]),
    ("next, on h1: topsctl repair\nnext: . /etc/profile.d/x.sh\n", ["topsctl repair", ". /etc/profile.d/x.sh"]),
    ("hint:  give it: topsctl launch -- SCRIPT ARGS...\n", ["topsctl launch -- SCRIPT ARGS..."]),
    ("next:  open a new shell, or run `eval \"$(topsctl env)\"`\n", ['eval "$(topsctl env)"']),
    ("files differ (topsctl verify --level files); topsctl checks them\n", ["topsctl verify --level files"]),
    ("提示:  用 `topsctl recover` 回滚\n下一步: topsctl verify\n", ["topsctl recover", "topsctl verify"]),
])
def test_lines_to_be_typed_are_found(text, lines):
    assert to_be_typed(text, {"recover", "rollback", "launch", "verify", "repair"}) == lines
