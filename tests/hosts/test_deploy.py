"""Deployments to real hosts: every way to root, what each host then has, and one that cannot take it beside others."""

import json
import os
import re

import pytest

from hosts.operations import PACKAGES
from hosts.users import LOGIN_PASSWORD, SUDO_PASSWORD
from hosts.workstation import CACHE, DESTINATION, by_target, missing_at, sent, statuses
from support.waiting import wait_for

PYTHON = "3.9"
SUDO = ("sudo password for all targets:", SUDO_PASSWORD)


def history(station, root, command="history"):
    """What `topsctl history` of that root tells, which is a host's or a container's."""
    outcome = station.topsctl(*command.split(), "--root", root, "--json")
    assert outcome.code == 0, outcome
    return outcome.json


def assert_installed(station, host, root=None):
    """dpkg there says so, and topsctl there has one transaction that is committed and needs nobody any more."""
    transactions = history(station, root or host.root)["transactions"]
    assert [(each["outcome"], each["confirm_until"]) for each in transactions] == [("committed", None)], transactions
    run = host.run if root is None else host.containers[0].run
    states = run(["dpkg-query", "-W", "-f", "${Package} ${Status}\n", *PACKAGES])
    assert sorted(states.stdout.splitlines()) == [f"{name} install ok installed" for name in PACKAGES], states
    assert run(["dpkg", "-s", "tops-eccl"]).returncode == 0


def assert_untouched(station, host):
    assert history(station, host.root)["transactions"] == []
    assert "tops-" not in host.path("/var/lib/dpkg/status").read_text()


def assert_done(document, target):
    """The target has its report, of a committed transaction, and its confirmation."""
    told = by_target(document)[target]
    assert told["status"] == "done" and told["error"] is None, told
    assert told["report"]["outcome"] == "committed" and told["report"]["changed"] and not told["report"]["failed"], told
    assert told["report"]["escaped_paths"] == [], told  # not what topsctl itself writes of the run, either
    assert told["confirmation"]["outcome"] == "confirmed", told


@pytest.mark.whole
def test_every_way_to_root_installs_and_confirms_at_once(make_workstation, packages, fleet_root):
    if not (fleet_root / "usr/bin/podman").exists():
        pytest.skip("the release of the hosts has no podman")
    station = make_workstation(4, behind_jump=True, each={1: {"port": 2222}})
    station.configure("Host h4\n    ProxyJump free@h1\n")
    box = station.hosts[0].add_container("topsrider")
    targets = ["root@h1/topsrider", "fishy@h2", "tcshy@h3", "free@h4"]
    document = station.json("deploy", packages, *targets)
    assert document["changed"] and not document["failed"] and document["msg"] == "done on 4 targets"
    for target in targets:
        assert_done(document, target)
    for host in station.hosts[1:]:
        assert_installed(station, host)
    assert_installed(station, station.hosts[0], box.root)
    assert_untouched(station, station.hosts[0])

    again = station.json("deploy", packages, *targets)
    assert not again["changed"] and not again["failed"]
    for target in again["targets"]:
        assert target["status"] == "done" and target["report"]["outcome"] == "no_change" and sent(target) == 0, target
        assert target["confirmation"] is None


def test_the_password_for_sudo_is_asked_once_for_all_targets(make_workstation, packages):
    station = make_workstation(3)
    targets = ["ops@h1", "ops@h2", "pw@h3"]
    document, seen = station.on_terminal("deploy", packages, *targets, "--same-sudo-pass",
                                         answers=[SUDO, ("Password for pw@h3:", LOGIN_PASSWORD)])
    assert seen.output.count("sudo password for") == 1 and SUDO_PASSWORD not in seen.output
    for target, host in zip(targets, station.hosts):
        assert_done(document, target)
        assert_installed(station, host)


