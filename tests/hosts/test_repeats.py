"""The same install once more: what changes nothing is no generation, and pushes none out."""

import pytest

from hosts.crafted import without_md5sums
from hosts.operations import OLD_STACK, PROFILE, PREDICTED, Operator

CONFFILE = "/etc/tops-sdk/sdk.conf"
LIBRARY = "/usr/lib/libdtu_sdk.so"


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl, PREDICTED)


@pytest.fixture
def newer(bundle, host, tmp_path):
    return without_md5sums(bundle(python=host.python_minor(), only_needed=True), "tops-sdk", tmp_path)


@pytest.fixture
def upgraded(operator, bundle, host, newer):
    """repeat(*options) -> the report of the upgrade's install once more; the upgrade is transaction 2."""
    old = bundle(python=host.python_minor(), only_needed=True, generation="2.4.87")
    assert operator.json("install", old, "--stack", OLD_STACK)["outcome"] == "committed"
    assert operator.json("install", newer)["outcome"] == "committed"
    return lambda *options: operator.json("install", newer, *options)


def outcomes(operator):
    return [entry["outcome"] for entry in operator.json("history")["transactions"]]


def test_repeats_change_nothing_and_the_upgrade_is_undone(operator, host, upgraded, schema):
    before = operator.digest()
    report = upgraded()
    schema(report, "install")
    assert report["outcome"] == "no_change" and report["plan"]["steps"] == [] and report["transaction"] is None, report["plan"]["packages"]
    for _ in range(2):
        report = upgraded("--reinstall")
        schema(report, "install")
        assert report["outcome"] == "no_change" and not report["changed"] and not report["failed"], report
        assert {package["action"] for package in report["plan"]["packages"]} == {"reinstall"}
        assert operator.changes_since(before) == [], "times too: the undo of the upgrade goes by them"
    history = operator.json("history")
    schema(history, "history")
    assert [(entry["outcome"], entry["can_be_undone"]) for entry in history["transactions"]] == \
        [("committed", True), ("committed", True), ("no_change", False), ("no_change", False)]
    shown = operator.json("history", "show", "3")["reports"]
    assert [(report["outcome"], report["rebuilt"]) for report in shown] == [("no_change", False)]
    assert "2.5.136-1" in operator.dpkg_states()["tops-sdk"]
    undone = operator.json("rollback")
    assert undone["transaction"] == 2 and undone["rollback"]["verified"]["paths_differing"] == 0
    assert "2.4.87-1" in operator.dpkg_states()["tops-sdk"]


@pytest.mark.whole
def test_local_edits_are_one_generation_at_most(operator, host, upgraded):
    kept = host.path(CONFFILE).read_text() + "# edited\n"
    host.path(CONFFILE).write_text(kept)
    assert upgraded("--reinstall")["outcome"] == "no_change", "dpkg keeps edits of configuration files"
    assert host.path(CONFFILE).read_text() == kept
    assert outcomes(operator) == ["committed", "committed", "no_change"]

    right = {path: host.path(path).read_bytes() for path in (PROFILE, LIBRARY)}
    for path, content in right.items():
        host.path(path).write_bytes(content[:-1] + b" ")
    assert upgraded()["outcome"] == "committed", "they are put back"
    assert {path: host.path(path).read_bytes() for path in right} == right
    for _ in range(2):
        assert upgraded()["outcome"] == "no_change"
    assert outcomes(operator) == ["committed", "committed", "no_change", "committed"]
    assert operator.json("rollback", "2", "--force")["transaction"] == 2
    assert "2.4.87-1" in operator.dpkg_states()["tops-sdk"]
