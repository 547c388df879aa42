"""A sweep short enough for every run: each kind of fault at a few points of an install and of a rollback."""

import json
import subprocess

import pytest

from faults.old_host import ACCEPTED
from faults.sweep import ACTIONS, spread
from faults.terminal import LEADERS, is_complete, lose_terminal
from faults.tracer import CARRY_OUT, FAIL, SYNCFS, build_nth, watched
from hosts.operations import LOCKS, NOT_COMPARED, Operator
from support.compiled import compiled

KILLS = 4
OTHERS = 1


@pytest.mark.parametrize("scenario", ["install", "rollback"])
def test_whatever_strikes_the_root_is_the_old_or_the_new_one(sweep, scenario):
    whole = sweep.whole(scenario)
    assert len(whole.records) >= 2, "the states of the journal"
    points = [sweep.strike(scenario, number, action, whole)
              for action in ACTIONS for number in spread(whole.count, KILLS if action == "kill" else OTHERS)]
    # When everything is kept, and nothing but what keeping does has been done.
    points.append(sweep.strike(scenario, whole.records[1], "kill", whole))
    assert [point for point in points if point.state == "neither"] == []
    assert {point.state for point in points} >= {"old"}


@pytest.mark.whole
@pytest.mark.parametrize("place", ["4.15", "5.4 docker"])
def test_kills_are_undone_where_the_users_are(sweep, place, monkeypatch):
    monkeypatch.setattr(sweep, "within", [compiled("older_kernel", "-static"), *place.split()])
    whole = sweep.whole("install")
    points = [sweep.strike("install", number, "kill", whole) for number in spread(whole.count, KILLS)]
    assert [point for point in points if point.state == "neither"] == [] and {point.state for point in points} >= {"old"}


def test_an_error_strikes_at_files_and_not_at_the_pipe_of_a_here_document(tmp_path):
    script = f"cat <<'END' >{tmp_path}/made\ntext\nEND"
    done = subprocess.run([build_nth(tmp_path), tmp_path / "out", "1", ACTIONS["ENOSPC"], "sh", "-c", script], check=False,
                          capture_output=True, text=True)
    assert done.returncode != 0 and "No space left" in done.stderr, "the shell says nothing of a pipe that fails"


@pytest.mark.parametrize("scenario, leader", [("install", "topsctl"), ("install", "shell"), ("rollback", "topsctl")])
@pytest.mark.sampled(3)
def test_a_lost_terminal_ends_nothing_and_the_report_can_be_fetched(sweep, schema, scenario, leader):
    whole = sweep.whole(scenario)
    count, before, after = whole.count, whole.before, whole.after
    number = spread(count, 2 + len(LEADERS))[1 + list(LEADERS).index(leader)]
    loss = lose_terminal(sweep, scenario, number, leader, before, after, schema)
    assert is_complete(loss) and loss.state == "new", loss


def test_a_repeat_that_changes_nothing_changes_nothing_when_it_is_struck_either(sweep):
    host = sweep.new_host("rollback")
    try:
        operator = Operator(host, sweep.binary, sweep.topsctl)
        repeat = ("install", sweep.repeated, *ACCEPTED)
        before = operator.digest()
        for _ in range(2):
            assert operator.json(*repeat)["outcome"] == "no_change"
            assert operator.changes_since(before) == []
        count, code, _ = sweep.run("repeat", host, 0, "kill")
        assert code == 0
        for number in spread(count, KILLS):
            assert sweep.run("repeat", host, number, "kill")[1] == 137
            operator.json("recover")
            assert operator.changes_since(before) == [], number
        entries = [(entry["outcome"], entry["can_be_undone"]) for entry in operator.json("history")["transactions"]]
        assert entries[:2] == [("committed", True)] * 2 and not any(undoable for _, undoable in entries[2:]), entries
        undone = operator.json("rollback")
        assert undone["transaction"] == 2 and undone["rollback"]["verified"]["paths_differing"] == 0
    finally:
        host.remove()


def test_a_write_that_failed_while_the_checks_ran_fails_the_commit(sweep):
    """The kernel tells of it once: to the sync beside the checks, whose thread is not the first. The commit's own hears nothing."""
    struck = []

    def answer(_, call, is_first):
        if call == SYNCFS and not is_first and not struck:
            struck.append(call)
            return FAIL
        return CARRY_OUT

    whole = sweep.whole("install")
    host = sweep.new_host("install")
    try:
        code = watched(sweep.nth, sweep.scratch, sweep.command("install", host), answer)
        report = json.loads((sweep.scratch / "said").read_text())
        assert struck and code == 8, report
        assert [step["id"] for step in report["steps"] if step["status"] == "failed"] == ["commit"]
        assert "sync the file system" in report["error"]["message"], report["error"]
        assert [line for line in whole.before.diff(host.digest(NOT_COMPARED)) if not line.startswith(LOCKS)] == []
    finally:
        host.remove()


def test_a_recovery_that_is_killed_again_and_again_comes_to_an_end(sweep):
    whole = sweep.whole("install")
    calls = sweep.calls_of_recovery("install", whole)
    point = sweep.strike("install", whole.records[2] + 1, "kill", whole, spread(calls, 4)[1:])
    assert point.state == "old", point


def test_points_are_spread_over_all_calls():
    assert spread(10, 3) == [1, 4, 7]
    assert spread(3, 10) == [1, 2, 3]
    assert spread(0, 10) == []


def test_the_tracer_strikes_at_the_call_it_is_told(tmp_path):
    import subprocess
    nth = build_nth(tmp_path)
    script = "mkdir d; (echo > d/a); (cp d/a d/b); exit 3"

    def struck(number, action):
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)
        subprocess.run([nth, tmp_path / "out", str(number), action, "sh", "-c", script], cwd=tmp_path, check=False,
                       stderr=subprocess.DEVNULL)
        return (tmp_path / "out").read_text().split()[:2], sorted(path.name for path in tmp_path.glob("d/*"))

    (count, code), made = struck(0, "kill")
    assert code == "3" and made == ["a", "b"]
    assert struck(1, "kill") == (["1", "137"], [])
    assert struck(2, "kill") == (["2", "137"], [])
    assert struck(3, "kill")[1] == ["a"]
    assert struck(int(count) + 1, "kill")[0] == [count, "3"]
    assert struck(1, "error:28")[1] == []
