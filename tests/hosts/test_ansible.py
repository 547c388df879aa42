"""The Ansible collection on real hosts, by ansible-playbook of the distribution: eight hosts that the tests share."""

import json
import os
import signal
from typing import NamedTuple

import pytest

from hosts.controller import COLLECTION, Controller, Played, build_collection
from hosts.operations import NOT_COMPARED, OLD_STACK, PACKAGES
from hosts.workstation import DESTINATION
from support.programs import needed
from support.waiting import wait_for

pytestmark = pytest.mark.whole  # every run has the modules (test_ansible_modules.py) and a drain (test_ansible_slurm.py), but no play that installs
PYTHON = "3.9"
OLD, NEW = "2.4.87", "2.5.136"
UPGRADE = f"{COLLECTION}.upgrade"
BINARY = "/usr/local/bin/topsctl"
NAMES = [f"h{number}" for number in range(1, 9)]
HOLD = "/srv/hold"  # while it is there, dpkg waits before it installs
WAITING = f"while test -e {HOLD}"
# What logging in and a transfer leave.
LEFT = (*NOT_COMPARED, "/root", "/tmp", "/run", "/var/log")
SLURM = """#!/bin/sh
# A double of scontrol, sinfo and squeue: it notes what it is asked, and knows an idle node without jobs.
echo "$(basename "$0") $*" >>"{log}"
case "$*" in
*--format=%T) echo idle ;;
*state=resume) [ ! -e "{log}.refuse" ] ;;
esac
"""


def in_racks(**more):
    """The variables of the hosts: two racks, no cards, a user with sudo on h7, and what `more` has by the name of a host."""
    return {name: {"topsctl_rack": "r1" if name < "h5" else "r2", "topsctl_verify_level": "import",
                   "ansible_user": "free" if name == "h7" else "root", **more.get(name, {})} for name in NAMES}


@pytest.fixture(scope="module")
def collections(repository, tmp_path_factory):
    needed("ansible-playbook")
    return build_collection(repository / "packaging" / "ansible", tmp_path_factory.mktemp("ansible"))


@pytest.fixture(scope="module")
def controller(fleet_factory, collections, topsctl_release):
    """The controller of eight hosts, which the tests change one after the other."""
    fleet = fleet_factory(8)
    try:
        controller = Controller(fleet, collections, topsctl_release)
        controller.inventory(in_racks())
        yield controller
    finally:
        fleet.remove()


@pytest.fixture(scope="module")
def old(bundle, topsctl_release):
    """What a play is told of the old generation, with paths that begin at the working directory."""
    return {"topsctl_bundle": os.path.relpath(bundle(generation=OLD, python=PYTHON, only_needed=True)),
            "topsctl_stack": os.path.relpath(OLD_STACK), "topsctl_binary": os.path.relpath(topsctl_release)}


@pytest.fixture(scope="module")
def new(bundle):
    return {"topsctl_bundle": str(bundle(python=PYTHON, only_needed=True))}


class First(NamedTuple):
    """The plays on clean hosts: in check mode, for real, and once more."""
    checked: Played
    untouched: bool
    installed: Played
    again: Played


@pytest.fixture(scope="module")
def first(controller, old):
    """All hosts have the old generation from here on."""
    checked = controller.play(UPGRADE, "--check", "--diff", topsctl_serial=8, **old)
    untouched = not any(host.path(path).exists() for host in controller.hosts.values()
                        for path in (DESTINATION, BINARY, "/var/lib/topsctl", "/etc/topsctl"))
    installed = controller.play(UPGRADE, "--diff", topsctl_serial=8, **old)
    assert installed.code == 0 and generations(controller) == dict.fromkeys(NAMES, [OLD]), installed.output
    return First(checked, untouched, installed, controller.play(UPGRADE, topsctl_serial=8, **old))


def versions(host):
    """The versions of the stack's packages, each once; a package that is not whole fails."""
    shown = host.run(["dpkg-query", "-W", "-f", "${Status} ${Version}\n", *PACKAGES]).stdout.splitlines()
    assert all(line.startswith("install ok installed ") for line in shown) and len(shown) in (0, len(PACKAGES)), shown
    return sorted({line.split()[-1].removesuffix("-1") for line in shown})


def generations(controller):
    return {name: versions(host) for name, host in controller.hosts.items()}


