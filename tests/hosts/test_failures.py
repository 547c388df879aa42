"""Installs that fail, are interrupted or are killed: the host is as before, and the report says what happened."""

import signal
import subprocess
import time

import pytest

from hosts.operations import PACKAGES, Operator
from support.waiting import wait_for


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def fitting(bundle, host):
    minor = host.python_minor()
    return lambda *faults: bundle(python=minor, only_needed=True, faults=faults)


@pytest.mark.parametrize("fault, step, words", [
    ("postinst-fails", "debs", "tops-sdk"),
    ("preinst-fails", "debs", "topsfactor"),
    ("script-in-the-way", "wheel-torch_gcu", "torch_gcu_info"),
    ("import-fails", "checks", "torch-gcu-import"),
    ("stub-libeccl", "checks", "eccl-library"),
])
@pytest.mark.sampled(2)
def test_a_failure_is_rolled_back_and_the_report_names_the_step(operator, fitting, schema, fault, step, words):
    faults = [fault]
    if fault == "script-in-the-way":  # of a file that no package of the bundle has
        (operator.host.root / "usr/local/bin/torch_gcu_info").mkdir(parents=True)
        faults = []
    before = operator.digest()
    options = {"stub-libeccl": ["--accept", "library-missing"]}  # without this it is refused before
    report = operator.json("install", fitting(*faults), *options.get(fault, []), code=8)
    schema(report, "install")
    assert report["outcome"] == "rolled_back" and report["status"] == "rolled_back"
    assert report["failed"] and not report["changed"]
    assert [each["id"] for each in report["steps"] if each["status"] == "failed"] == [step]
    assert words in report["error"]["message"], report["error"]
    assert report["error"]["context"][0].startswith("step ")
    assert report["rollback"]["verified"]["paths_differing"] == 0
    assert operator.changes_since(before) == []
    # What is printed names the root that was given here; the report lies in that root.
    if report["error"]["hint"]:
        report["error"]["hint"] = report["error"]["hint"].replace(f" --root {operator.host.root}", "")
    assert operator.report_left_in_tmp() == report
    assert operator.json("history")["transactions"][0]["outcome"] == "rolled_back"
    told = operator.json("history", "--lang", "zh")["transactions"][0]["reason"]
    assert "步" in told and "step" not in told.partition(":")[0], told


@pytest.mark.parametrize("fault, words", [
    ("truncated-deb", "truncated"),
    ("wheel-no-zip", "not a zip archive"),
    ("wheel-bad-record", "RECORD"),
    ("wheel-bad-entry-point", "entry_points.txt"),
    ("wheel-not-installable", "torch_gcu"),
    ("missing-eccl", "eccl"),
])
def test_a_bad_bundle_is_refused_before_any_change(operator, host, fitting, schema, fault, words):
    before = host.digest()
    report = operator.json("install", fitting(fault), "--dry-run", code=3)
    schema(report, "install")
    assert words in report["error"]["message"] and report["error"]["hint"], report["error"]
    assert operator.topsctl("install", fitting(fault)).code == 3
    assert [line for line in before.diff(host.digest()) if "topsctl" not in line and "/var/l" not in line] == []


@pytest.mark.parametrize("known", ["observed", "predicted"])
def test_what_a_failed_install_made_in_a_folder_of_its_package_goes(operator, host, with_eccl, known):
    """Where programs are observed, by who made it; elsewhere by its time, and a user's file is the user's."""
    host.path("/usr/share/own-folder").mkdir()
    before = operator.digest()
    script = "ln -s nowhere /usr/share/own-folder/made-$$; cd /usr/share; touch own-folder/of-user; chown 1000 own-folder/of-user; exit 1"
    failed = operator.json("install", with_eccl(script, files=["/usr/share/own-folder/brought"]), "--write-set", known, code=8)
    users = ["/usr/share/own-folder/of-user"] if known == "predicted" else []
    assert failed["outcome"] == "rolled_back" and failed["kept_of_others"] == users, failed["kept_of_others"]
    assert [path.name for path in host.path("/usr/share/own-folder").iterdir()] == ["of-user"] * len(users)
    assert users or operator.changes_since(before) == []


