"""Whom topsctl trusts: keys of hosts that changed, are revoked or unknown, and what a terminal answers about them."""

import pytest

from hosts.workstation import CACHE, DESTINATION, missing_at, statuses

QUESTION = r"Trust this host key\? \(yes, no, or the fingerprint\)"
OTHER = "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"


def assert_nothing_was_sent(station, document, words):
    """The run was refused, nobody logged in, and what is known of hosts is as it was."""
    error = document["targets"][0]["error"]
    assert error["code"] == "unreachable" and words in error["message"], document
    for host in station.hosts:
        assert "Accepted" not in host.sshd_log(), host.sshd_log()
        assert not host.path(CACHE).exists() and not host.path(DESTINATION).exists()


def assert_sent(station, document, packages, host=0):
    target = document["targets"][-1]
    assert target["status"] == "done" and missing_at(station.hosts[host].root, DESTINATION, target, packages) == []


def test_a_changed_key_is_refused_whatever_is_asked_for(make_workstation, packages):
    station = make_workstation(2, each={1: {"port": 2222}})
    for host in station.hosts:
        host.change_key()
    before = station.known_hosts.read_bytes()
    for name in ("root@h1", "root@h2"):
        for options in ([], ["--accept-new"]):
            for checking in ("", "StrictHostKeyChecking no\n", "StrictHostKeyChecking accept-new\n"):
                config = station.fleet.home / "config"
                config.write_text(checking + (station.fleet.home / ".ssh" / "config").read_text())
                refused = station.json("transfer", packages, name, "-F", config, *options, code=6)
                assert_nothing_was_sent(station, refused, "differs from the one in")
                assert station.hosts[name == "root@h2"].fingerprint in refused["error"]["message"]
                assert "ssh-keygen" in refused["error"]["hint"]
    refused, seen = station.on_terminal("transfer", packages, "root@h1", code=6)
    assert "yes, no" not in seen.output
    assert_nothing_was_sent(station, refused, "differs from the one in")
    assert station.known_hosts.read_bytes() == before


@pytest.mark.parametrize("is_hashed", [False, True])
@pytest.mark.parametrize("place", ["user", "second user file", "wildcard"])
def test_a_revoked_key_is_refused_whatever_is_asked_for(make_workstation, packages, is_hashed, place):
    if is_hashed and place == "wildcard":
        pytest.skip("a pattern cannot be hashed")
    station = make_workstation(2, known=False, each={1: {"port": 2222}})
    lines = [f"@revoked {'*' if place == 'wildcard' else host.known_hosts_name} {host.public_key}\n" for host in station.hosts]
    file = station.known_hosts
    if place == "second user file":
        file = station.fleet.home / ".ssh" / "known_hosts2"
        station.configure(f"UserKnownHostsFile {station.known_hosts} {file}\n")
    if is_hashed:
        plain = station.fleet.home / "plain"
        plain.write_text("".join(line.partition(" ")[2] for line in lines))
        station.fleet.client.run(["ssh-keygen", "-q", "-H", "-f", plain], check=True)
        lines = [f"@revoked {line}\n" for line in plain.read_text().splitlines()]
        assert all("|1|" in line for line in lines)
    file.write_text("".join(lines))
    before = {path: path.read_bytes() for path in (file, station.known_hosts)}
    for name in ("root@h1", "root@h2"):
        for options in ([], ["--accept-new"]):
            refused = station.json("transfer", packages, name, *options, code=6)
            assert_nothing_was_sent(station, refused, "is revoked")
    refused, seen = station.on_terminal("transfer", packages, "root@h1", code=6)
    assert "yes, no" not in seen.output
    assert_nothing_was_sent(station, refused, "is revoked")
    assert {path: path.read_bytes() for path in before} == before


def test_a_key_that_is_revoked_after_it_was_known_is_refused(make_workstation, packages):
    station = make_workstation(1)
    host, = station.hosts
    with open(station.known_hosts, "a", encoding="ascii") as file:
        file.write(f"@revoked * {host.public_key}\n")
    assert_nothing_was_sent(station, station.json("transfer", packages, "root@h1", "--accept-new", code=6), "is revoked")


def test_the_name_that_was_given_is_looked_up_as_ssh_does(make_workstation, packages):
    """A key that is revoked, or known, under an address counts also for an alias of that address."""
    station = make_workstation(1, known=False)
    host, = station.hosts
    station.known_hosts.write_text(f"@revoked {host.address} {host.public_key}\n")
    station.configure(f"Host other\n    HostName {host.address}\n    User root\n")
    for name in ("other", f"root@{host.address}"):
        refused = station.json("transfer", packages, name, "--accept-new", code=6)
        assert_nothing_was_sent(station, refused, "is revoked")


