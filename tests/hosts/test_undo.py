"""Undoing installs on real hosts that others have changed since, and what was changed beside the write set."""

import contextlib
import os
import signal
from pathlib import Path

import pytest

from hosts.crafted import build, change
from hosts.operations import LOCKS, NOT_COMPARED, OLD_STACK, PACKAGES, PREDICTED, Operator

# What differs however the same packages came to be there: times, and what dpkg and ldconfig note of their own runs.
NOT_THE_SAME_TWICE = ("mtime_ns", "nlink")
NOTES_OF_RUNS = tuple(f"~ {path}:" for path in (
    "/var/lib/dpkg/status", "/var/lib/dpkg/status-old", "/var/lib/dpkg/diversions-old", "/var/cache/ldconfig/aux-cache",
    "/etc/ld.so.cache"))


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl, PREDICTED)


@pytest.fixture
def fitting(bundle, host):
    """fitting(**arguments) -> a bundle with a wheel for the host's Python."""
    minor = host.python_minor()
    return lambda **arguments: bundle(python=minor, only_needed=True, **arguments)


@pytest.fixture
def later(tmp_path):
    """later(host): somebody installs a package with a conffile, a diversion, a trigger and a file of its script's."""
    tree, package = tmp_path / "later", tmp_path / "later.deb"
    control = tree / "DEBIAN"
    control.mkdir(parents=True)
    (control / "control").write_text("Package: later\nVersion: 1\nArchitecture: amd64\nMaintainer: a <a@example.com>\n"
                                     "Description: test double\n")
    (control / "conffiles").write_text("/etc/later.conf\n")
    (control / "triggers").write_text("interest-noawait /opt/later-trigger\n")
    (control / "preinst").write_text(
        "#!/bin/sh\nset -e\ndpkg-divert --package later --rename --divert /usr/bin/yes.real --add /usr/bin/yes\n")
    (control / "preinst").chmod(0o755)
    change(tree, "", "echo made > /usr/lib/later/made", ["/etc/later.conf", "/usr/bin/yes", "/usr/lib/later/x"])
    build(tree, package)

    def install(host):
        host.copy_in(package, "/srv/later.deb")
        host.run(["dpkg", "-i", "/srv/later.deb"], check=True)
        host.path("/srv/later.deb").unlink()

    return install


def test_packages_that_others_installed_since_stay(operator, host, make_host, fitting, later, schema):
    operator.json("install", fitting())
    later(host)
    report = operator.json("rollback")
    schema(report, "rollback")
    assert report["rollback"]["verified"]["paths_differing"] == 0
    assert any("/var/lib/dpkg/status" in warning for warning in report["warnings"]), report["warnings"]
    assert operator.dpkg_states() == {}
    assert host.run(["dpkg", "--audit"], check=True).stdout == ""
    assert host.run(["dpkg", "--verify", "later"], check=True).stdout == ""

    only_later = make_host()
    later(only_later)
    versions = ["dpkg-query", "-W", "-f", "${Package} ${Status} ${Version} ${Conffiles}\n"]
    assert host.run(versions, check=True).stdout == only_later.run(versions, check=True).stdout
    found = only_later.digest(NOT_COMPARED).diff(host.digest(NOT_COMPARED), NOT_THE_SAME_TWICE)
    assert [line for line in found if not line.startswith((*LOCKS, *NOTES_OF_RUNS))] == []
    host.run(["dpkg", "--purge", "later"], check=True)


def test_a_package_of_the_stack_that_was_changed_since_is_not_undone_unasked(operator, host, fitting):
    operator.json("install", fitting())
    host.run(["dpkg", "--remove", "--force-depends", "topsfactor"], check=True)
    refused = operator.topsctl("rollback")
    assert refused.code == 4 and "package topsfactor" in refused.err and "--force" in refused.err, refused
    assert operator.json("rollback", "--force")["outcome"] == "rolled_back"
    assert operator.dpkg_states() == {}
    assert host.run(["dpkg", "--audit"], check=True).stdout == ""


def test_a_file_that_was_changed_since_is_not_restored_unasked(operator, host, fitting):
    operator.json("install", fitting())
    header = host.path("/usr/include/eccl/eccl.h")
    header.write_text("// changed since\n")
    refused = operator.topsctl("rollback")
    assert refused.code == 4 and "/usr/include/eccl/eccl.h" in refused.err and "--force" in refused.err, refused
    assert header.exists()
    assert operator.json("rollback", "--force")["outcome"] == "rolled_back"
    assert not header.exists()


def test_several_transactions_are_undone_at_once(operator, host, fitting, later):
    before = operator.digest()
    operator.json("install", fitting(generation="2.4.87"), "--stack", OLD_STACK)
    operator.json("install", fitting())
    planned = operator.json("rollback", "1", "--dry-run")
    assert [step["description"] for step in planned["plan"]["steps"]] == [
        "roll back to the state before transaction 2", "roll back to the state before transaction 1"]
    undone = operator.topsctl("rollback", "1")
    assert undone.code == 0, undone
    for turn in (1, 2):
        assert f"step {turn} of 2: roll back to the state before transaction {3 - turn}" in undone.err, undone
    assert not operator.dpkg_states() and operator.imports_torch_gcu().returncode != 0
    assert operator.changes_since(before) == []
    assert [entry["outcome"] for entry in operator.json("history")["transactions"]] == ["rolled_back"] * 2


