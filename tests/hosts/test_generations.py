"""What is kept for old installs, and what goes with `history prune`, on a real host; also when it is killed in the midst."""

import os
import subprocess

import pytest

from faults.tracer import build_nth
from hosts.operations import Operator

STORE = "/var/lib/topsctl/transactions"


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def install(operator, bundle, host):
    """install(components): these of one bundle."""
    made = bundle(python=host.python_minor(), only_needed=True)
    return lambda components: operator.json("install", made, "--components", components)


def undoable(operator):
    return [entry["can_be_undone"] for entry in operator.json("history")["transactions"]]


def kept(host, transaction):
    """name -> size of what is kept for a transaction; empty when its folders are gone."""
    folders = (host.path(f"{STORE}/{transaction}/{name}") for name in ("snapshot", "after"))
    return {os.fspath(path): path.lstat().st_size for folder in folders if folder.exists() for path in folder.iterdir()}


def test_pruned_installs_stay_for_good_and_the_latest_is_still_undone(operator, host, install, schema):
    install("eccl")
    install("sdk")
    before = operator.digest()
    install("topsfactor")
    assert undoable(operator) == [False, True, True]
    planned = operator.json("history", "prune", "--keep", "1", "--dry-run")
    schema(planned, "history")
    assert undoable(operator) == [False, True, True] and kept(host, 2)

    pruned = operator.json("history", "prune", "--keep", "1")
    schema(pruned, "history")
    assert [entry["id"] for entry in pruned["pruned"]] == [2] and pruned["pruned"] == planned["pruned"]
    assert pruned["pruned"][0]["bytes"] > 0 and not kept(host, 2)
    assert [entry["can_be_undone"] for entry in pruned["transactions"]] == [False, False, True]
    assert {entry["outcome"] for entry in pruned["transactions"]} == {"committed"}

    untouched = host.digest()
    refused = operator.topsctl("rollback", "2")
    assert refused.code == 4 and "cannot roll back transaction 2: its backup was removed" in refused.err, refused
    assert "hint:" in refused.err
    assert [line for line in untouched.diff(host.digest()) if "lock" not in line.lower()] == []
    undone = operator.json("rollback")
    assert undone["transaction"] == 3 and undone["rollback"]["verified"]["paths_differing"] == 0
    assert operator.changes_since(before) == []


def test_a_kill_in_the_midst_leaves_all_that_was_kept_or_says_that_it_is_gone(operator, host, install, tmp_path):
    install("eccl")
    install("sdk")
    whole = kept(host, 1)
    nth = build_nth(tmp_path)
    command = [operator.binary, "history", "prune", "--keep", "1", "--root", host.root]

    def killed_at(number):
        subprocess.run([nth, tmp_path / "out", str(number), "kill", *command], check=False, capture_output=True)
        return int((tmp_path / "out").read_text().split()[1]) == 137

    number = 1
    while undoable(operator)[0]:
        assert kept(host, 1) == whole, "something went before it was announced"
        assert killed_at(number), "it came to its end, and nothing was announced"
        number += 1
    assert number > 1 and undoable(operator) == [False, True]
    number = 1
    while kept(host, 1) == whole:
        assert killed_at(number), "it came to its end, and nothing was removed"
        number += 1
    assert kept(host, 1), "it was killed in the midst"
    again = operator.json("history", "prune", "--keep", "1")
    assert [entry["id"] for entry in again["pruned"]] == [1] and not kept(host, 1)
    assert operator.topsctl("rollback", "1").code == 4
    assert operator.json("rollback")["rollback"]["verified"]["paths_differing"] == 0
