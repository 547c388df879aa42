"""Signed locks and stack files: what a host takes, what it refuses, and what a deployment makes of them."""

import json
import os
import subprocess

import pytest

from hosts.operations import OLD_STACK
from hosts.workstation import DESTINATION, by_target

TRUSTED = "/etc/topsctl/trusted.d"
POLICY = "/etc/topsctl/config.json"


class Signing:
    """Keys and signed files of somebody who releases bundles."""

    def __init__(self, home, run_topsctl, binary):
        self.home = home
        self._run = run_topsctl
        self._binary = binary

    def key(self, name, kind="ed25519"):
        file = self.home / name
        if not file.exists():
            subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", f"{name}@lab", "-f", file], check=True)
        return file

    def id(self, name):
        told = subprocess.run(["ssh-keygen", "-l", "-f", self.key(name)], capture_output=True, text=True, check=True)
        return told.stdout.split()[1]

    def topsctl(self, *argv, code=0, **options):
        outcome = self._run(["lock", *argv], binary=self._binary, **options)
        assert outcome.code == code, outcome
        return outcome

    def lock(self, bundle, name, key="release", created_at=None):
        """A lock of the bundle, signed unless key is None."""
        file = self.home / name
        self.topsctl(bundle, "--output", file)
        if created_at:
            file.write_text(json.dumps({**json.loads(file.read_text()), "created_at": created_at}, indent=2))
        if key:
            self.topsctl(file, "--sign", self.key(key))
        return file


@pytest.fixture
def signing(tmp_path, run_topsctl, topsctl_release):
    home = tmp_path / "signing"
    home.mkdir()
    return Signing(home, run_topsctl, topsctl_release)


@pytest.fixture
def fitting(bundle, host):
    return bundle(python=host.python_minor(), only_needed=True)


def trust(host, signing, *names):
    for name in names:
        host.copy_in(f"{signing.key(name)}.pub", f"{TRUSTED}/{name}.pub")


def put(host, file):
    """The lock or stack file with its signature, at the same place of every test."""
    host.copy_in(file, "/srv/approved.json")
    signature = file.with_name(f"{file.name}.sig")
    if signature.exists():
        host.copy_in(signature, "/srv/approved.json.sig")
    else:
        host.path("/srv/approved.json.sig").unlink(missing_ok=True)


def install(host, *argv, code=0, schema=None):
    done = host.run(["topsctl", "install", "/srv/bundle", *argv, "--json"], timeout=600)
    assert done.returncode == code, done
    document = json.loads(done.stdout)
    if schema:
        schema(document, "install")
    return document


def refused(host, words, *argv, code=3):
    """The error, of an install by the lock that changed nothing."""
    before = host.digest(["/run/*"])
    document = install(host, "--lock", "/srv/approved.json", *argv, code=code)
    assert document["outcome"] is None and document["error"]["hint"], document
    for word in words:
        assert word in document["error"]["message"], document["error"]
    assert [line for line in before.diff(host.digest(["/run/*"])) if "/var/lib" not in line] == []
    return document["error"]


def test_a_signed_lock_is_verified_and_its_key_is_in_the_report(topsctl_host, fitting, signing, schema):
    topsctl_host.copy_in(fitting, "/srv/bundle")
    lock = signing.lock(fitting, "approved")
    put(topsctl_host, lock)
    error = refused(topsctl_host, [signing.id("release"), "untrusted"])
    assert TRUSTED in error["hint"]
    trust(topsctl_host, signing, "other", "release")
    document = install(topsctl_host, "--lock", "/srv/approved.json", schema=schema)
    assert document["outcome"] == "committed"
    told, = document["inputs"]
    assert told["signed_by"] == {"key": signing.id("release"), "comment": "release@lab"} and told["kind"] == "lock", told
    again = topsctl_host.run(["topsctl", "install", "/srv/bundle", "--lock", "/srv/approved.json"], timeout=600)
    assert f"lock:  /srv/approved.json, signed by {signing.id('release')} release@lab" in again.stdout, again
    shown = topsctl_host.run(["topsctl", "history", "show", "1", "--json"])
    assert signing.id("release") in shown.stdout, shown


