# topsctl launch --detach: a run that goes on without the program that has started it, and topsctl runs, which finds it.

import json
import os
import subprocess
import time

from support.waiting import wait_for

from .test_launch import IDLE, job, processes_with, runs  # noqa: F401  (job is a fixture)


def test_a_detached_run_is_found_followed_stopped_and_repeated(job, tmp_path, topsctl_release, schema):
    word = f"detached-{os.getpid()}"
    environment = os.environ | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "LANG": "C.UTF-8"}
    begun = job(IDLE, "--detach", "--json", arguments=[word], ranks=2)
    out, err = begun.communicate(timeout=60)
    assert begun.returncode == 0, out + err
    report = json.loads(out)
    schema(report, "launch")
    name = report["run"]
    wait_for(lambda: len(processes_with("of-" + word)) == 2)
    listed = json.loads(runs(topsctl_release, environment, tmp_path, "--json").stdout)
    schema(listed, "runs")
    mine = [run for run in listed["runs"] if run["run"] == name]
    assert [(run["state"], run["words"]) for run in mine] == [("running", ["train.py", word])]
    assert "rank 1 waits" in runs(topsctl_release, environment, tmp_path, "logs", name, "--rank", "1").stdout
    shown = runs(topsctl_release, environment, tmp_path, "show", name, "--json")
    schema(json.loads(shown.stdout), "runs")
    follower = subprocess.Popen([topsctl_release, "runs", "logs", name, "--follow"], cwd=tmp_path, env=environment,
                                stdout=subprocess.PIPE, text=True)
    stopped = runs(topsctl_release, environment, tmp_path, "stop", name)
    assert stopped.returncode == 0 and "stopped" in stopped.stdout, stopped.stdout + stopped.stderr
    assert "rank 0 waits" in follower.communicate(timeout=30)[0] and follower.returncode == 0
    assert not processes_with(word) and not processes_with("of-" + word)
    again = runs(topsctl_release, environment, tmp_path, "stop", name)
    assert again.returncode == 0 and "is not running" in again.stdout
    # It can be repeated until a file changes.
    repeat = [topsctl_release, "launch", "--again", name, "--preflight", "none", "--dry-run"]
    dry = subprocess.run(repeat, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    assert dry.returncode == 0 and word in dry.stdout, dry.stdout + dry.stderr
    (tmp_path / "train.py").write_text("print(1)", encoding="utf-8")
    changed = subprocess.run(repeat, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    assert changed.returncode == 3 and f"changed since {name}: 'train.py'" in changed.stderr, changed


def test_a_starter_that_is_killed_ends_no_detached_run(job, tmp_path, topsctl_release, schema):
    environment = os.environ | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "LANG": "C.UTF-8"}
    (tmp_path / "old" / "torch" / "distributed").mkdir(parents=True)  # has no launcher: the ranks begin at once
    states = []
    # The earlier ones are killed before there is a run, the later ones after; on a busy machine that is later.
    for number in range(40):
        if number >= 6 and states:
            break
        word = f"starter-{number}-{os.getpid()}"
        starter = job(IDLE, "--detach", "--log-dir", f"logs-{number}", arguments=[word], ranks=2,
                      more={"PYTHONPATH": str(tmp_path / "old")})
        time.sleep(0.05 * number)
        starter.kill()
        starter.communicate(timeout=60)
        time.sleep(1)
        listed = json.loads(runs(topsctl_release, environment, tmp_path, "--json").stdout)
        schema(listed, "runs")
        mine = [run for run in listed["runs"] if run["words"][-1:] == [word]]
        states += [run["state"] for run in mine]
        assert bool(mine) == bool(processes_with(word)), (number, listed)
        for run in mine:
            wait_for(lambda: len(processes_with("of-" + word)) == 2)
            assert runs(topsctl_release, environment, tmp_path, "stop", run["run"]).returncode == 0
            assert not processes_with("of-" + word)
        wait_for(lambda: not processes_with(word))
    assert set(states) == {"running"}, states