def test_without_the_right_password_sudo_refuses_and_that_is_said(make_workstation, packages):
    station = make_workstation(2)
    unasked = station.json("deploy", packages, "ops@h1", code=[4, 6])
    assert "sudo refused" in unasked["error"]["message"] and "--ask-sudo-pass" in unasked["error"]["hint"], unasked
    wrong, seen = station.on_terminal("deploy", packages, "ops@h1", "--ask-sudo-pass", answers=[("sudo password for ops@h1:", "wrong")],
                                      code=[4, 6])
    assert "sudo refused" in wrong["error"]["message"] and "password is correct" in wrong["error"]["hint"], wrong
    unable = station.json("deploy", packages, "ops@h1", "--ask-sudo-pass", code=2)
    assert "no terminal" in unable["error"]["message"]
    both, seen = station.on_terminal("deploy", packages, "ops@h1", "free@h2", "--ask-sudo-pass",
                                     answers=[("sudo password for ops@h1:", "wrong"), ("sudo password for free@h2:", "")], code=9)
    assert statuses(both) == {"ops@h1": "failed", "free@h2": "done"}
    assert_untouched(station, station.hosts[0])
    assert_installed(station, station.hosts[1])


def test_a_dry_run_installs_nothing(make_workstation, packages):
    station = make_workstation(1)
    document = station.json("deploy", packages, "root@h1", "--dry-run")
    assert statuses(document) == {"root@h1": "planned"} and not document["changed"]
    target, = document["targets"]
    assert target["confirmation"] is None and sent(target) == 0 and target["files"]
    asked = station.fleet.client.on_terminal([station.binary, "deploy", packages, "root@h1"], [(r"Deploy to 1 target\? \[y/N\]", "n")], 300)
    assert asked.returncode == 130 and not asked.unanswered, asked.output
    assert_untouched(station, station.hosts[0])
    assert not station.hosts[0].path(DESTINATION).exists()


def test_a_dry_run_makes_on_each_target_the_plan_that_is_applied_then(make_workstation, packages):
    station = make_workstation(3)
    station.hosts[2].path("/usr/bin/python3").unlink()
    targets = ["root@h1", "free@h2", "free@h3"]
    station.json("deploy", packages, "root@h1", "--components", "eccl")
    planned = by_target(station.json("deploy", packages, *targets, "--dry-run", code=9))
    assert {name: target["status"] for name, target in planned.items()} == \
        {"root@h1": "planned", "free@h2": "planned", "free@h3": "failed"}
    assert_untouched(station, station.hosts[1])
    for target in planned.values():
        assert sent(target) == 0 and not target["report"]["changed"] and target["report"]["transaction"] is None
    for target in targets[:2]:
        assert {step["status"] for step in planned[target]["report"]["steps"]} == {"pending"}
        assert planned[target]["report"]["outcome"] == "planned"
    actions = {name: {package["name"]: package["action"] for package in planned[name]["report"]["plan"]["packages"]}
               for name in targets[:2]}
    assert (actions["root@h1"]["tops-eccl"], actions["free@h2"]["tops-eccl"]) == ("keep", "install")
    shown = station.fleet.client.run([station.binary, "deploy", packages, *targets, "--dry-run"], timeout=300).stdout
    for target in targets[:2]:
        steps = [step["description"] for step in planned[target]["report"]["plan"]["steps"]]
        own = shown[shown.index(f"steps {target}"):]
        assert steps and all(re.sub(r"\s+", " ", step)[:40] in re.sub(r"\s+", " ", own) for step in steps), shown

    applied = by_target(station.json("deploy", packages, *targets, code=9))
    for target in targets[:2]:
        assert planned[target]["report"]["plan"] == applied[target]["report"]["plan"]
        assert planned[target]["report"]["bundle"]["sha256"] == applied[target]["report"]["bundle"]["sha256"]
    assert planned["free@h3"]["error"] == applied["free@h3"]["error"]
    told = station.topsctl("deploy", packages, "free@h2", "--dry-run")
    assert re.search(r"^ *free@h2 +planned +no_change ", told.out, re.MULTILINE), told
    assert re.search(r"^ *free@h2 +tops-eccl +(\S+) +\1$", told.out, re.MULTILINE), told


def test_a_stack_file_is_sent(make_workstation, packages, repository):
    station = make_workstation(1)
    stack = json.loads((repository / "src/data/stacks/topsrider-t2x.json").read_text(encoding="utf-8")) | {"name": "our-own"}
    choice = station.fleet.home / "own.json"
    choice.write_text(json.dumps(stack), encoding="utf-8")
    planned = by_target(station.json("deploy", packages, "root@h1", "--stack", choice, "--dry-run"))["root@h1"]["report"]
    assert planned["plan"]["stack"] == "our-own"
    assert_untouched(station, station.hosts[0])
    document = station.json("deploy", packages, "root@h1", "--stack", choice)
    assert_done(document, "root@h1")
    assert by_target(document)["root@h1"]["report"]["plan"]["stack"] == "our-own"
    assert_installed(station, station.hosts[0])