def test_what_does_not_fit_is_refused(topsctl_host, fitting, signing):
    topsctl_host.copy_in(fitting, "/srv/bundle")
    trust(topsctl_host, signing, "release")
    lock = signing.lock(fitting, "approved")
    for damaged in (lock, lock.with_name("approved.sig")):
        whole = damaged.read_bytes()
        for place in (0, len(whole) // 2, len(whole) - 3):
            damaged.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:])
            put(topsctl_host, lock)
            refused(topsctl_host, ["signature"])
        damaged.write_bytes(whole)
    armored = subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", "file", "-f", signing.key("release")],
                             input=lock.read_bytes(), capture_output=True, check=True).stdout
    lock.with_name("approved.sig").write_bytes(armored)
    put(topsctl_host, lock)
    refused(topsctl_host, ["'file'", "topsctl-lock"])
    told = signing.topsctl(lock, "--sign", signing.key("rsa", "rsa"), code=2)
    assert "ssh-rsa" in told.err and "hint:" in told.err


def test_keys_that_others_may_change_are_not_believed(topsctl_host, fitting, signing):
    topsctl_host.copy_in(fitting, "/srv/bundle")
    trust(topsctl_host, signing, "release")
    put(topsctl_host, signing.lock(fitting, "approved"))
    for path, mode, right in ((f"{TRUSTED}/release.pub", 0o666, 0o644), (TRUSTED, 0o777, 0o755), (TRUSTED, 0o1777, 0o755),
                              ("/etc/topsctl", 0o775, 0o755)):
        topsctl_host.path(path).chmod(mode)
        assert "chmod go-w" in refused(topsctl_host, [path], code=4)["hint"]
        topsctl_host.path(path).chmod(right)
    os.chown(topsctl_host.path(f"{TRUSTED}/release.pub"), 1000, 1000)
    refused(topsctl_host, ["uid 1000"], code=4)
    os.chown(topsctl_host.path(f"{TRUSTED}/release.pub"), 0, 0)
    topsctl_host.path(f"{TRUSTED}/bad.pub").write_text("ssh-rsa AAAA somebody\n")
    refused(topsctl_host, ["line 1", "bad.pub"], code=4)
    topsctl_host.path(f"{TRUSTED}/bad.pub").unlink()
    assert install(topsctl_host, "--lock", "/srv/approved.json", "--dry-run")["outcome"] == "planned"


def test_a_host_may_demand_signatures(topsctl_host, fitting, signing):
    topsctl_host.copy_in(fitting, "/srv/bundle")
    trust(topsctl_host, signing, "release")
    put(topsctl_host, signing.lock(fitting, "unsigned", key=None))
    assert install(topsctl_host, "--lock", "/srv/approved.json", "--dry-run")["inputs"][0]["signed_by"] is None
    policy = topsctl_host.path(POLICY)
    policy.write_text('{"require-signature": true}')
    refused(topsctl_host, ["not signed", POLICY])
    for argv in ([], ["--dry-run"], ["--accept", "device-file"]):
        error = install(topsctl_host, *argv, code=3)["error"]
        assert POLICY in error["message"] and "--sign" in error["hint"], error
    put(topsctl_host, signing.lock(fitting, "signed"))
    assert install(topsctl_host, "--lock", "/srv/approved.json", "--dry-run")["outcome"] == "planned"
    policy.write_text('{"require_signature": true}')
    refused(topsctl_host, ["require_signature"], code=4)
    policy.write_text('{"require-signature": false}')
    policy.chmod(0o666)
    refused(topsctl_host, [POLICY], code=4)


