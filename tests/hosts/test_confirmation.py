"""Installs that must be confirmed: they stay only if somebody comes from a new connection in time."""

import os
import signal
import time
from pathlib import Path

import pytest

from hosts.operations import Operator
from support.waiting import wait_for

OLD_CONNECTION = {"SSH_CONNECTION": "192.0.2.1 50001 192.0.2.2 22"}
NEW_CONNECTION = {"SSH_CONNECTION": "192.0.2.1 50002 192.0.2.2 22"}


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def install(operator, bundle):
    """install(seconds) -> the report of an install that must be confirmed so soon."""
    packages = bundle(python=operator.host.python_minor(), only_needed=True)

    def install(seconds):
        outcome = operator.topsctl("install", packages, "--components", "eccl", "--stack", "topsrider-t2x",
                                   "--confirm-timeout", str(seconds), "--json", env=OLD_CONNECTION)
        assert outcome.code == 0, outcome
        return outcome.json

    install.again = lambda: operator.topsctl("install", packages, "--stack", "topsrider-t2x")
    return install


def watchers(operator):
    """The processes that watch a transaction of this host."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if "--unless-confirmed" in words and os.fspath(operator.host.root) in words:
                found.append(int(folder.name))
        except OSError:
            pass  # it has ended meanwhile
    return found


def entry(operator):
    return operator.json("history")["transactions"][-1]


def test_only_a_new_connection_keeps_an_install(operator, install, schema):
    report = install(600)
    schema(report, "install")
    assert report["outcome"] == "committed" and report["confirm_until"] and "topsctl confirm 1" in report["msg"]
    listed = operator.json("history")
    schema(listed, "history")
    assert listed["transactions"][0]["confirm_until"] == report["confirm_until"]
    assert "topsctl confirm 1" in listed["warnings"][0]
    assert "to be confirmed by" in operator.topsctl("history").out
    assert len(watchers(operator)) == 1
    assert operator.topsctl("recover").code == 0, "a watcher is there: nothing to recover"

    refused = operator.topsctl("confirm", "1", "--json", env=OLD_CONNECTION)
    schema(refused.json, "confirm")
    assert refused.code == 4 and "this same connection" in refused.json["error"]["message"]
    other = install.again()
    assert other.code == 4 and "awaits confirmation" in other.err

    confirmed = operator.topsctl("confirm", "1", "--json", env=NEW_CONNECTION)
    assert confirmed.code == 0, confirmed
    schema(confirmed.json, "confirm")
    assert confirmed.json["outcome"] == "confirmed"
    assert watchers(operator) == []
    assert entry(operator)["outcome"] == "committed" and entry(operator)["confirm_until"] is None
    assert operator.topsctl("confirm", "1", "--json", env=OLD_CONNECTION).json["outcome"] == "no_change"


def test_without_a_confirmation_the_host_is_restored(operator, install, schema):
    before = operator.digest()
    install(1)
    wait_for(lambda: entry(operator)["outcome"] == "rolled_back" and not watchers(operator))
    assert operator.changes_since(before) == []
    late = operator.topsctl("confirm", "1", "--json", env=NEW_CONNECTION)
    assert late.code == 8 and late.json["error"]["code"] == "unconfirmed", late
    schema(late.json, "confirm")
    shown = operator.json("history", "show", "1")
    schema(shown, "history")
    assert shown["transactions"][0]["reason"] == "it was not confirmed in time"
    assert [(each["command"], each["outcome"], each["rebuilt"]) for each in shown["reports"]] == \
        [("install", "committed", False), ("recover", "rolled_back", False)]
    assert shown["reports"][1]["rollback"]["verified"]["paths_differing"] == 0


def test_a_late_confirmation_is_refused_though_the_watcher_is_stopped(operator, install):
    before = operator.digest()
    install(2)
    watcher, = watchers(operator)
    os.kill(watcher, signal.SIGSTOP)
    try:
        time.sleep(3.2)
        late = operator.topsctl("confirm", "1", "--json", env=NEW_CONNECTION)
        assert late.code == 8 and "too late" in late.json["error"]["message"], late
        assert entry(operator)["outcome"] == "committed"
    finally:
        os.kill(watcher, signal.SIGCONT)
    wait_for(lambda: entry(operator)["outcome"] == "rolled_back" and not watchers(operator))
    assert operator.changes_since(before) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_install_whose_watcher_is_ended_is_restored(operator, install, number):
    before = operator.digest()
    install(600)
    os.kill(watchers(operator)[0], number)
    wait_for(lambda: not watchers(operator))
    if number == signal.SIGKILL:  # as after a reboot
        # The kernel empties a process's command line before it closes its files, and with them its lock.
        wait_for(lambda: "has no watchdog" in operator.json("history")["warnings"][0])
        assert operator.json("recover")["outcome"] == "rolled_back"
    assert entry(operator)["outcome"] == "rolled_back"
    assert operator.changes_since(before) == []


def test_a_rollback_ends_the_wait(operator, install):
    install(600)
    assert operator.json("rollback")["outcome"] == "rolled_back" and entry(operator)["reason"] is None
    wait_for(lambda: not watchers(operator))


def test_an_install_that_nobody_watches_is_rolled_back_by_its_number(operator, install):
    install(600)
    os.kill(watchers(operator)[0], signal.SIGKILL)
    wait_for(lambda: not watchers(operator))
    wait_for(lambda: "has no watchdog" in operator.json("history")["warnings"][0])
    assert operator.json("rollback", str(entry(operator)["id"]))["outcome"] == "rolled_back"
