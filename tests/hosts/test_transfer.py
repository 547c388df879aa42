"""Transfers to real hosts: every way in, the choice of files, what a dry run leaves, and that nothing is sent twice."""

import os
import random

import pytest

from hosts.users import LOGIN_PASSWORD
from hosts.workstation import CACHE, CHUNK, DESTINATION, by_target, missing_at, sent, statuses

PYTHON = "3.9"
PASSWORD = ("Password( for|:)", LOGIN_PASSWORD)  # asked for by topsctl, or by the host


@pytest.fixture
def large(tmp_path):
    """A folder to be sent with --all: 40 MiB that nobody compresses, the same again, and a little in a folder below."""
    folder = tmp_path / "large"
    (folder / "below").mkdir(parents=True)
    (folder / "one.bin").write_bytes(random.Random(1).randbytes(10 * CHUNK + 5))
    (folder / "below" / "again.bin").write_bytes((folder / "one.bin").read_bytes())
    (folder / "below" / "small name, with: signs").write_text("a little")
    (folder / "empty").write_text("")
    return folder


def assert_whole(document, bundle, roots, destination=DESTINATION):
    """Each target of the document has all files, byte by byte; `roots` has the root of each by its text."""
    assert set(statuses(document).values()) == {"done"} and document["error"] is None, document
    for name, target in by_target(document).items():
        assert missing_at(roots[name], destination, target, bundle) == [], name


def assert_nothing_is_sent_again(document):
    for target in document["targets"]:
        assert target["status"] == "done" and sent(target) == 0 and target["connections"] == 0, target
        assert all(file["reused"] and file["resumed_at"] == file["size"] for file in target["files"]), target


def test_hosts_reached_in_every_way_have_the_same_files_after_one_run(make_workstation, packages):
    station = make_workstation(4, behind_jump=True, each={1: {"port": 2222}})
    one, two, three, four = station.hosts
    station.configure(f"Host h4\n    ProxyJump free@h1\nHost tail\n    HostName {two.address}\n    Port 2222\n    User tcshy\n")
    targets = ["fishy@h1", "tail", "pw@h3", "root@h4"]
    roots = dict(zip(targets, (host.root for host in station.hosts)))
    document, seen = station.on_terminal("transfer", packages, *targets, answers=[PASSWORD])
    assert seen.output.count("Password for") == 1 and LOGIN_PASSWORD not in seen.output
    assert list(by_target(document)) == targets and document["stack"] == "topsrider-t2x"
    assert_whole(document, packages, roots)
    assert all(sent(target) == sum(file["size"] for file in target["files"]) > 0 for target in document["targets"])
    assert {path.stat().st_uid for path in one.path(DESTINATION).rglob("*")} == {one.path("/home/fishy").stat().st_uid}

    again, seen = station.on_terminal("transfer", packages, *targets, answers=[PASSWORD])
    assert_nothing_is_sent_again(again)
    assert_whole(again, packages, roots)


def test_a_password_is_asked_once_for_each_user_and_host_however_many_connections(make_workstation, large):
    station = make_workstation(3)
    targets = ["pw@h1", "pw@h2", "kbd@h3"]
    document, seen = station.on_terminal("transfer", large, *targets, "--all", answers=[PASSWORD] * 3)
    for question in ("Password for pw@h1:", "Password for pw@h2:", "kbd@h3: Password:"):
        assert seen.output.count(question) == 1
    assert seen.output.count("Password") == 3
    assert all(target["connections"] >= 2 for target in document["targets"])
    assert_whole(document, large, dict(zip(targets, (host.root for host in station.hosts))))


def test_a_password_is_of_one_port_alone(make_workstation, packages):
    """Behind one address may be several hosts, or a user's own server."""
    station = make_workstation(1, each={0: {"sshd_config": "Port 2222"}})
    document, seen = station.on_terminal("transfer", packages, "pw@h1", "pw@h1:2222", "-j", "1", "--accept-new", answers=[PASSWORD] * 2)
    assert set(statuses(document).values()) == {"done"}
    assert seen.output.count("Password for pw@h1:2222:") == 1 and seen.output.count("Password for pw@h1") == 2, seen.output