def test_an_unknown_key_is_refused_without_a_terminal(make_workstation, packages):
    station = make_workstation(1, known=False)
    refused = station.json("transfer", packages, "root@h1", code=6)
    assert_nothing_was_sent(station, refused, "is unknown")
    assert station.hosts[0].fingerprint in refused["error"]["message"] and "--accept-new" in refused["error"]["hint"]
    assert station.known_hosts.read_text() == ""


@pytest.mark.parametrize("answer, words", [("no", "was not accepted"), ("", "was not accepted"), ("y", "was not accepted"),
                                           (OTHER, "does not match the fingerprint entered")])
def test_at_a_terminal_an_unknown_key_is_refused_by(make_workstation, packages, answer, words):
    station = make_workstation(1, known=False)
    refused, seen = station.on_terminal("transfer", packages, "root@h1", answers=[(QUESTION, answer)], code=6)
    assert station.hosts[0].fingerprint in seen.output
    assert_nothing_was_sent(station, refused, words)
    assert station.known_hosts.read_text() == ""


@pytest.mark.parametrize("answer", ["yes", "the fingerprint"])
def test_at_a_terminal_an_unknown_key_is_accepted_by(make_workstation, packages, answer):
    station = make_workstation(1, known=False, port=2222)
    host, = station.hosts
    reply = host.fingerprint if answer == "the fingerprint" else answer
    document, seen = station.on_terminal("transfer", packages, "root@h1", answers=[(QUESTION, reply)])
    assert seen.output.count("yes, no") == 1
    assert_sent(station, document, packages)
    assert f"[{host.address}]:2222 {host.public_key}" in station.known_hosts.read_text()
    assert statuses(station.json("transfer", packages, "root@h1")) == {"root@h1": "done"}
    assert station.fleet.client.run(["ssh", "-o", "BatchMode=yes", "root@h1", "true"]).returncode == 0


def test_accept_new_writes_each_key_down_once(make_workstation, packages):
    station = make_workstation(3, known=False, behind_jump=True)
    document = station.json("transfer", packages, "root@h1", "root@h2", "--accept-new", "-j", "2")
    assert_sent(station, document, packages, 1)
    lines = station.known_hosts.read_text().splitlines()
    assert sorted(lines) == [f"{host.address} {host.public_key}" for host in station.hosts[:2]]
    # By way of the jump host the key of the last one is asked for as well.
    assert_sent_none = station.json("transfer", packages, "root@h3", "-J", "root@h1", code=6)
    assert "is unknown" in assert_sent_none["error"]["message"]
    document = station.json("transfer", packages, "root@h3", "-J", "root@h1", "--accept-new")
    assert_sent(station, document, packages, 2)
    assert len(station.known_hosts.read_text().splitlines()) == 3
    station.hosts[2].change_key()
    refused = station.json("transfer", packages, "root@h3", "-J", "root@h1", "--accept-new", code=6)
    assert "differs from the one in" in refused["error"]["message"]


@pytest.mark.parametrize("checking, is_accepted", [("yes", False), ("ask", False), ("accept-new", True), ("no", True)])
def test_ssh_config_says_what_becomes_of_unknown_keys(make_workstation, packages, checking, is_accepted):
    station = make_workstation(1, known=False)
    station.configure(f"Host h1\n    StrictHostKeyChecking {checking}\n")
    document = station.json("transfer", packages, "root@h1", code=0 if is_accepted else 6)
    if is_accepted:
        assert_sent(station, document, packages)
        assert station.hosts[0].public_key in station.known_hosts.read_text()
    else:
        assert_nothing_was_sent(station, document, "is unknown")
    if checking == "yes":  # not even at a terminal
        refused, seen = station.on_terminal("transfer", packages, "root@h1", code=6)
        assert "yes, no" not in seen.output
        assert_nothing_was_sent(station, refused, "is unknown")


def test_keys_are_kept_in_the_file_that_ssh_config_names(make_workstation, packages):
    station = make_workstation(1, known=False)
    other = station.fleet.home / "hosts-of-mine"
    station.configure(f"UserKnownHostsFile {other}\n")
    assert_sent(station, station.json("transfer", packages, "root@h1", "--accept-new"), packages)
    assert station.hosts[0].public_key in other.read_text() and station.known_hosts.read_text() == ""


def test_a_hashed_name_is_known(make_workstation, packages):
    station = make_workstation(2, each={1: {"port": 2222}})
    station.fleet.client.run(["ssh-keygen", "-q", "-H", "-f", station.known_hosts], check=True)
    assert "10.77" not in station.known_hosts.read_text()
    document = station.json("transfer", packages, "root@h1", "root@h2")
    assert statuses(document) == {"root@h1": "done", "root@h2": "done"}
    station.hosts[1].change_key()
    refused = station.json("transfer", packages, "root@h2", "--accept-new", code=6)
    assert "differs from the one in" in refused["error"]["message"]