def transactions(controller, name):
    """(outcome, whether it awaits a confirmation) of each."""
    shown = json.loads(controller.hosts[name].beside([BINARY, "history", "--json"]).stdout)
    return [(each["outcome"], each["confirm_until"] is not None) for each in shown["transactions"]]


def runs(controller, words, name):
    return any(words in process.command for process in controller.hosts[name].processes())


def test_all_hosts_are_installed_and_confirmed_and_a_second_play_changes_nothing(controller, first):
    assert set(first.installed.outcomes.values()) == {"committed"}
    assert all(count.changed and not count.failed for count in first.installed.recap.values()), first.installed.output
    assert all(transactions(controller, name) == [("committed", False)] for name in NAMES), "each is confirmed"
    assert controller.hosts["h1"].path(BINARY).read_bytes() == controller.binary.read_bytes()
    assert "+tops-eccl 2.4.87-1" in first.installed.output
    assert first.again.code == 0 and set(first.again.outcomes.values()) == {"no_change"}
    assert [count.changed for count in first.again.recap.values()] == [0] * 8, first.again.output


def test_check_mode_changes_nothing_and_shows_what_would_change(controller, first, new):
    assert first.checked.code == 0 and first.untouched, first.checked.output
    assert all(count.changed for count in first.checked.recap.values())
    assert "the packages are not on the host yet" in first.checked.output and set(first.checked.outcomes.values()) == {"reached"}
    host = controller.hosts["h1"]
    send = controller.play([{"hosts": "all", "gather_facts": False, "roles": [f"{COLLECTION}.transfer"],
                             "tasks": [controller.keep("topsctl_transfer")]}], **new)
    assert send.code == 0, send.output
    for name in ("h1", "h5"):  # the first of each rack
        sent = controller.kept(name)
        rack = [each for each in NAMES if (each < "h5") == (name == "h1")]
        assert [each["target"].split("@")[1] for each in sent["targets"]] == [controller.hosts[each].name for each in rack]
        assert sent["changed"] and not sent["failed"] and sent["sent_bytes"] > 0, sent
    before, states = host.digest(LEFT), generations(controller)
    planned = controller.play(UPGRADE, "--check", "--diff", topsctl_serial=8, **new)
    assert planned.code == 0 and set(planned.outcomes.values()) == {"planned"}, planned.output
    assert [count.changed for count in planned.recap.values()] == [1] * 8, planned.output
    for line in ("-tops-eccl 2.4.87-1", "+tops-eccl 2.5.136-1", "-torch_gcu 1.10.0+2.4.87", "+torch_gcu 1.10.0+2.5.136",
                 "+# Environment of topsrider-t2x 2.5.136, written by topsctl;"):
        assert line in planned.output, line
    assert before.diff(host.digest(LEFT)) == [] and generations(controller) == states


def test_a_host_that_fails_is_rolled_back_and_stops_the_rest(controller, first, new):
    controller.inventory(in_racks(h4={"topsctl_verify_level": "device"}))  # it has no cards
    played = controller.play(UPGRADE, topsctl_serial=2, topsctl_max_fail_percentage=0, **new)
    controller.inventory(in_racks())
    assert played.code == 2, played.output
    assert generations(controller) == {name: [NEW] if name in ("h1", "h2", "h3") else [OLD] for name in NAMES}
    assert played.outcomes == {name: {"h4": "rolled_back"}.get(name, "committed" if name < "h4" else "not_reached")
                               for name in NAMES}
    failed = played.host("h4")
    assert failed["failed_check"]["id"] == "driver" and failed["transaction"] == 2 and "'driver' failed" in failed["msg"], failed
    assert transactions(controller, "h4")[-1] == ("rolled_back", False)
    assert played.recap["h4"].rescued and played.recap["h4"].failed == 1 and "h5" not in played.recap, played.output
    assert f"fleet report: {controller.home}/report.json" in played.output
    text = (controller.home / "report.txt").read_text()
    assert [line for line in text.splitlines() if line.startswith("h4") and "check 'driver' failed" in line], text


def test_an_unreachable_host_is_reported_and_the_others_go_on(controller, first, new):
    before = generations(controller)
    controller.hosts["h6"].stop_sshd()
    try:
        played = controller.play(UPGRADE, topsctl_serial=4, **new)
    finally:
        controller.hosts["h6"].start_sshd()
    assert played.code == 4 and played.recap["h6"].unreachable == 1, played.output
    assert played.outcomes == {name: {"h6": "unreachable"}.get(name, "no_change" if before[name] == [NEW] else "committed")
                               for name in NAMES}
    assert generations(controller) == {name: before["h6"] if name == "h6" else [NEW] for name in NAMES}