def started(operator, bundle, *more):
    command = [operator.binary, "install", bundle, *operator.install, *more, "--root", operator.host.root, "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def is_changing_packages(operator):
    return any(operator.host.path("/var/lib/dpkg/info").glob("tops-*.list"))


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_in_a_rollback(operator, fitting, number, code):
    before = operator.digest()
    process = started(operator, fitting())
    wait_for(lambda: is_changing_packages(operator))
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    assert operator.changes_since(before) == []
    assert operator.report_left_in_tmp()["outcome"] == "rolled_back"


def killed_while_changing(operator, bundle):
    process = started(operator, bundle)
    wait_for(lambda: is_changing_packages(operator))
    process.kill()
    process.communicate(timeout=120)
    # What topsctl ran is ended with it: dpkg, its scripts, pip.
    wait_for(lambda: not operator.host.running())


def test_after_a_kill_everything_warns_and_recover_restores(operator, fitting, schema):
    before = operator.digest()
    killed_while_changing(operator, fitting())
    assert operator.changes_since(before) != []
    assert "topsctl recover" in operator.json("history")["warnings"][0]
    for argv in (["install", fitting(), "--dry-run"], ["repair", fitting(), "--dry-run"], ["rollback", "--dry-run"]):
        refused = operator.topsctl(*argv)
        assert refused.code == 4 and "transaction 1 is unfinished" in refused.err and "topsctl recover" in refused.err, refused
    recovered = operator.json("recover")
    schema(recovered, "recover")
    assert recovered["outcome"] == "rolled_back" and recovered["changed"]
    assert operator.json("history")["transactions"][0]["reason"] == "it was interrupted before it finished"
    assert operator.changes_since(before) == []
    assert operator.json("recover")["outcome"] == "no_change"


def test_after_a_kill_no_trigger_of_a_package_for_several_architectures_stays(operator, host, with_eccl):
    before = operator.digest()
    process = started(operator, with_eccl("sleep 20", fields="Multi-Arch: same\n", scripts={"triggers": "interest-noawait /usr/share/own-folder\n"}))
    wait_for(lambda: "tops-eccl:amd64" in host.path("/var/lib/dpkg/triggers/File").read_text())
    process.kill()
    process.communicate(timeout=120)
    wait_for(lambda: not host.running())
    recovered = operator.json("recover")
    assert recovered["outcome"] == "rolled_back" and recovered["kept_of_others"] == [], recovered
    assert operator.changes_since(before) == []


def test_after_a_kill_what_stays_in_run_and_log_is_said(operator, host, with_eccl):
    process = started(operator, with_eccl("mkdir -p /var/log/tops /run/tops; sleep 20"))
    wait_for(lambda: host.path("/run/tops").exists())
    process.kill()
    process.communicate(timeout=120)
    wait_for(lambda: not host.running())
    sign, = host.path("/var/lib/topsctl").rglob("alive")
    wait_for(lambda: time.time() - sign.stat().st_mtime > 0.6)  # later signs are late ones
    host.path("/run/of-others").mkdir()
    report = operator.json("recover")
    said = [line.partition(":")[0] for line in report["not_restored"] if "is backed up" in line]
    assert said == ["/run/tops", "/var/log/tops"], report["not_restored"]


def test_after_a_kill_the_next_install_restores_first(operator, fitting):
    before = operator.digest()
    killed_while_changing(operator, fitting())
    report = operator.json("install", fitting())
    assert report["outcome"] == "committed" and "interrupted" in report["warnings"][0]
    assert set(operator.dpkg_states()) == set(PACKAGES)
    operator.json("rollback")
    assert operator.changes_since(before) == []
