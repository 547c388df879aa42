"""Installs on a real host: dpkg, pip, the environment, history, and the way back."""

import json
import os

import pytest

from hosts.operations import OLD_STACK, PACKAGES, PROFILE, Operator

EARLIER_PROFILE = "# written by somebody before\nexport EARLIER='yes'\n"


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def fitting(bundle, host):
    """fitting(**arguments) -> a bundle with a wheel for the host's Python."""
    minor = host.python_minor()
    return lambda **arguments: bundle(python=minor, only_needed=True, **arguments)


def test_install_works_and_rollback_brings_the_very_host_back(operator, host, fitting, schema):
    host.path(PROFILE).write_text(EARLIER_PROFILE)
    before = operator.digest()

    report = operator.json("install", fitting())
    schema(report, "install")
    assert report["outcome"] == "committed" and report["changed"] and not report["failed"]
    assert {name: state.rsplit(" ", 1)[0] for name, state in operator.dpkg_states().items()} == \
        dict.fromkeys(PACKAGES, "install ok installed")
    imported = operator.imports_torch_gcu()
    assert imported.returncode == 0 and "2.5.136" in imported.stdout, imported.stderr
    for shell in ("sh", "bash"):
        seen = host.login_shell("echo $ECCL_MAX_NCHANNELS $ECCL_ROOT $EARLIER", shell=shell)
        assert seen.stdout.split() == ["2", "/usr"], seen

    history = operator.json("history")
    schema(history, "history")
    assert [entry["outcome"] for entry in history["transactions"]] == ["committed"]
    verified = operator.json("verify", "--level", "import")
    schema(verified, "verify")
    assert {check["status"] for check in verified["checks"]} == {"pass"}
    environment = operator.json("env")
    schema(environment, "env")
    assert environment["file_state"] == "right"

    undone = operator.json("rollback")
    schema(undone, "rollback")
    assert undone["outcome"] == "rolled_back" and undone["rollback"]["verified"]["paths_differing"] == 0
    assert operator.dpkg_states() == {}
    assert operator.imports_torch_gcu().returncode != 0
    assert host.path(PROFILE).read_text() == EARLIER_PROFILE
    assert operator.changes_since(before) == []
    assert [entry["outcome"] for entry in operator.json("history")["transactions"]] == ["rolled_back"]
    assert operator.json("verify", code=5)["status"] == "problems"


def test_the_static_binary_does_the_same_from_inside_the_host(topsctl_host, fitting, topsctl_release, run_topsctl):
    operator = Operator(topsctl_host, topsctl_release, run_topsctl)
    topsctl_host.copy_in(fitting(), "/srv/bundle")
    before = operator.digest()
    installed = topsctl_host.run(["topsctl", "install", "/srv/bundle"], timeout=600)
    assert installed.returncode == 0, installed.stderr
    assert set(operator.dpkg_states()) == set(PACKAGES)
    undone = topsctl_host.run(["topsctl", "rollback"], timeout=600)
    assert undone.returncode == 0, undone.stderr
    assert operator.changes_since(before) == []


def test_an_upgrade_is_undone_to_the_older_generation(operator, host, fitting):
    old = operator.json("install", fitting(generation="2.4.87"), "--stack", OLD_STACK)
    assert old["outcome"] == "committed"
    conffile = host.path("/etc/tops-sdk/sdk.conf")
    conffile.write_text(conffile.read_text() + "# a local edit\n")
    before = operator.digest()

    upgrade = operator.json("install", fitting())
    assert {package["name"]: (package["before"], package["after"]) for package in upgrade["packages"]}["tops-eccl"] == \
        ("2.4.87-1", "2.5.136-1")
    assert {package["action"] for package in upgrade["plan"]["packages"]} == {"upgrade"}
    assert "# a local edit" in conffile.read_text()

    undone = operator.json("rollback")
    assert undone["rollback"]["verified"]["differing"] == []
    assert operator.changes_since(before) == []
    assert operator.imports_torch_gcu().stdout.strip().endswith("2.4.87")


def test_a_second_install_finds_nothing_to_do(operator, fitting):
    operator.json("install", fitting())
    again = operator.json("install", fitting())
    assert again["outcome"] == "no_change" and not again["changed"]
    assert len(operator.json("history")["transactions"]) == 1


def test_a_dry_run_changes_nothing_and_prints_the_plan_that_is_executed(operator, host, fitting, schema):
    before = host.digest()
    planned = operator.json("install", fitting(), "--dry-run")
    schema(planned, "install")
    assert planned["outcome"] == "planned" and planned["plan"]["steps"]
    assert before.diff(host.digest()) == []
    executed = operator.json("install", fitting())
    assert executed["plan"] == planned["plan"]
    assert [step["id"] for step in executed["steps"]] == [step["id"] for step in planned["plan"]["steps"]]

    before = host.digest()
    planned = operator.json("rollback", "--dry-run")
    assert before.diff(host.digest()) == []
    assert operator.json("rollback")["plan"] == planned["plan"]


def test_chosen_components_alone_are_installed(operator, fitting):
    report = operator.json("install", fitting(), "--components", "sdk,eccl")
    assert [package["component"] for package in report["plan"]["packages"]] == ["eccl", "sdk"]
    assert set(operator.dpkg_states()) == {"tops-eccl", "tops-sdk"}


def test_the_other_personality_of_the_wheel_installs_too(operator, fitting):
    assert operator.json("install", fitting(personality="s60"))["outcome"] == "committed"


def test_the_report_is_the_same_wherever_it_is_left(operator, host, fitting, tmp_path):
    host.path("/tmp/topsrider_install_report.json").symlink_to("/etc/passwd")
    foreign = host.path("/tmp/topsrider_install_report.txt")
    foreign.write_text("somebody else's")
    os.chown(foreign, 1000, 1000)
    kept_open = foreign.open()
    passwd = host.path("/etc/passwd").read_text()

    report = operator.json("install", fitting(), "--report", tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text()) == report
    assert operator.report_left_in_tmp() == report
    assert not host.path("/tmp/topsrider_install_report.json").is_symlink()
    assert host.path("/etc/passwd").read_text() == passwd
    with kept_open:
        assert kept_open.read() == "somebody else's"
    assert foreign.stat().st_uid == 0 and "committed" in foreign.read_text()
    assert "step 3 of 9" in host.path("/tmp/topsrider_install.log").read_text()
