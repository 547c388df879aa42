"""Deployments whose connection goes away while they install: each host ends committed or restored, and its report is fetched."""

import json
import os
import re
import shlex
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hosts.operations import LOCKS, NOT_COMPARED, PACKAGES
from hosts.workstation import CACHE, HOME, PATIENCE, by_target, statuses
from support.waiting import wait_for

# What a transfer and a session leave there, besides what no rollback brings back.
LEFT = (*NOT_COMPARED, HOME, "/tmp", "/run", "/var/log")
RESTORES = 5  # seconds after which an install that nobody confirms is undone


def installs(host):
    return any("/topsctl install " in process.command for process in host.processes())


def transactions(station, host):
    outcome = station.topsctl("history", "--root", host.root, "--json")
    assert outcome.code == 0, outcome
    return [(each["outcome"], each["confirm_until"]) for each in outcome.json["transactions"]]


def packages_of(host):
    return host.run(["dpkg-query", "-W", "-f", "${Package}\n", *PACKAGES]).stdout.split()


def test_sessions_that_are_killed_again_and_again_hold_no_install_up(make_workstation, packages):
    station = make_workstation(2)
    targets = ["root@h1", "free@h2"]
    run = station.start("deploy", packages, *targets)
    wait_for(lambda: all(map(installs, station.hosts)))
    killed = 0
    while run.poll() is None and killed < 6:
        killed += sum(bool(host.kill_sessions()) for host in station.hosts if installs(host))
        time.sleep(0.4)
    document, events = station.finished("deploy", run)
    assert {event["target"] for event in events if event["event"] == "target"} == set(targets)
    assert killed >= 2 and sum(target["reconnects"] for target in document["targets"]) >= 1
    for target, host in zip(targets, station.hosts):
        told = by_target(document)[target]
        assert told["report"]["outcome"] == "committed" and told["confirmation"]["outcome"] == "confirmed"
        assert transactions(station, host) == [("committed", None)] and packages_of(host) == list(PACKAGES)


def test_an_interrupted_deployment_says_what_goes_on_and_is_resumed(make_workstation, packages, tmp_path):
    """By the command that the hint names, as a shell reads it: no character of a name reaches the terminal as it is."""
    station = make_workstation(1)
    host, = station.hosts
    bundle = tmp_path / "a\x1b]0;x\x07 b'c$(touch d)"
    bundle.symlink_to(packages)
    run = station.start("deploy", bundle, "root@h1")
    # The workstation has heard of it by then.
    wait_for(lambda: any("dpkg --" in process.command and "topsctl" not in process.command for process in host.processes()))
    run.send_signal(signal.SIGINT)
    interrupted, _ = station.finished("deploy", run, code=130)
    assert "the install continues on root@h1" in interrupted["error"]["message"]
    hint = interrupted["error"]["hint"]
    assert "--resume` waits for its end and confirms it" in hint and hint.isprintable()
    words = re.match("`topsctl (.*?)`", hint)[1]
    done = station.fleet.client.run(["bash", "-c", f"{shlex.quote(str(station.binary))} {words} | tail -n 1000"])
    resumed = json.loads(done.stdout)
    told = by_target(resumed)["root@h1"]
    assert told["files"] == [] and told["report"]["outcome"] == "committed"
    assert told["confirmation"]["outcome"] == "confirmed"
    assert transactions(station, host) == [("committed", None)]


def test_one_command_is_run_once_however_often_it_is_asked_for(make_workstation, packages):
    station = make_workstation(1)
    host, = station.hosts
    run = station.start("deploy", packages, "root@h1")
    wait_for(lambda: installs(host))
    host.kill_sessions()
    station.finished("deploy", run)
    assert len(list(host.path(f"{CACHE}/runs").iterdir())) == 2  # install and confirm
    assert len(transactions(station, host)) == 1


def test_a_host_that_is_not_reached_in_time_restores_itself_and_says_so_later(make_workstation, packages):
    station = make_workstation(2)
    lost, other = station.hosts
    before = lost.digest(LEFT)
    run = station.start("deploy", packages, "root@h1", "root@h2", "--confirm-timeout", str(RESTORES),
                        "--connect-timeout", "3")
    wait_for(lambda: installs(lost))
    lost.cut()
    wait_for(lambda: transactions(station, lost) == [("rolled_back", None)])
    lost.heal()
    document, _ = station.finished("deploy", run, code=9)
    assert statuses(document) == {"root@h1": "failed", "root@h2": "done"}
    told = by_target(document)["root@h1"]
    assert told["error"]["code"] == "unconfirmed", told
    assert told["report"]["outcome"] == "committed" and told["confirmation"]["error"]["code"] == "unconfirmed", told
    assert document["failed"] and packages_of(lost) == [] and packages_of(other) == list(PACKAGES)
    assert [line for line in before.diff(lost.digest(LEFT)) if not line.startswith(LOCKS)] == []


def test_a_workstation_that_goes_away_leaves_a_host_that_restores_itself(make_workstation, packages):
    station = make_workstation(1)
    host, = station.hosts
    run = station.start("deploy", packages, "free@h1", "--confirm-timeout", str(RESTORES))
    wait_for(lambda: installs(host))
    run.send_signal(signal.SIGKILL)
    run.wait()
    wait_for(lambda: transactions(station, host) == [("rolled_back", None)])
    assert packages_of(host) == []
    again = station.json("deploy", packages, "free@h1")
    assert again["targets"][0]["report"]["outcome"] == "committed"
    assert transactions(station, host) == [("rolled_back", None), ("committed", None)]


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_deployment_says_so_and_the_install_goes_on(make_workstation, packages, number, code):
    station = make_workstation(1)
    host, = station.hosts
    run = station.start("deploy", packages, "root@h1", "--confirm-timeout", "0")
    wait_for(lambda: installs(host))
    os.kill(run.pid, number)
    document, _ = station.finished("deploy", run, code=code)
    hint = document["error"]["hint"]
    assert "--resume` waits for its end" in hint and "confirms" not in hint, hint
    wait_for(lambda: transactions(station, host) == [("committed", None)])
    assert packages_of(host) == list(PACKAGES)


def test_an_install_holds_nothing_of_the_connection_open(make_workstation, packages):
    """Nor does what it leaves behind: sshd would wait for its end, and so would the one at the other end."""
    station = make_workstation(1)
    host, = station.hosts
    run = station.start("deploy", packages, "root@h1")
    of_sshd, of_install = set(), set()
    while run.poll() is None:
        of_sshd |= pipes(host, "sshd: ")
        of_install |= pipes(host, "topsctl (install|recover) ")
        time.sleep(0.02)
    station.finished("deploy", run)
    assert of_sshd and of_install
    assert of_sshd & of_install == set()


def pipes(host, pattern):
    """The pipes that processes of such command lines have open."""
    found = set()
    for process in host.processes():
        if re.search(pattern, process.command):
            with suppress(OSError):
                found |= {os.readlink(link) for link in Path(f"/proc/{process.pid}/fd").iterdir()}
    return {name for name in found if name.startswith("pipe:")}