def test_a_wrong_password_is_asked_for_again_and_not_for_ever(make_workstation, packages):
    station = make_workstation(1)
    document, seen = station.on_terminal("transfer", packages, "pw@h1",
                                         answers=[("Password for", "wrong"), PASSWORD])
    assert statuses(document) == {"pw@h1": "done"}
    document, seen = station.on_terminal("transfer", packages, "kbd@h1", "--dest", "/tmp/kbd",
                                         answers=[("kbd@h1: Password:", "wrong")] * 3, code=6)
    assert seen.output.count("Password:") == 3 and "cannot log in" in document["error"]["message"]
    unasked = station.json("transfer", packages, "pw@h1", code=6)
    assert "cannot log in" in unasked["error"]["message"] and "terminal" in unasked["error"]["hint"]


def test_a_jump_host_is_named_on_the_command_line_and_an_agent_has_the_key(make_workstation, packages):
    station = make_workstation(3, behind_jump=True, each={0: {"port": 2200}})
    first, _, last = station.hosts
    unreached = station.json("transfer", packages, "ops@h3", "--connect-timeout", "2", code=6)
    assert unreached["error"]["code"] == "unreachable"
    with station.fleet.agent() as environment:
        refused = station.json("transfer", packages, "ops@h3", "-J", f"tcshy@{first.address}:2200", code=6)
        assert "cannot log in" in refused["error"]["message"]
        document = station.json("transfer", packages, "ops@h3", "-J", f"tcshy@{first.address}:2200", env=environment)
        assert_whole(document, packages, {"ops@h3": last.root})
    again = station.json("transfer", packages, "ops@h3", "--jump", "fishy@h1")
    assert_nothing_is_sent_again(again)
    assert not first.path(DESTINATION).exists()


def test_an_identity_and_a_configuration_are_named_on_the_command_line(make_workstation, packages, tmp_path):
    station = make_workstation(1)
    key = station.fleet.home / ".ssh" / "id_ed25519"
    other = key.rename(tmp_path / "key")
    assert station.json("transfer", packages, "free@h1", code=6)["error"]["code"] == "unreachable"
    assert_whole(station.json("transfer", packages, "free@h1", "-i", other), packages, {"free@h1": station.hosts[0].root})
    config = tmp_path / "config"
    config.write_text(f"Include {tmp_path}/included\nHost *\n    IdentityFile {other}\n")
    (tmp_path / "included").write_text(f"Host here\n    HostName {station.hosts[0].address}\n    User free\n")
    assert_nothing_is_sent_again(station.json("transfer", packages, "here", "-F", config))


def test_targets_come_from_a_file_with_containers_and_comments(make_workstation, packages, fleet_root, tmp_path):
    if not (fleet_root / "usr/bin/podman").exists():
        pytest.skip("the release of the hosts has no podman")
    station = make_workstation(2)
    box = station.hosts[0].add_container("topsrider")
    file = tmp_path / "hosts.txt"
    file.write_text("# all of them\n\nroot@h1/topsrider  # a container\n   free@h2\nfree@h2\n")
    roots = {"root@h1/topsrider": box.root, "free@h2": station.hosts[1].root}
    document = station.json("transfer", packages, "--hosts", file)
    assert list(by_target(document)) == list(roots)
    assert_whole(document, packages, roots)
    assert not station.hosts[0].path(DESTINATION).exists()
    again = station.json("transfer", packages, "root@h1", "root@h2/none", "--container", "topsrider", "--hosts", file, code=9)
    assert statuses(again) == {"root@h1/topsrider": "done", "root@h2/none": "failed", "free@h2/topsrider": "failed"}
    assert sent(again["targets"][0]) == 0
    box.stop()
    for target in ("root@h1/topsrider", "root@h1/another", "free@h1/topsrider"):
        refused = station.json("transfer", packages, target, code=6)
        assert "no running container" in refused["error"]["message"], refused
    file.write_text("free@h2\nno such: target\n")
    wrong = station.json("transfer", packages, "--hosts", file, code=2)
    assert "line 2" in str(wrong["error"])