def test_the_stack_file_that_was_read_is_sent_though_it_is_exchanged_meanwhile(make_workstation, packages, repository, tmp_path):
    station = make_workstation(1)
    host, = station.hosts
    stack = tmp_path / "stack.json"
    stack.write_bytes((repository / "src/data/stacks/topsrider-t2x.json").read_bytes())
    run = station.start("deploy", packages, "root@h1", "--stack", stack)
    wait_for(host.path(CACHE).exists)
    stack.write_text('{"schema": 1, "name": "of-another"}')
    document, _ = station.finished("deploy", run)
    assert by_target(document)["root@h1"]["report"]["plan"]["stack"] == "topsrider-t2x"


def test_files_that_are_sent_before_are_not_sent_by_a_deployment(make_workstation, packages):
    station = make_workstation(1)
    station.json("transfer", packages, "free@h1")
    document = station.json("deploy", packages, "free@h1")
    assert sent(document["targets"][0]) == 0
    assert missing_at(station.hosts[0].root, DESTINATION, document["targets"][0], packages) == []
    assert_installed(station, station.hosts[0])


def test_what_the_install_there_is_to_do_is_said_here(make_workstation, packages):
    station = make_workstation(1)
    host, = station.hosts
    document = station.json("deploy", packages, "root@h1", "--components", "eccl", "--confirm-timeout", "0", "--write-set", "predicted",
                            "--dest", "/srv/packages")
    target, = document["targets"]
    assert [file["name"].split("_")[0] for file in target["files"]] == ["tops-eccl"]
    assert target["report"]["outcome"] == "committed" and target["report"]["write_set"]["reason"] == "--write-set predicted"
    assert target["report"]["confirm_until"] is None and target["confirmation"] is None
    assert host.run(["dpkg", "-s", "tops-eccl"]).returncode == 0 and host.run(["dpkg", "-s", "tops-sdk"]).returncode == 1


def test_one_host_that_cannot_take_it_stops_no_other(make_workstation, packages):
    station = make_workstation(4)
    _, locked, broken, _ = station.hosts
    locked.beside(["sh", "-c", "exec 9>>/var/lib/dpkg/lock-frontend; "
                               "python3 -c 'import fcntl,time; fcntl.lockf(9, fcntl.LOCK_EX); time.sleep(900)' "
                               ">/dev/null 2>&1 </dev/null &"], check=True)
    broken.path("/usr/bin/python3").unlink()
    targets = ["root@h1", "free@h2", "free@h3", "tcshy@h4"]
    document = station.json("deploy", packages, *targets, "--lock-timeout", "1", code=9)
    assert document["failed"] and document["changed"] and "2 of 4" in document["msg"]
    assert list(statuses(document).values()) == ["done", "failed", "failed", "done"]
    told = by_target(document)
    assert told["free@h2"]["error"]["code"] == "busy" and "lock" in told["free@h2"]["error"]["message"], told["free@h2"]
    assert told["free@h3"]["error"]["code"] in ("host_unfit", "checks_failed"), told["free@h3"]
    assert told["free@h2"]["report"]["failed"] and told["free@h3"]["report"]["failed"]
    shown = station.fleet.client.run([station.binary, "deploy", packages, *targets[1:3], "--lock-timeout", "1", "--yes"], timeout=300)
    assert shown.returncode != 0 and all(f"{target}: failed: " in shown.stderr for target in targets[1:3]), shown
    assert told["free@h2"]["error"]["message"].splitlines()[0] in shown.stdout + shown.stderr, shown
    assert_untouched(station, locked)
    assert_untouched(station, broken)
    for host in (station.hosts[0], station.hosts[3]):
        assert_installed(station, host)


def test_an_install_that_fails_everywhere_gives_its_own_status(make_workstation, packages):
    station = make_workstation(2)
    for host in station.hosts:
        host.path("/usr/bin/python3").unlink()
    document = station.json("deploy", packages, "root@h1", "root@h2", code=4)
    assert list(statuses(document).values()) == ["failed", "failed"]
    assert len({target["error"]["code"] for target in document["targets"]}) == 1


