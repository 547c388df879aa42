"""What root keeps, its notes and its logs: nobody else may change it, and nothing in it makes a command wait."""

import os
import signal
import subprocess

import pytest

from hosts.operations import Operator

STATE, TRANSACTIONS, LOGS = "/var/lib/topsctl", "/var/lib/topsctl/transactions", "/var/log/topsctl"
OTHER = 3001  # a user


@pytest.fixture
def operator(host, topsctl_release, run_topsctl, bundle):
    operator = Operator(host, topsctl_release, run_topsctl)
    assert operator.json("install", bundle(python=host.python_minor(), only_needed=True), "--yes")["outcome"] == "committed"
    return operator


def anothers(path):
    os.chown(path, OTHER, OTHER)


def open_to_all(path):
    path.chmod(0o777)


def link_to_anothers(path):
    path.rename(path.with_name("other"))
    path.symlink_to(path.with_name("other").name)
    anothers(path.with_name("other"))


@pytest.mark.parametrize("make", [anothers, open_to_all, link_to_anothers])
def test_notes_that_others_could_forge_are_refused(operator, host, make):
    for place in (TRANSACTIONS, STATE):
        before = operator.json("history")
        assert len(before["transactions"]) == 1
        folder = host.path(place)
        make(folder)
        for command in (["status"], ["history"], ["repair", "--yes"], ["rollback", "--yes"]):
            error = operator.json(*command, code=4)["error"]
            assert error["code"] == "host_unfit" and "/var/lib/" in error["message"] and "chown root:root" in error["hint"], error
        if folder.is_symlink():
            os.chown(folder.resolve(), 0, 0)
        else:
            os.chown(folder, 0, 0)
            folder.chmod(0o755)
        assert operator.json("history") == before, "a link of root is root's business"


@pytest.mark.parametrize("make", [anothers, open_to_all, link_to_anothers])
def test_logs_go_nowhere_where_others_could_put_links(operator, host, make):
    make(host.path(LOGS))
    (host.path(LOGS) / "2.log").symlink_to("/etc/free")
    state = operator.dpkg_states()
    os.unlink(host.path("/usr/lib/libeccl.so"))
    error = operator.json("repair", "--yes", code=4)["error"]
    assert error["code"] == "host_unfit" and "/var/log/" in error["message"], error
    assert operator.dpkg_states() == state
    undone = operator.json("rollback", "--yes")
    assert undone["outcome"] == "rolled_back" and any("/var/log/" in each for each in undone["warnings"]), "it is no reason to leave a host changed"
    assert not host.path("/etc/free").exists()


def test_a_pipe_in_place_of_the_lock_holds_nothing_up(operator, host, topsctl_release):
    lock = host.path(STATE) / "lock"
    lock.unlink()
    os.mkfifo(lock)
    for command in ("status", "history"):
        done = subprocess.run([topsctl_release, command, "--root", host.root], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        assert done.returncode != -signal.SIGKILL and done.stdout, done