def test_a_rollback_is_planned_done_and_not_done_twice(controller, first, new):
    rollback = f"{COLLECTION}.rollback"
    if any(versions(controller.hosts[name]) != [NEW] for name in ("h1", "h2")):
        controller.play(UPGRADE, "--limit", "h1,h2", **new)
    played = controller.play([{"hosts": "h1,h2", "gather_facts": False, "tasks": [
        {f"{COLLECTION}.facts": None},
        {"ansible.builtin.set_fact": {"number": "{{ topsctl.installed }}"}},
        {rollback: {"id": "{{ number }}"}, "check_mode": True, "register": "planned"},
        {f"{COLLECTION}.verify": {"level": "import"}, "register": "verified"},
        {rollback: {"id": "{{ number }}"}, "register": "done"},
        {rollback: {"id": "{{ number }}"}, "register": "again"},
        controller.keep("[topsctl, planned, verified, done, again]")]}])
    assert played.code == 0, played.output
    for name in ("h1", "h2"):
        facts, planned, verified, done, again = controller.kept(name)
        assert facts["version"] and facts["packages"]["tops-eccl"] == f"{NEW}-1" and facts["unfinished"] is None, facts
        assert (planned["outcome"], planned["changed"]) == ("planned", True)
        assert not verified["changed"] and verified["failed_check"] is None and len(verified["checks"]) >= 10
        assert (done["outcome"], done["changed"], done["proof"]["paths_differing"]) == ("rolled_back", True, 0), done
        assert [each["after_header"] for each in done["diff"]] == ["packages", "/etc/profile.d/topsrider.sh"]
        assert (again["outcome"], again["changed"]) == ("no_change", False), again
        assert versions(controller.hosts[name]) == [OLD]


def test_an_install_in_the_background_is_confirmed_by_a_task_of_its_own(controller, first):
    controller.hosts["h3"].beside([BINARY, "rollback"])
    played = controller.play([{"hosts": "h3", "gather_facts": False, "tasks": [
        {f"{COLLECTION}.install": {"bundle": DESTINATION, "stack": "topsrider-t2x@2.5.136", "confirm_timeout": 60},
         "async": 60, "poll": 1, "register": "installed"},
        {"ansible.builtin.meta": "reset_connection"},
        {f"{COLLECTION}.confirm": {"id": "{{ installed.transaction }}"}, "register": "confirmed"},
        controller.keep("[installed, confirmed]")]}])
    assert played.code == 0, played.output
    installed, confirmed = controller.kept("h3")
    assert installed["outcome"] == "committed" and installed["confirm_until"] and "confirmation" not in installed
    assert confirmed["outcome"] == "confirmed" and not confirmed["changed"]
    assert transactions(controller, "h3")[-1] == ("committed", False)


def test_an_interrupted_play_leaves_every_host_old_or_new(controller, first, new):
    """An install goes on without its connection. h1 rolls itself back, since nobody confirms it."""
    names = ["h1", "h2", "h7", "h8"]
    for name in names:
        host = controller.hosts[name]
        if versions(host) == [NEW]:
            host.beside([BINARY, "rollback"], check=True)
        host.path("/etc/dpkg/dpkg.cfg.d/hold").write_text(f"pre-invoke={WAITING}; do sleep 0.1; done\n")
        host.path(HOLD).touch()
    with_terminal = {"topsctl_confirm_timeout": 0, "ansible_pipelining": False}
    controller.inventory(in_racks(h1={"topsctl_confirm_timeout": 4}, h2={"topsctl_confirm_timeout": 0}, h7=with_terminal,
                                  h8=with_terminal))
    play = controller.start(UPGRADE, "--limit", ",".join(names), topsctl_serial=8, **new)
    try:
        wait_for(lambda: all(runs(controller, WAITING, name) for name in names))
        os.killpg(play.pid, signal.SIGINT)
        output, _ = play.communicate(timeout=90)
    finally:
        for name in names:
            controller.hosts[name].path(HOLD).unlink()
            controller.hosts[name].path("/etc/dpkg/dpkg.cfg.d/hold").unlink()
    controller.end_connections()
    # Whether Ansible or its ssh ends first.
    assert controller.played(play.returncode, output).outcomes["h2"] in ("running", "lost"), output
    wait_for(lambda: not any(runs(controller, "topsctl ", name) for name in names))
    assert {name: versions(controller.hosts[name]) for name in names} == {"h1": [OLD], "h2": [NEW], "h7": [NEW], "h8": [NEW]}
    assert transactions(controller, "h1")[-1] == ("rolled_back", False)
    assert transactions(controller, "h2")[-1] == ("committed", False)
    controller.inventory(in_racks())
    again = controller.play(UPGRADE, "--limit", "h1,h2", **new)
    assert again.outcomes["h1"] == "committed" and again.recap["h2"].changed == 0, again.output