def test_this_machine_is_a_target_too(make_workstation, packages):
    station = make_workstation(1)
    place = station.fleet.home / "received"
    document = station.json("transfer", packages, "local:", "root@h1", "--dest", place)
    assert_whole(document, packages, {"local:": "/", "root@h1": station.hosts[0].root}, str(place))
    assert_nothing_is_sent_again(station.json("transfer", packages, "local:", "root@h1", "--dest", place))


def test_every_file_is_sent_with_all_and_the_same_content_once(make_workstation, large):
    station = make_workstation(1)
    root = {"root@h1": station.hosts[0].root}
    document = station.json("transfer", large, "root@h1", "--all", "--dest", "/srv/deep/below")
    assert_whole(document, large, root, "/srv/deep/below")
    target, = document["targets"]
    assert {file["name"] for file in target["files"]} == \
        {"one.bin", "below/again.bin", "below/small name, with: signs", "empty"}
    assert document["stack"] is None and target["connections"] >= 2
    elsewhere = station.json("transfer", large, "root@h1", "--all", "--dest", "/srv/elsewhere")
    assert_nothing_is_sent_again(elsewhere)
    assert_whole(elsewhere, large, root, "/srv/elsewhere")
    os.rename(large / "one.bin", large / "renamed.bin")
    renamed = station.json("transfer", large, "root@h1", "--all")
    assert_nothing_is_sent_again(renamed)
    assert_whole(renamed, large, root)


def test_a_changed_file_takes_the_place_of_the_one_before_and_only_it_is_sent(make_workstation, large):
    station = make_workstation(1)
    station.json("transfer", large, "root@h1", "--all")
    (large / "below" / "again.bin").write_bytes(random.Random(2).randbytes(3 * CHUNK))
    document = station.json("transfer", large, "root@h1", "--all")
    assert_whole(document, large, {"root@h1": station.hosts[0].root})
    assert {file["name"]: file["sent_bytes"] for file in document["targets"][0]["files"] if file["sent_bytes"]} == \
        {"below/again.bin": 3 * CHUNK}


def test_connections_and_rate_are_limited(make_workstation, large):
    station = make_workstation(2)
    document = station.json("transfer", large, "root@h1", "free@h2", "--all", "--connections", "1", "--limit-rate", "20M")
    assert_whole(document, large, {"root@h1": station.hosts[0].root, "free@h2": station.hosts[1].root})
    assert [target["connections"] for target in document["targets"]] == [1, 1]
    # 80 MiB to both together, so that one of them must have taken most of 4 seconds.
    assert max(target["duration_ms"] for target in document["targets"]) > 3500


def test_components_are_chosen(make_workstation, packages):
    station = make_workstation(1)
    document = station.json("transfer", packages, "root@h1", "--components", "eccl,sdk")
    assert sorted(file["name"].split("_")[0] for file in document["targets"][0]["files"]) == ["tops-eccl", "tops-sdk"]
    assert station.json("transfer", packages, "root@h1", "--stack", "unknown", code=3)["targets"] == []
    assert station.json("transfer", packages, "root@h1", "--dest", "relative", code=2)["targets"] == []


def test_only_what_the_lock_says_is_sent(make_workstation, packages, bundle, tmp_path):
    station = make_workstation(1)
    right, wrong = tmp_path / "right.json", tmp_path / "wrong.json"
    assert station.topsctl("inspect", packages, "--lock", right).code == 0
    assert station.topsctl("inspect", bundle(python=PYTHON, only_needed=True, personality="s60"), "--lock", wrong).code == 0
    refused = station.json("transfer", packages, "root@h1", "--lock", wrong, code=3)
    assert refused["targets"] == [] and not station.hosts[0].path(DESTINATION).exists()
    assert not station.hosts[0].path(CACHE).exists()
    document = station.json("transfer", packages, "root@h1", "--lock", right)
    assert_whole(document, packages, {"root@h1": station.hosts[0].root})
    assert all(len(file["sha256"]) == 64 for file in document["targets"][0]["files"])
    assert_nothing_is_sent_again(station.json("transfer", packages, "root@h1", "--lock", right))