def test_an_older_lock_of_the_same_key_is_a_replay(topsctl_host, fitting, signing):
    topsctl_host.copy_in(fitting, "/srv/bundle")
    trust(topsctl_host, signing, "release", "other")
    old = signing.lock(fitting, "old", created_at="2026-01-01T00:00:00Z")
    new = signing.lock(fitting, "new", created_at="2026-02-01T00:00:00Z")
    put(topsctl_host, new)
    assert install(topsctl_host, "--lock", "/srv/approved.json")["outcome"] == "committed"
    assert install(topsctl_host, "--lock", "/srv/approved.json")["outcome"] == "no_change"
    put(topsctl_host, old)
    for argv in ([], ["--dry-run"]):
        error = refused(topsctl_host, ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", signing.id("release"), "transaction 1"], *argv)
        assert "--allow-older-lock" in error["hint"]
    assert install(topsctl_host, "--lock", "/srv/approved.json", "--allow-older-lock")["outcome"] == "no_change"
    put(topsctl_host, signing.lock(fitting, "of-another", key="other", created_at="2026-01-01T00:00:00Z"))
    assert install(topsctl_host, "--lock", "/srv/approved.json")["outcome"] == "no_change"
    assert topsctl_host.run(["topsctl", "rollback"], timeout=600).returncode == 0
    put(topsctl_host, old)
    refused(topsctl_host, ["transaction 1"])
    put(topsctl_host, new)
    assert install(topsctl_host, "--lock", "/srv/approved.json")["outcome"] == "committed"


def test_a_stack_file_is_signed_alike(topsctl_host, bundle, signing):
    topsctl_host.copy_in(bundle(generation="2.4.87", python=topsctl_host.python_minor(), only_needed=True), "/srv/bundle")
    stack = signing.home / "stack.json"
    stack.write_bytes(OLD_STACK.read_bytes())
    signing.topsctl(stack, "--sign", signing.key("release"))
    put(topsctl_host, stack)
    chosen = ["--stack", "/srv/approved.json", "--dry-run"]
    assert signing.id("release") in install(topsctl_host, *chosen, code=3)["error"]["message"]
    trust(topsctl_host, signing, "release")
    told, = install(topsctl_host, *chosen)["inputs"]
    assert told["kind"] == "stack" and told["signed_by"]["key"] == signing.id("release"), told
    topsctl_host.path("/srv/approved.json").write_bytes(stack.read_bytes() + b"\n")
    assert "changed" in install(topsctl_host, *chosen, code=3)["error"]["message"]
    assert topsctl_host.run(["topsctl", "verify", "--stack", "/srv/approved.json"]).returncode == 3
    signature = topsctl_host.path("/srv/approved.json.sig")
    signature.unlink()
    assert install(topsctl_host, *chosen)["inputs"][0]["signed_by"] is None
    lock = signing.lock(topsctl_host.path("/srv/bundle"), "lock")
    for name in ("lock", "lock.sig"):
        topsctl_host.copy_in(signing.home / name, f"/srv/{name}")
    topsctl_host.path(POLICY).write_text('{"require-signature": true}')
    error = install(topsctl_host, *chosen, "--lock", "/srv/lock", code=3)["error"]
    assert "stack" in error["message"] and "not signed" in error["message"] and lock.exists(), error


def test_a_passphrase_is_asked_for_at_the_terminal(make_workstation, packages, signing):
    station = make_workstation(1)
    key = signing.home / "guarded"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "a phrase", "-f", key], check=True)
    lock = signing.home / "lock"
    seen = station.fleet.client.on_terminal([station.binary, "lock", packages, "--output", lock, "--sign", key],
                                            [("Enter passphrase", "a phrase")])
    assert seen.returncode == 0 and not seen.unanswered, seen
    checked = subprocess.run(["ssh-keygen", "-Y", "check-novalidate", "-n", "topsctl-lock", "-s", f"{lock}.sig"],
                             stdin=lock.open("rb"), capture_output=True, check=False)
    assert checked.returncode == 0, checked