def test_an_install_that_is_rolled_back_there_is_told_here(make_workstation, bundle):
    station = make_workstation(1)
    failing = bundle(python=PYTHON, faults=["postinst-fails"], only_needed=True)
    document = station.json("deploy", failing, "root@h1", code=8)
    target, = document["targets"]
    assert target["report"]["outcome"] == "rolled_back" and target["error"] is not None and document["failed"]
    assert station.hosts[0].run(["dpkg", "-s", "tops-sdk"]).returncode == 1
    assert [each["outcome"] for each in history(station, station.hosts[0].root)["transactions"]] == ["rolled_back"]


def test_canaries_go_first_and_failures_are_counted(make_workstation, packages):
    station = make_workstation(3)
    station.hosts[0].path("/usr/bin/python3").unlink()
    document = station.json("deploy", packages, "root@h1", "root@h2", "root@h3", "--canary", "1", code=[4, 9])
    assert list(statuses(document).values()) == ["failed", "not_started", "not_started"]
    document = station.json("deploy", packages, "root@h1", "root@h2", "--max-failures", "0", "--jobs", "1", code=[4, 9])
    assert list(statuses(document).values()) == ["failed", "not_started"]
    for host in station.hosts[1:]:
        assert_untouched(station, host)
    document = station.json("deploy", packages, "root@h2", "root@h1", "root@h3", "--canary", "1", "--direct", "always", code=9)
    assert statuses(document) == {"root@h2": "done", "root@h1": "failed", "root@h3": "done"}
    assert by_target(document)["root@h2"]["direct"] and by_target(document)["root@h3"]["direct"]


def test_a_host_that_is_not_reached_is_told_apart(make_workstation, packages):
    station = make_workstation(2)
    station.hosts[1].cut()
    alone = station.json("deploy", packages, "root@h2", "--connect-timeout", "2", code=6)
    assert alone["error"]["code"] == "unreachable" and alone["targets"][0]["report"] is None
    both = station.json("deploy", packages, "root@h1", "root@h2", "--connect-timeout", "2", code=9)
    assert statuses(both) == {"root@h1": "done", "root@h2": "failed"}
    station.hosts[1].stop_sshd()
    station.hosts[1].heal()
    refused = station.json("deploy", packages, "root@h2", code=6)
    assert "efused" in refused["error"]["message"]


@pytest.mark.parametrize("hindrance", ["not ours", "a link"])
def test_a_home_that_cannot_be_used_hinders_no_deployment(make_workstation, packages, hindrance):
    station = make_workstation(1)
    host, = station.hosts
    home = host.path("/home/free")
    if hindrance == "a link":
        (home / ".cache").mkdir()
        (home / ".cache" / "topsctl").symlink_to("/srv")
        os.chown(home / ".cache", home.stat().st_uid, home.stat().st_uid)
    else:
        os.chown(home, 0, 0)
    assert_done(station.json("deploy", packages, "free@h1"), "free@h1")
    assert_installed(station, host)
    assert list(host.path("/srv").iterdir()) == []


def test_what_people_read_names_each_target_once_and_what_became_of_it(make_workstation, packages, tmp_path):
    station = make_workstation(2)
    station.hosts[1].path("/tmp/topsrider_install.log").mkdir()  # its report cannot be left there
    report = tmp_path / "report.txt"
    outcome = station.topsctl("deploy", packages, "root@h1", "free@h2", "--report", report)
    assert outcome.code == 0, outcome
    for target in ("root@h1", "free@h2"):
        assert re.search(rf"^ *{target} +done +committed .* /var/log/topsctl/1\.log$", outcome.out, re.MULTILINE), outcome
    # What the targets warn of: once for all whose warning is the same.
    warned = [line.removeprefix("warning: ") for line in outcome.err.splitlines() if line.startswith("warning: ")]
    assert len([line for line in warned if line.startswith(f"all 2 targets: Python {PYTHON} is not among")]) == 1, outcome
    assert len([line for line in warned if line.startswith("free@h2: ") and ".log" in line]) == 1, outcome
    assert len([line for line in warned if line.startswith("all 2 targets: companion-version-differs")]) == 1, outcome
    assert len(warned) == 3, outcome
    assert all(line in report.read_text() for line in warned), report.read_text()
    # Confirmed it is, so nothing may say that it still has to be.
    assert "topsctl confirm" not in outcome.out + outcome.err, outcome
    shown = history(station, station.hosts[0].root, "history show 1")
    assert json.dumps(shown).count('"committed"') >= 1
