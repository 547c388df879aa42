"""Rehearsals: what a package does is known before the host is touched, and nothing of the rehearsal stays on it."""

import glob
import os
import signal

import pytest

from hosts.operations import Operator
from hosts.test_failures import started
from support.waiting import wait_for

# Paths that stand in a script are predicted: these come about as it runs.
REACHES_OUT = """srv=/srv etc=/etc opt=/opt
mkdir -p $srv/own/sub
echo x >$srv/own/sub/file
echo y >$etc/reached
echo more >>$etc/hosts
rm -f $etc/issue.net
rm -rf $opt/gone"""
REACHED = ["/etc/hosts", "/etc/issue.net", "/etc/reached", "/opt/gone", "/opt/gone/inner", "/opt/gone/inner/file",
           "/srv/own", "/srv/own/sub", "/srv/own/sub/file"]


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def before(operator, host):
    """The host before, with what the script of REACHES_OUT takes away."""
    host.path("/opt/gone/inner").mkdir(parents=True)
    host.path("/opt/gone/inner/file").write_text("precious\n")
    return operator.digest()


def test_what_a_script_does_elsewhere_is_found_kept_and_undone(operator, with_eccl, before, schema):
    bundle = with_eccl(REACHES_OUT)
    dry = operator.json("install", bundle, "--rehearse", "--dry-run")
    schema(dry, "install")
    assert dry["outcome"] == "planned" and dry["rehearsal"]["missed_paths"] == REACHED, dry["rehearsal"]
    assert all(each["state"] for each in dry["rehearsal"]["packages"]) and not dry["changed"]
    assert dry["rehearsal"]["mounts"][0]["path"] == "/" and dry["rehearsal"]["mounts"][0]["growth_bytes"] > 0
    assert operator.changes_since(before) == []

    done = operator.json("install", bundle, "--rehearse")
    schema(done, "install")
    assert done["outcome"] == "committed" and done["rehearsal"]["missed_paths"] == REACHED
    assert done["write_set"]["known"] == "rehearsed" and done["write_set"]["reason"] == "--write-set rehearsed"
    assert operator.json("rollback")["rollback"]["verified"]["differing"] == []
    assert operator.changes_since(before) == []


def test_what_a_script_does_elsewhere_is_undone_when_it_fails_after_all(operator, with_eccl, before):
    # A view does not show topsctl's own state: only the install itself fails.
    bundle = with_eccl(f"{REACHES_OUT}\ntest ! -e /var/lib/topsctl/transactions")
    report = operator.json("install", bundle, "--rehearse", code=8)
    assert report["outcome"] == "rolled_back" and report["rollback"]["verified"]["differing"] == []
    assert operator.changes_since(before) == []


@pytest.mark.parametrize("more", [["--dry-run"], []])
def test_a_failing_script_is_found_and_the_host_is_untouched(operator, with_eccl, before, schema, more):
    bundle = with_eccl(f"{REACHES_OUT}\necho cannot go on; exit 3")
    report = operator.json("install", bundle, "--rehearse", *more, code=1)
    schema(report, "install")
    assert report["outcome"] == "failed_before_change" and report["error"]["code"] == "step_failed"
    assert "tops-eccl" in report["error"]["message"] and "--write-set predicted" in report["error"]["hint"]
    assert "rehears" in report["error"]["context"][-1], report["error"]
    assert operator.changes_since(before) == []
    assert not operator.host.path("/var/lib/topsctl/rehearsal").exists()


def test_the_machine_itself_is_out_of_reach(operator, host, with_eccl, before):
    """No service is started, no process and no device of the machine is seen, and nothing of the kernel can be set."""
    bundle = with_eccl("invoke-rc.d --quiet probe start || true\n"
                       "test ! -e /srv/started\n"
                       "test ! -e /dev/vda -a ! -e /run/outside\n"
                       "echo x >/dev/null\n"
                       "test \"$(hostname)\" = nowhere || hostname nowhere 2>/dev/null && exit 9\n"
                       "mknod /srv/null c 1 3 2>/dev/null && exit 9\n"
                       "mount -t tmpfs none /mnt 2>/dev/null && exit 9\n"
                       "true")
    script = host.path("/etc/init.d/probe")
    script.parent.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\n### BEGIN INIT INFO\n# Provides: probe\n# Default-Start: 2\n### END INIT INFO\n"
                      "touch /srv/started\n")
    script.chmod(0o755)
    host.path("/run/outside").write_text("of the machine")
    before = operator.digest()
    operator.json("install", bundle, "--rehearse", "--dry-run")
    assert operator.changes_since(before) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_rehearsal_that_is_cut_off_leaves_nothing(operator, host, with_eccl, number):
    bundle = with_eccl("touch /srv/now; echo x >/tmp/reached; while :; do sleep 1; done")
    before = operator.digest()
    process = started(operator, bundle, "--rehearse")
    wait_for(script_runs)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == (130 if number == signal.SIGINT else -number), err
    wait_for(lambda: not script_runs() and not host.running())
    assert operator.changes_since(before) == []
    recovered = operator.json("recover")
    assert recovered["outcome"] == "no_change" and operator.changes_since(before) == []
    assert not host.path("/var/lib/topsctl/rehearsal").exists()


def script_runs():
    """Whether a process has a root directory where the script has made its file: the sandbox's."""
    return any(os.path.exists(f"{root}/srv/now") for root in glob.glob("/proc/[0-9]*/root"))


def test_a_place_that_may_not_mount_is_told(topsctl_host, bundle):
    topsctl_host.copy_in(bundle(python=topsctl_host.python_minor(), only_needed=True), "/srv/bundle")
    before = topsctl_host.digest(["/var/lib/topsctl"])
    without = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all", "topsctl", "install", "/srv/bundle"]
    done = topsctl_host.run([*without, "--rehearse"])
    assert done.returncode == 4 and "namespaces" in done.stderr and "--write-set predicted" in done.stderr, done
    assert before.diff(topsctl_host.digest(["/var/lib/topsctl"])) == []
