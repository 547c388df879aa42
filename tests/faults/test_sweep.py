"""A sweep short enough for every run: each kind of fault at a few points of an install and of a rollback."""

import pytest

from faults.sweep import ACTIONS, Sweep, build_nth, spread
from faults.terminal import LEADERS, is_complete, lose_terminal

KILLS = 8
OTHERS = 1


@pytest.fixture(scope="module")
def sweep(test_root, host_place, topsctl_release, tmp_path_factory):
    made = Sweep(test_root, host_place, topsctl_release, tmp_path_factory.mktemp("sweep"))
    yield made
    made.close()


@pytest.mark.parametrize("scenario", ["install", "rollback"])
def test_whatever_strikes_the_root_is_the_old_or_the_new_one(sweep, scenario):
    whole = sweep.whole(scenario)
    assert len(whole.records) >= 2, "the states of the journal"
    points = [sweep.strike(scenario, number, action, whole)
              for action in ACTIONS for number in spread(whole.count, KILLS if action == "kill" else OTHERS)]
    assert [point for point in points if point.state == "neither"] == []
    assert {point.state for point in points} >= {"old"}


@pytest.mark.parametrize("scenario, leader", [("install", "topsctl"), ("install", "shell"), ("rollback", "topsctl")])
def test_a_lost_terminal_ends_nothing_and_the_report_can_be_fetched(sweep, schema, scenario, leader):
    whole = sweep.whole(scenario)
    count, before, after = whole.count, whole.before, whole.after
    number = spread(count, 2 + len(LEADERS))[1 + list(LEADERS).index(leader)]
    loss = lose_terminal(sweep, scenario, number, leader, before, after, schema)
    assert is_complete(loss) and loss.state == "new", loss


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
