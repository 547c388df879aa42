# topsctl launch with real torch and torchrun, on the double of torch_gcu: eight ranks, their logs and record, and how they end.

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

TRAIN = """
import os, sys, torch
import torch_gcu.distributed as dist
dist.init_process_group(backend="eccl", init_method="env://")
total = torch.ones(1) * (dist.get_rank() + 1)
dist.all_reduce(total)
print("rank", dist.get_rank(), "of", dist.get_world_size(), "sum", int(total.item()))
"""
# Without torch, a start takes no time.
IDLE = """
import os, subprocess, sys, time
rank = os.environ["RANK"]
# A child of its own session that stays when it is asked to go.
subprocess.Popen([sys.executable, "-c", "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.setsid(); "
                  "time.sleep(600)", "of-" + sys.argv[1]])
print("rank", rank, "waits", flush=True)
time.sleep(600)
"""
FAULT = """
import os, time
if os.environ["RANK"] == "3":
    {}
time.sleep(60)
"""


@pytest.fixture
def job(tmp_path, topsctl_release, installed):
    """job(script, *options, arguments=()) is the running topsctl of a script; its folder has the logs in `logs`."""
    environment = installed() | {"GLOO_SOCKET_IFNAME": "lo", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    environment.pop("LC_ALL", None)

    def start(script, *options, arguments=(), ranks=8, without=(), more=None):
        (tmp_path / "train.py").write_text(script, encoding="utf-8")
        given = {name: value for name, value in (environment | (more or {})).items() if name not in without}
        return subprocess.Popen([topsctl_release, "launch", "--preflight", "none", "--python", sys.executable, "--nproc", str(ranks),
                                 "--log-dir", "logs", *options, "--", "train.py", *arguments], cwd=tmp_path, env=given,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return start


def record_of(folder, schema):
    record = json.loads((folder / "logs" / "launch.json").read_text(encoding="utf-8"))
    schema(record, "launch-record")
    return record


def processes_with(word):
    """The command lines of processes that have this word."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/" + name + "/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if word in words:
            found.append(words)
    return found


def wait_until(is_so, patience_s=60):
    end = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def test_eight_ranks_by_torchrun_add_up(job, tmp_path, schema):
    done = job(TRAIN)
    out, err = done.communicate(timeout=180)
    assert done.returncode == 0, out + err
    assert "] rank 0 of 8 sum 36\n" in out and "rank 1" not in out
    record = record_of(tmp_path, schema)
    assert record["plan"]["engine"] == "torchrun" and record["status"] == 0 and record["ended_at"]
    assert [each["last_line"] for each in record["ranks"]] == [f"rank {rank} of 8 sum 36" for rank in range(8)]
    log = (tmp_path / "logs" / "attempt_0" / "rank_5.log").read_text(encoding="utf-8")
    assert log.endswith("Z rank 5 of 8 sum 36\n")
    assert not list((tmp_path / "logs").glob(".rank-*"))


def test_ranks_of_a_torch_without_torchrun_add_up(job, tmp_path, torch_python, schema):
    # All of the real torch but its launcher, as before PyTorch 1.9.
    import torch
    real, old = os.path.dirname(torch.__file__), tmp_path / "old" / "torch"
    (old / "distributed").mkdir(parents=True)
    for folder in ("", "distributed"):
        for name in os.listdir(os.path.join(real, folder)):
            if name not in ("distributed", "run.py", "__pycache__"):
                os.symlink(os.path.join(real, folder, name), old / folder / name)
    site = str(tmp_path / "site")
    done = job(TRAIN, ranks=2, more={"PYTHONPATH": os.pathsep.join([str(old.parent), site])})
    out, err = done.communicate(timeout=180)
    assert done.returncode == 0, out + err
    assert "rank 0 of 2 sum 3" in out
    assert record_of(tmp_path, schema)["plan"]["engine"] == "topsctl"


@pytest.mark.parametrize("fault, cause", [("import flash_attention", "module-missing"),
                                          ("os.kill(os.getpid(), 9)", "rank-killed")])
def test_a_rank_that_dies_is_named_and_its_status_passed_on(job, tmp_path, schema, fault, cause):
    done = job(FAULT.format(fault), "--json", ranks=4)
    out, err = done.communicate(timeout=180)
    report = json.loads(out)
    schema(report, "launch")
    assert done.returncode == 1, err
    record = record_of(tmp_path, schema)
    assert record == report["record"]
    assert record["first_cause"] == cause and record["verdict"] == "problems"
    assert record["diagnoses"][0]["rank"] == 3


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_all_ranks_and_what_they_started(job, tmp_path, schema, number, status):
    word = f"signal-{number}-{os.getpid()}"
    done = job(IDLE, arguments=[word], ranks=3)
    wait_until(lambda: len(processes_with("of-" + word)) == 3)
    done.send_signal(number)
    out, err = done.communicate(timeout=60)
    assert done.returncode == status, out + err
    assert not processes_with(word) and not processes_with("of-" + word)
    assert record_of(tmp_path, schema)["ended_by"] == number


def test_a_terminal_that_takes_nothing_holds_no_rank_up(job, tmp_path, schema):
    done = job("print('x' * 100_000 + '\\n' + 'y' * 200_000)", ranks=1)
    wait_until(lambda: (tmp_path / "logs" / "launch.json").exists() and record_of(tmp_path, schema)["ended_at"] is not None)
    done.stdout.read()
    assert done.wait(timeout=60) == 0
    assert record_of(tmp_path, schema)["ranks"][0]["lines"] > 1


def test_topsctl_killed_ends_all_ranks(job, tmp_path, schema):
    word = f"killed-{os.getpid()}"
    done = job(IDLE, arguments=[word], ranks=3)
    wait_until(lambda: len(processes_with("of-" + word)) == 3)
    done.kill()
    done.communicate(timeout=60)
    # The ranks; what they started in sessions of their own is nobody's any more.
    wait_until(lambda: not [words for words in processes_with(word) if "train.py" in words])
    assert record_of(tmp_path, schema)["ended_at"] is None
    for words in processes_with("of-" + word):
        subprocess.run(["pkill", "-KILL", "-f", "of-" + word], check=False)
        break


def test_what_cannot_be_started_is_said_beforehand(job, tmp_path):
    nowhere = job(TRAIN, "--", "nowhere.py")
    out, err = nowhere.communicate(timeout=60)
    assert nowhere.returncode == 3 and "there is no script 'nowhere.py'" in err, out + err
    (tmp_path / "logs").mkdir()
    taken = job(TRAIN)
    out, err = taken.communicate(timeout=60)
    assert taken.returncode == 3 and "is there already" in err, out + err
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = job(TRAIN, "--master-port", str(listener.getsockname()[1]))
        out, err = port.communicate(timeout=60)
    assert port.returncode == 4 and "is taken" in err, out + err
    dry = job(TRAIN, "--dry-run")
    out, err = dry.communicate(timeout=60)
    assert dry.returncode == 0 and "torch.distributed.run" in out and "  ECCL_DEBUG=0\n" in out, out + err
    assert list((tmp_path / "logs").iterdir()) == []
