"""Transfers to SSH servers of other makes (dropbear, tinysshd, asyncssh), and to an OpenSSH of few channels."""

import os
import random
import shutil
import time

import pytest

from hosts.other_servers import PASSWORD_USER, OtherServers
from hosts.users import LOGIN_PASSWORD
from hosts.workstation import CHUNK, Workstation, missing_at, sent

# How often dropbear sees topsctl for the first time: `TOPSCTL_TEST_FIRST_CONTACTS=50` for a campaign.
FIRST_CONTACTS = int(os.environ.get("TOPSCTL_TEST_FIRST_CONTACTS") or 4)
RUNNING = ("dropbear", "tinysshd", "openssh-1", "openssh-2", "asyncssh")  # these run programs
QUESTIONS = ("Two steps", "Say who you are,\nthen what the token shows.", (("Your password?", False), ("Token code:", True)))
CODES = ["111111", "222222"]  # each counts once
# What neither libssh nor OpenSSH take unless told to.
OLD = {"KexAlgorithms": "diffie-hellman-group14-sha1", "Ciphers": "aes128-cbc", "MACs": "hmac-sha1",
       "HostKeyAlgorithms": "ssh-rsa"}


def challenge(*answers):
    title, instruction, questions = QUESTIONS
    return title, instruction, [(*question, each) for question, each in zip(questions, answers)]


@pytest.fixture(scope="module")
def servers(host_place):
    made = OtherServers(host_place)
    try:
        key = made.folder / "keys"
        key.write_text(made.public_key)
        made.dropbear()
        made.tinysshd()
        made.openssh("openssh-1", "MaxSessions 1")
        made.openssh("openssh-2", "MaxSessions 2")
        made.openssh("openssh-old", *(f"{keyword} {name}" for keyword, name in OLD.items()), key="rsa")
        users = {"root": {"keys": str(key)}, "pw": {"password": LOGIN_PASSWORD},
                 "kbd": {"challenge": challenge([LOGIN_PASSWORD], ["one and all"])},
                 "token": {"challenge": challenge([LOGIN_PASSWORD], CODES)}}
        made.asyncssh("asyncssh", users)
        yield made
    finally:
        made.remove()


@pytest.fixture
def station(servers, topsctl_release, schema):
    """The workstation; no server has seen topsctl before."""
    for server in servers.hosts:
        forget(server)
    return Workstation(servers, topsctl_release, schema)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A folder to be sent with --all: 24 MiB that nobody compresses."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "one.bin").write_bytes(random.Random(5).randbytes(6 * CHUNK + 5))
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.bin").write_text("a little")
    return folder


def forget(server):
    """Whatever topsctl has put on a server."""
    for place in (server.home / ".cache", server.home / "in", server.home_without_keys / ".cache"):
        shutil.rmtree(place, ignore_errors=True)


def server_of(station, name):
    return next(server for server in station.hosts if server.name == name)


def destination(server):
    return str(server.home / "in")


def transfer(station, name, folder, *options, user="root", answers=None, code=0):
    """The target of the document, all files whole; with answers at a terminal, and what that has shown."""
    server = server_of(station, name)
    words = ("transfer", folder, f"{user}@{name}", "--all", "--dest", destination(server), *options)
    seen = None
    if answers is None:
        document = station.json(*words, code=code)
    else:
        document, seen = station.on_terminal(*words, answers=answers, code=code)
    target, = document["targets"]
    if code == 0:
        assert missing_at("/", destination(server), target, folder) == []
    return target if seen is None else (target, seen.output)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name == "dropbear" else [pytest.mark.whole]) for name in RUNNING])
def test_the_first_contact_carries_topsctl_there_and_nothing_is_sent_again(station, large, name):
    target = transfer(station, name, large)
    assert sent(target) > 0
    target = transfer(station, name, large)
    assert sent(target) == 0


@pytest.mark.whole
def test_each_first_contact_with_dropbear_does(station, small):
    server = server_of(station, "dropbear")
    for number in range(FIRST_CONTACTS):
        forget(server)
        target = transfer(station, "dropbear", small)
        assert target["retries"] == 0, number