@pytest.fixture
def trusting(tmp_path):
    """trusting(station, signing, *names) -> the words before a command of a workstation that trusts these keys."""
    def make(station, signing, *names):
        etc = tmp_path / "etc"
        folder = etc / "topsctl" / "trusted.d"
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            (folder / f"{name}.pub").write_text(signing.key(name).with_suffix(".pub").read_text())
        (etc / "passwd").write_text(station.fleet.client.accounts.read_text())
        return ["unshare", "--mount", "sh", "-c", 'mount -t overlay over -o lowerdir="$0":/etc /etc && exec "$@"', etc]
    return make


def swap_before_sudo(host, evil, inside):
    """Whoever owns the folder exchanges a file of it after it was sent, before the install reads it."""
    host.copy_in(evil, "/srv/evil").chmod(0o644)
    sudo = host.path("/usr/bin/sudo")
    sudo.rename(sudo.with_name("sudo.real"))
    sudo.write_text(f'#!/bin/sh\ncase " $* " in *" install "*) cp --remove-destination /srv/evil {inside} || exit 99;; esac\nexec /usr/bin/sudo.real "$@"\n')
    sudo.chmod(0o755)


def test_a_deployment_installs_what_it_read_and_nothing_else(make_workstation, packages, tmp_path):
    station = make_workstation(1)
    host, = station.hosts
    # A package as sound and as large, whose first member has another time.
    sent, = packages.rglob("tops-eccl_*.deb")
    magic, member = b"!<arch>\n", b"debian-binary   "
    content = sent.read_bytes()
    assert content.startswith(magic + member)
    evil = tmp_path / sent.name
    begin = len(magic + member)
    evil.write_bytes(content[:begin] + b"1".ljust(12) + content[begin + 12:])
    assert evil.stat().st_size == len(content) and evil.read_bytes() != content
    swap_before_sudo(host, evil, f"{DESTINATION}/{evil.name}")
    document = station.json("deploy", packages, "free@h1", code=3)
    told, = document["targets"]
    assert told["error"]["code"] == "bad_package" and "does not match the lock" in told["error"]["message"], told
    assert told["report"]["outcome"] is None and "tops-" not in host.path("/var/lib/dpkg/status").read_text()
    # By the bytes that were read, once nobody exchanges them any more.
    host.path("/usr/bin/sudo.real").rename(host.path("/usr/bin/sudo"))
    report = station.json("deploy", packages, "free@h1")["targets"][0]["report"]
    assert report["outcome"] == "committed" and report["inputs"][0]["signed_by"] is None, report


@pytest.mark.whole
def test_a_signed_lock_is_verified_by_the_targets_too(make_workstation, packages, signing, trusting):
    station = make_workstation(3)
    lock = signing.lock(packages, "approved")
    for host in station.hosts[:2]:
        trust(host, signing, "release")
    station.hosts[1].path(POLICY).write_text('{"require-signature": true}')
    unknown = station.json("deploy", packages, "free@h1", "--lock", lock, code=3)
    assert signing.id("release") in unknown["error"]["message"] and unknown["targets"] == []
    prefix = trusting(station, signing, "release")
    document = station.json("deploy", packages, "free@h1", "root@h2", "free@h3", "--lock", lock, prefix=prefix, code=9)
    assert document["inputs"][0]["signed_by"]["key"] == signing.id("release")
    told = by_target(document)
    for target in ("free@h1", "root@h2"):
        assert told[target]["report"]["outcome"] == "committed", told[target]
        assert told[target]["report"]["inputs"][0]["signed_by"] == {"key": signing.id("release"), "comment": "release@lab"}
    assert told["free@h3"]["error"]["code"] == "bad_package" and signing.id("release") in told["free@h3"]["error"]["message"]
    unsigned = station.json("deploy", packages, "root@h2", code=3)
    assert POLICY in unsigned["targets"][0]["error"]["message"], unsigned
