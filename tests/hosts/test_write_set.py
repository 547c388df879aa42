"""How topsctl knows what an install changes."""

import json

import pytest

from hosts.operations import Operator

# Nothing of what it writes stands in its text as a path.
HIDDEN = """python3 -c 'import os
e, s = "/et" + "c", "/s" + "rv"
with open(e + "/hosts.allow", "a") as file: file.write("added")
os.makedirs(s + "/hidden"); open(s + "/hidden/" + str(os.getpid()), "w").close()'"""
PLAIN = "ldconfig\nmkdir -p /srv/plain\necho x >/srv/plain/file"


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    host.path("/etc/hosts.allow").write_text("before\n")
    return Operator(host, topsctl_release, run_topsctl)


OBSERVED = "each path is backed up before a program changes it"


def test_a_script_whose_text_does_not_tell_is_exact_by_default(operator, with_eccl):
    bundle, before = with_eccl(HIDDEN), operator.digest()
    dry = operator.json("install", bundle, "--dry-run")
    assert (dry["write_set"]["known"], dry["write_set"]["reason"]) == ("observed", OBSERVED)
    done = operator.json("install", bundle)
    assert done["outcome"] == "committed" and done["write_set"]["known"] == "observed" and done["escaped_paths"] == []
    assert operator.host.path("/etc/hosts.allow").read_text() == "before\nadded"
    undone = operator.json("rollback")
    assert undone["rollback"]["verified"]["paths_differing"] == 0 and operator.changes_since(before) == []
    assert undone["msg"] == "the host is as it was before transaction 1"


def dpkg_of(document):
    step, = (each for each in document["plan"]["steps"] if each["id"] == "debs")
    return step["parameters"]


def test_only_what_dpkg_unpacks_alone_is_not_observed(operator, with_eccl):
    """The text of no script tells what it writes: the postinst is run to configure, others while dpkg unpacks."""
    parameters = dpkg_of(operator.json("install", with_eccl(HIDDEN), "--dry-run"))
    assert "--unpack" in parameters["unobserved_argv"] and "--configure" in parameters["argv"]
    bundle, before = with_eccl(scripts={"preinst": HIDDEN}), operator.digest()
    done = operator.json("install", bundle)
    assert "unobserved_argv" not in dpkg_of(done) and done["escaped_paths"] == []
    assert operator.host.path("/etc/hosts.allow").read_text() == "before\nadded"
    operator.json("rollback")
    assert operator.changes_since(before) == []


def test_what_the_configuration_of_dpkg_runs_is_observed(operator, with_eccl):
    operator.host.path("/etc/dpkg/dpkg.cfg.d/own").write_text("post-invoke=echo hook >>/etc/hosts.allow; echo x >/srv/of-hook\n")
    bundle, before = with_eccl("ldconfig"), operator.digest()
    assert operator.json("install", bundle)["escaped_paths"] == []
    assert operator.host.path("/srv/of-hook").exists()
    operator.json("rollback")
    assert operator.changes_since(before) == []


def test_of_a_prediction_what_differs_is_named(operator, with_eccl):
    bundle, before = with_eccl(HIDDEN), operator.digest()
    done = operator.json("install", bundle, "--write-set", "predicted")
    assert done["write_set"]["known"] == "predicted" and "/etc/hosts.allow" in done["escaped_paths"]
    undone = operator.json("rollback")
    assert undone["outcome"] == "rolled_back_with_differences" and operator.changes_since(before) != []
    assert undone["msg"] == f"rolled back; {len(done['escaped_paths'])} paths outside the write set may differ"
    assert operator.json("history")["transactions"][0]["outcome"] == "rolled_back_with_differences"
    assert any(line.startswith("/etc/hosts.allow: ") for line in undone["not_restored"]), undone["not_restored"]


def test_services_are_warned_of_where_a_script_touches_them(operator, with_eccl):
    assert operator.json("install", with_eccl(PLAIN))["not_restored"] == []
    assert operator.json("rollback")["not_restored"] == []
    operator.json("install", with_eccl("systemctl restart docker || true"))
    services = ["services started, stopped or restarted by package scripts"]
    assert operator.json("rollback", "--dry-run")["not_restored"] == services
    assert operator.json("rollback")["not_restored"] == services


@pytest.mark.parametrize("words", [["--rehearse"], ["--write-set", "rehearsed"]], ids=" ".join)
def test_who_asks_for_a_trial_run_is_told_what_there_is_instead(words, operator, with_eccl):
    refused = operator.json("install", with_eccl(PLAIN), *words, code=2)
    assert "there are no trial runs any more; every program is observed" in refused["error"]["message"], refused


def test_mounted_file_systems_of_the_kernel_are_never_restored(topsctl_host, with_eccl):
    """sysfs changes the times of a folder by a mere look, and in a container nothing of it can be put back."""
    topsctl_host.copy_in(with_eccl("mount -o remount,bind,rw /sys; touch /sys; mount -o remount,bind,ro /sys; false", files=("/sys/",)), "/srv/bundle")
    done = topsctl_host.run(["sh", "-c", "mkdir -p /sys && mount -t sysfs none /sys && mount -o remount,bind,ro /sys && topsctl install /srv/bundle --json"])
    report = json.loads(done.stdout)
    assert done.returncode == 8 and report["outcome"] == "rolled_back" and report["rollback"]["verified"]["paths_differing"] == 0, report