def test_what_a_script_writes_elsewhere_is_told(operator, host, with_eccl):
    host.path("/srv/state").write_text("1\n")
    host.path("/srv/named").write_text("1\n")
    bundle = with_eccl("s=/srv o=/opt; echo 2 >> $s/state; mkdir -p $o/elsewhere; echo x > $o/elsewhere/x; "
                       "echo 2 >> /srv/named; useradd tops")
    report = operator.json("install", bundle)
    assert sorted(report["escaped_paths"]) == ["/opt/elsewhere", "/opt/elsewhere/x", "/srv/state"]
    assert any(warning.startswith("3 paths outside the write set") for warning in report["warnings"])
    undone = operator.json("rollback")
    assert "/srv/state: changed by transaction 1, but not backed up" in undone["not_restored"]
    assert "tops" not in host.path("/etc/passwd").read_text(), "users are in the write set"
    assert host.path("/srv/named").read_text() == "1\n", "what scripts name is in the write set"
    failing = with_eccl("s=/srv; echo 3 >> $s/state; exit 1")
    failed = operator.json("install", failing, code=8)
    assert failed["escaped_paths"] == ["/srv/state"], failed["error"]["message"]


def test_byte_code_goes_back_with_its_sources(operator, host, fitting):
    """Python writes that of a new version over the old one, and would run it where time and size of the source are the same."""
    use = ["python3", "-c", "import torch_gcu, torch_gcu.distributed"]
    operator.json("install", fitting(generation="2.4.87"), "--stack", OLD_STACK)
    host.run(use, check=True)
    before = operator.digest()
    assert list(host.root.glob("usr/**/torch_gcu/__pycache__/__init__.*.pyc"))
    operator.json("install", fitting())
    host.run(use, check=True)
    assert operator.json("rollback")["outcome"] == "rolled_back"
    different = before.diff(operator.digest(), ("mtime_ns",))  # the folders were changed since the install
    assert [line for line in different if not line.startswith(LOCKS)] == []


DAEMON = "#!/bin/sh\ntrap '' HUP\nwhile :; do sleep 0.1; done\n"
STUBBORN = "#!/bin/sh\ntrap '' HUP TERM\nwhile :; do sleep 0.1; done\n"
# A script, a program, and one of another package, which goes on.
START = """cp /usr/bin/sleep /opt/tops/sleep
for each in /opt/tops/topsd "/opt/tops/sleep 600" "/usr/bin/sleep 543.21"; do
  setsid $each </dev/null >/dev/null 2>&1 &
done
sleep 0.1"""


def running(host):
    """What runs in the host's root directory: a list of argument vectors."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(folder / "root") == os.fspath(host.root):
                found.append((int(folder.name), (folder / "cmdline").read_bytes().decode().split("\0")[:-1]))
    return found


@pytest.mark.parametrize("daemon", [DAEMON, STUBBORN])
@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.sampled(3)
def test_daemons_are_stopped_and_no_script_is_run_before_their_package_goes(operator, host, with_eccl, daemon, fails):
    dump = "d=$(echo /var/backups/dump); mkdir -p $d; date > $d/of-prerm"
    bundle = with_eccl(START + ("; false" if fails else ""), scripts={"prerm": dump, "postrm": dump},
                       executables={"/etc/init.d/topsd": "#!/bin/sh\n", "/opt/tops/topsd": daemon})
    before = operator.digest()
    try:
        assert operator.json("install", bundle, code=8 if fails else 0)["outcome"] == ("rolled_back" if fails else "committed")
        if not fails:
            assert len([argv for _, argv in running(host) if any(word.startswith("/opt/tops/") for word in argv)]) == 2
            assert operator.json("rollback")["outcome"] == "rolled_back"
        left = [argv for _, argv in running(host)]
        assert [argv for argv in left if any(word.startswith("/opt/tops/") for word in argv)] == []
        assert ["/usr/bin/sleep", "543.21"] in left
        assert [line for line in operator.changes_since(before) if not line.startswith("~ /run:")] == []
    finally:
        for pid, _ in running(host):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("fails", [False, True])
def test_what_stays_in_run_and_log_is_said(operator, host, with_eccl, fails):
    """A folder of a user who goes with the rollback: nobody owns it any more."""
    bundle = with_eccl("useradd tops; mkdir -p /var/log/tops/deep /run/tops; chown -R tops /var/log/tops; echo x > /var/log/tops/deep/x" +
                       ("; false" if fails else ""))
    report = operator.json("install", bundle, code=8 if fails else 0)
    if not fails:
        host.path("/run/tops").rmdir()
        report = operator.json("rollback")
    said = [line.partition(":")[0] for line in report["not_restored"] if "is backed up" in line]
    assert said == (["/run/tops", "/var/log/tops"] if fails else ["/var/log/tops"]), report["not_restored"]
    assert "tops:" not in host.path("/etc/passwd").read_text()