def test_slurm_drains_hosts_that_change_and_keeps_those_drained_that_fail(controller, first, new, bundle, tmp_path):
    log = tmp_path / "asked"
    for program in ("scontrol", "sinfo", "squeue"):
        (tmp_path / program).write_text(SLURM.format(log=log))
        (tmp_path / program).chmod(0o755)
    controller.environment["PATH"] = f"{tmp_path}:/usr/sbin:/usr/bin:/sbin:/bin"
    broken = {"topsctl_bundle": str(bundle(python=PYTHON, faults=["import-fails"], only_needed=True))}
    host = controller.hosts["h8"]
    if versions(host) != [NEW]:
        controller.play(UPGRADE, "--limit", "h8", **new)
    before = host.digest(LEFT)
    failed = controller.play(UPGRADE, "--limit", "h8", topsctl_drain="slurm", **broken)
    assert failed.code == 2 and failed.outcomes["h8"] == "rolled_back", failed.output
    told = failed.host("h8")
    assert told["failed_check"]["id"] == "torch-gcu-import" and "0 differ" in told["msg"] and told["hint"], told
    assert [line for line in before.diff(host.digest(LEFT)) if not line.startswith("~ /var/lib/dpkg/")] == []
    update = "scontrol update nodename=h8"
    assert log.read_text().splitlines() == [
        "sinfo --noheader --Node --nodes=h8 --format=%T", f"{update} state=drain reason=topsctl: upgrade",
        "squeue --noheader --format=%i --nodelist=h8", f"{update} state=drain reason=topsctl: torch-gcu-import"]
    log.write_text("")
    same = controller.play(UPGRADE, "--limit", "h8", topsctl_drain="slurm", **new)
    assert same.code == 0 and same.recap["h8"].changed == 0 and log.read_text() == "", same.output
    host.beside([BINARY, "rollback"], check=True)
    assert controller.play(UPGRADE, "--limit", "h8", topsctl_drain="slurm", **new).outcomes["h8"] == "committed"
    assert log.read_text().splitlines()[-1] == f"{update} state=resume"
    host.beside([BINARY, "rollback"], check=True)
    (tmp_path / "asked.refuse").touch()
    kept = controller.play(UPGRADE, "--limit", "h8", topsctl_drain="slurm", **new)
    assert kept.code == 2 and kept.outcomes["h8"] == "committed" and versions(host) == [NEW], kept.output


def test_a_binary_that_is_not_topsctl_takes_no_name(controller, first):
    binary = f"{COLLECTION}.binary"
    played = controller.play([{"hosts": "h1", "gather_facts": False, "ignore_errors": True, "tasks": [
        {binary: {"src": "/bin/true"}, "register": "other"},
        {binary: {"src": str(controller.binary), "sha256": "0" * 64}, "register": "wrong"},
        {binary: {"src": str(controller.binary), "dest": "/opt/topsctl"}, "register": "placed"},
        {binary: {"src": str(controller.binary), "dest": "/opt/topsctl"}, "register": "again"},
        controller.keep("[other, wrong, placed, again]")]}])
    other, wrong, placed, again = controller.kept("h1")
    assert other["failed"] and not other["changed"] and "is not topsctl" in other["msg"], played.output
    assert wrong["failed"] and "digest" in wrong["msg"]
    assert placed["changed"] and placed["version"] and not again["changed"] and not again["failed"]
    host = controller.hosts["h1"]
    assert host.path(BINARY).read_bytes() == host.path("/opt/topsctl").read_bytes() == controller.binary.read_bytes()
    assert not list(host.path("/usr/local/bin").glob(".topsctl-*"))