def test_a_damaged_package_stops_it_before_anything_is_sent(make_workstation, bundle):
    station = make_workstation(1)
    damaged = bundle(python=PYTHON, faults=["truncated-deb"])
    refused = station.json("transfer", damaged, "root@h1", code=3)
    assert refused["targets"] == [] and not station.hosts[0].path(CACHE).exists()


def test_a_dry_run_sends_and_makes_nothing_but_topsctl_itself(make_workstation, packages):
    station = make_workstation(2)
    root = station.hosts[0]
    document = station.json("transfer", packages, "root@h1", "--dry-run", "--dest", "/srv/made/by")
    assert statuses(document) == {"root@h1": "planned"}
    document = station.json("transfer", packages, "root@h1", "free@h2", "--dry-run")
    assert statuses(document) == {"root@h1": "planned", "free@h2": "planned"}
    assert all(sent(target) == 0 and target["files"] for target in document["targets"])
    assert not any(file["reused"] for target in document["targets"] for file in target["files"])
    files = [str(path.relative_to(root.path(CACHE))) for path in root.path(CACHE).rglob("*")
             if path.is_file()]
    assert all(name.startswith("bin/") for name in files), files
    assert sorted(name.rpartition("/")[2] for name in files) == ["topsctl", "topsctl.seen"]
    assert not root.path(DESTINATION).exists() and not root.path("/srv/made").exists()
    station.json("transfer", packages, "root@h1")
    planned = station.json("transfer", packages, "root@h1", "free@h2", "-n")
    assert {name: {file["reused"] for file in target["files"]} for name, target in by_target(planned).items()} == \
        {"root@h1": {True}, "free@h2": {False}}


def test_a_target_that_fails_ends_no_other_but_canaries_and_limits_do(make_workstation, packages):
    station = make_workstation(3, each={1: {"known": False}})
    good = {"root@h1": station.hosts[0].root, "root@h3": station.hosts[2].root}
    document = station.json("transfer", packages, "root@h1", "root@h2", "root@h3", code=9)
    assert statuses(document) == {"root@h1": "done", "root@h2": "failed", "root@h3": "done"}
    assert by_target(document)["root@h2"]["error"]["code"] == "unreachable"
    for name, root in good.items():
        assert missing_at(root, DESTINATION, by_target(document)[name], packages) == []
    canary = station.json("transfer", packages, "root@h2", "root@h1", "root@h3", "--canary", "1", code=[6, 9])
    assert statuses(canary) == {"root@h2": "failed", "root@h1": "not_started", "root@h3": "not_started"}
    limited = station.json("transfer", packages, "root@h2", "root@h1", "--max-failures", "0", "-j", "1", code=[6, 9])
    assert statuses(limited) == {"root@h2": "failed", "root@h1": "not_started"}
    calm = station.json("transfer", packages, "root@h1", "root@h2", "root@h3", "--canary", "1", "-j", "1",
                        "--max-failures", "1", code=9)
    assert statuses(calm) == {"root@h1": "done", "root@h2": "failed", "root@h3": "done"}


def test_noise_at_log_in_does_no_harm(make_workstation, packages):
    station = make_workstation(1)
    host, = station.hosts
    noise = "echo welcome; echo; echo topsctl-; printf 'no new line'\n"
    for user, files in {"root": [".bashrc", ".profile", ".bash_profile"], "fishy": [".config/fish/config.fish"],
                        "tcshy": [".tcshrc", ".login"]}.items():
        home = host.path("/root" if user == "root" else f"/home/{user}")
        for name in files:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(noise)
    for user in ("root", "fishy", "tcshy"):
        place = f"/tmp/of-{user}"
        document = station.json("transfer", packages, f"{user}@h1", "--dest", place)
        assert_whole(document, packages, {f"{user}@h1": host.root}, place)