@pytest.mark.whole
@pytest.mark.parametrize("name", ["dropbear", "tinysshd", "openssh-1"])
def test_the_first_contact_may_be_a_command(station, name):
    done = station.topsctl("history", "--target", f"root@{name}")
    assert done.code == 0, done


@pytest.mark.whole
@pytest.mark.parametrize("name", ["dropbear", "tinysshd", "openssh-1", "asyncssh"])
def test_a_killed_transfer_goes_on(station, large, name):
    server = server_of(station, name)
    process = station.start("transfer", large, f"root@{name}", "--all", "--dest", destination(server), "--limit-rate", "8M")
    # Each of four connections may be within a chunk: at least one is whole.
    wait_for_bytes(server.home, 5 * CHUNK)
    process.kill()
    process.communicate()
    target = transfer(station, name, large)
    assert 0 < sent(target) < 6 * CHUNK + 5


def wait_for_bytes(folder, size):
    """Until a file of that size has grown, in whatever place a transfer lets it grow."""
    deadline = time.monotonic() + 120
    while not any(path.stat().st_blocks * 512 >= size for path in folder.rglob("*part*")):
        assert time.monotonic() < deadline, list(folder.rglob("*"))
        time.sleep(0.01)


@pytest.mark.whole
@pytest.mark.parametrize("name", ["dropbear", "asyncssh"])
def test_a_password_is_asked_for_once(station, large, name):
    target, seen = transfer(station, name, large, user=PASSWORD_USER, answers=[("Password for", LOGIN_PASSWORD)])
    assert seen.count("Password for") == 1 and sent(target) > 0


def assert_shown(seen, user):
    """What the server asks stands there as it says it, and who says it; hidden answers do not."""
    title, instruction, questions = QUESTIONS
    for line in (title, *instruction.splitlines(), *(prompt for prompt, _ in questions)):
        assert f"{user}@asyncssh: {line}" in seen, seen
    assert LOGIN_PASSWORD not in seen


@pytest.mark.whole
def test_questions_are_shown_as_the_server_sends_them_and_answered_once_for_all_connections(station, large):
    target, seen = transfer(station, "asyncssh", large, user="kbd",
                            answers=[("Your password\\?", LOGIN_PASSWORD), ("Token code:", "one and all")])
    assert_shown(seen, "kbd")
    assert "one and all" in seen and seen.count("Token code:") == seen.count("Your password?") == 1
    assert target["connections"] >= 2


@pytest.mark.whole
def test_a_wrong_answer_is_asked_for_again(station, small):
    answers = [("Your password\\?", "wrong"), ("Token code:", "one and all"),
               ("Your password\\?", LOGIN_PASSWORD), ("Token code:", "one and all")]
    transfer(station, "asyncssh", small, user="kbd", answers=answers)


@pytest.mark.whole
def test_a_code_that_counts_once_is_asked_for_once_and_the_work_goes_on_with_what_is_in(station, large):
    log = server_of(station, "asyncssh").log
    before = log.read_text().count("refused")
    target, seen = transfer(station, "asyncssh", large, user="token",
                            answers=[("Your password\\?", LOGIN_PASSWORD), ("Token code:", CODES[0])])
    assert_shown(seen, "token")
    assert seen.count("Token code:") == 1 and sent(target) > 0
    # Many would lock the account.
    assert log.read_text().count("refused") - before <= 1


@pytest.mark.whole
@pytest.mark.parametrize("sign", "+^")
def test_algorithms_may_be_added_to_the_usual_ones(station, small, sign):
    config = station.fleet.home / "config"
    usual = (station.fleet.home / ".ssh" / "config").read_text()
    for left_out in (None, *OLD):
        lines = [f"{keyword} {sign}{name}\n" for keyword, name in OLD.items() if keyword != left_out]
        config.write_text("".join(lines) + usual)
        transfer(station, "openssh-old", small, "-F", config, code=0 if left_out is None else 6)
    config.write_text("PubkeyAcceptedAlgorithms -ssh-ed25519,rsa-*\n" + usual)
    transfer(station, "openssh-1", small, "-F", config, code=6)
