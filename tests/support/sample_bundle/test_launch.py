# topsctl launch with real torch and torchrun, on the double of torch_gcu: eight ranks, their logs and record, and how they end.

import fcntl
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import termios
import threading
import time

import pytest
from support.waiting import wait_for

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
if os.environ["RANK"] == "1":
    {}
time.sleep(60)
"""


@pytest.fixture
def job(tmp_path, topsctl_release, installed):
    """job(script, *options, arguments=()) is the running topsctl of a script; its folder has the logs in `logs`."""
    environment = installed() | {"GLOO_SOCKET_IFNAME": "lo", "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"),
                                 "LANG": "C.UTF-8"}
    environment.pop("LC_ALL", None)

    def start(script, *options, arguments=(), ranks=2, without=(), more=None, preflight="none", group=None, terminal=None):
        (tmp_path / "train.py").write_text(script, encoding="utf-8")
        given = {name: value for name, value in (environment | (more or {})).items() if name not in without}
        return subprocess.Popen([topsctl_release, "launch", "--preflight", preflight, "--python", sys.executable, "--nproc", str(ranks),
                                 *([] if "--log-dir" in options else ["--log-dir", "logs"]), *options, "--", "train.py", *arguments], cwd=tmp_path, env=given,
                                stdin=terminal, stdout=terminal or subprocess.PIPE, stderr=terminal or subprocess.PIPE, text=True,
                                start_new_session=terminal is not None,
                                preexec_fn=(lambda: enter(group)) if group else (lambda: fcntl.ioctl(terminal, termios.TIOCSCTTY, 0))
                                if terminal is not None else None)
    return start


def enter(group):
    with open(group, "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))


def record_of(folder, schema):
    record = json.loads((folder / "logs" / "launch.json").read_text(encoding="utf-8"))
    schema(record, "launch-record")
    return record


def digest_of(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


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


def test_eight_ranks_by_torchrun_add_up(job, tmp_path, schema):
    done = job(TRAIN, ranks=8)
    out, err = done.communicate(timeout=180)
    assert done.returncode == 0, out + err
    assert "] rank 0 of 8 sum 36\n" in out and "rank 1" not in out
    record = record_of(tmp_path, schema)
    assert record["plan"]["engine"] == "torchrun" and record["status"] == 0 and record["ended_at"]
    ranks = record["attempts"][0]["ranks"]
    assert [each["last_line"] for each in ranks] == [f"rank {rank} of 8 sum 36" for rank in range(8)]
    assert all(each["pid"] and each["status"] == 0 for each in ranks)
    assert record["digests"] == {"train.py": digest_of(tmp_path / "train.py")} and record["versions"]["topsctl"]
    assert "ECCL_DEBUG" in record["environment"]["set"]
    log = (tmp_path / "logs" / "attempt_0" / "rank_5.log").read_text(encoding="utf-8")
    assert log.endswith("Z rank 5 of 8 sum 36\n")
    assert not list((tmp_path / "logs").rglob(".rank*"))


def torch_without_torchrun(folder):
    """A directory for PYTHONPATH with all of the real torch but its launcher, as before PyTorch 1.9."""
    import torch
    real, old = os.path.dirname(torch.__file__), folder / "old" / "torch"
    (old / "distributed").mkdir(parents=True)
    for part in ("", "distributed"):
        for name in os.listdir(os.path.join(real, part)):
            if name not in ("distributed", "run.py", "__pycache__"):
                os.symlink(os.path.join(real, part, name), old / part / name)
    return old.parent


def test_ranks_of_a_torch_without_torchrun_add_up(job, tmp_path, torch_python, schema):
    done = job(TRAIN, more={"PYTHONPATH": os.pathsep.join([str(torch_without_torchrun(tmp_path)), str(tmp_path / "site")])})
    out, err = done.communicate(timeout=180)
    assert done.returncode == 0, out + err
    assert "rank 0 of 2 sum 3" in out
    assert record_of(tmp_path, schema)["plan"]["engine"] == "topsctl"


@pytest.mark.parametrize("fault, cause, alone, status", [
    ("import flash_attention", "module-missing", False, 1), ("os.kill(os.getpid(), 9)", "rank-killed", False, 1),
    ("import flash_attention", "module-missing", True, 1), ("os.kill(os.getpid(), 9)", "rank-killed", True, 137)])
@pytest.mark.sampled(2)
def test_a_rank_that_dies_is_named_and_its_status_passed_on(job, tmp_path, schema, fault, cause, alone, status):
    more = {"PYTHONPATH": os.pathsep.join([str(torch_without_torchrun(tmp_path)), str(tmp_path / "site")])} if alone else None
    done = job(FAULT.format(fault), "--json", ranks=2, more=more)
    out, err = done.communicate(timeout=180)
    report = json.loads(out)
    schema(report, "launch")
    assert done.returncode == status, err
    record = record_of(tmp_path, schema)
    assert record == report["record"]
    attempt = record["attempts"][-1]
    assert attempt["first_cause"] == cause and attempt["verdict"] == "problems"
    assert attempt["diagnoses"][0]["rank"] == 1 and attempt["not_restarted"] == "no restart was asked for"


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.sampled(2)
def test_a_signal_ends_all_ranks_and_what_they_started(job, tmp_path, schema, number, status):
    word = f"signal-{number}-{os.getpid()}"
    done = job(IDLE, arguments=[word], ranks=3)
    wait_for(lambda: len(processes_with("of-" + word)) == 3)
    done.send_signal(number)
    out, err = done.communicate(timeout=60)
    assert done.returncode == status, out + err
    assert not processes_with(word) and not processes_with("of-" + word)
    assert record_of(tmp_path, schema)["ended_by"] == number


def test_a_terminal_that_takes_nothing_holds_no_rank_up(job, tmp_path, schema):
    done = job("print('x' * 100_000 + '\\n' + 'y' * 200_000)", ranks=1)
    wait_for(lambda: (tmp_path / "logs" / "launch.json").exists() and record_of(tmp_path, schema)["ended_at"] is not None)
    done.stdout.read()
    assert done.wait(timeout=60) == 0
    assert record_of(tmp_path, schema)["attempts"][0]["ranks"][0]["lines"] > 1


def test_a_terminal_that_is_closed_ends_nothing(job, tmp_path, schema):
    master, slave = os.openpty()
    done = job("import time\nfor step in range(6):\n    print('step', step, flush=True)\n    time.sleep(0.5)\n", ranks=2, terminal=slave)
    os.close(slave)
    wait_for(lambda: (tmp_path / "logs/attempt_0/rank_0.log").exists() and "step 1" in (tmp_path / "logs/attempt_0/rank_0.log").read_text())
    os.close(master)
    assert done.wait(timeout=60) == 0
    record = record_of(tmp_path, schema)
    assert record["ended_by"] is None and [rank["last_line"] for rank in record["attempts"][0]["ranks"]] == ["step 5"] * 2


def test_topsctl_killed_ends_all_ranks(job, tmp_path, schema):
    word = f"killed-{os.getpid()}"
    done = job(IDLE, arguments=[word], ranks=3)
    wait_for(lambda: len(processes_with("of-" + word)) == 3)
    done.kill()
    done.communicate(timeout=60)
    # The ranks; what they started in sessions of their own is nobody's any more.
    wait_for(lambda: not [words for words in processes_with(word) if "train.py" in words])
    assert record_of(tmp_path, schema)["ended_at"] is None
    for words in processes_with("of-" + word):
        subprocess.run(["pkill", "-KILL", "-f", "of-" + word], check=False)
        break


def test_a_rank_that_never_stops_talking_can_be_ended(job, tmp_path, schema):
    done = job("while True: print('x')", ranks=1)
    wait_for(lambda: (tmp_path / "logs/attempt_0/rank_0.log").exists() and (tmp_path / "logs/attempt_0/rank_0.log").stat().st_size > 10_000_000)
    reader = threading.Thread(target=done.stdout.read)
    reader.start()
    done.send_signal(signal.SIGINT)
    assert done.wait(timeout=60) == 130
    reader.join()


def test_what_cannot_be_started_is_said_beforehand(job, tmp_path):
    (tmp_path / "there").mkdir()
    for words in (["--detach", "--log-dir", "there"], ["--log-dir", "there/"]):
        taken = job(TRAIN, *words)
        out, err = taken.communicate(timeout=60)
        assert taken.returncode == 3 and "already exists" in err, out + err
    nowhere = job(TRAIN, "--", "nowhere.py")
    out, err = nowhere.communicate(timeout=60)
    assert nowhere.returncode == 3 and "no such script: 'nowhere.py'" in err, out + err
    (tmp_path / "logs").mkdir()
    taken = job(TRAIN)
    out, err = taken.communicate(timeout=60)
    assert taken.returncode == 3 and "already exists" in err, out + err
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = job(TRAIN, "--master-port", str(listener.getsockname()[1]))
        out, err = port.communicate(timeout=60)
    assert port.returncode == 4 and "is in use" in err, out + err
    dry = job(TRAIN, "--dry-run")
    out, err = dry.communicate(timeout=60)
    assert dry.returncode == 0 and "torch.distributed.run" in out and "  ECCL_DEBUG=0\n" in out, out + err
    assert list((tmp_path / "logs").iterdir()) == []


# Dies by SIGKILL once at its 12th step, when checkpoints 9 and 10 are whole and 11 is half written; else ends well.
RESUMED = """
import glob, os, sys, torch
os.makedirs("work", exist_ok=True)
rank = int(os.environ["RANK"])
print("begun with", sys.argv[1:], flush=True)
if rank == 0 and not sys.argv[1:]:
    for step in range(8, 11):
        torch.save({"step": step, "weights": torch.zeros(1000)}, f"work/step_{step}.pt")
        print(f"step {step}/20", flush=True)
    whole = open("work/step_10.pt", "rb").read()
    open("work/step_11.pt", "wb").write(whole[:len(whole) // 2])
    os.kill(os.getpid(), 9)
if sys.argv[1:]:
    print("goes on from", torch.load(sys.argv[2])["step"], flush=True)
else:
    import time
    time.sleep(600)
"""


def test_a_death_is_followed_by_a_restart_from_the_newest_whole_checkpoint(job, tmp_path, schema):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "step_7.pt").write_bytes(b"of an earlier run")
    done = job(RESUMED, "--max-restarts", "2", "--checkpoints", "work", "--resume", "--resume-from {checkpoint}", "--keep", "1",
               ranks=2)
    out, err = done.communicate(timeout=180)
    assert done.returncode == 0, out + err
    assert "restart: rank-killed; restarting in 5.0 s" in out and "goes on from 10" in out
    record = record_of(tmp_path, schema)
    first, second = record["attempts"]
    assert (first["first_cause"], first["not_restarted"], first["ranks"][0]["iteration"]) == ("rank-killed", None, "10/20")
    assert second["resumed_from"] == "work/step_10.pt" and second["status"] == 0
    assert second["unfinished_checkpoints"] == ["work/step_11.pt", "work/step_7.pt"]
    assert sorted(os.listdir(tmp_path / "work")) == ["step_10.pt", "step_11.pt", "step_7.pt"]
    assert record["removed_checkpoints"] == ["work/step_8.pt", "work/step_9.pt"]


@pytest.fixture
def small_memory():
    """A control group of 700 MiB of the first version, for a process that enters it before it is anything."""
    groups = [line.split(":") for line in open("/proc/self/cgroup", encoding="utf-8").read().splitlines()]
    own = [path for _, kinds, path in groups if kinds == "memory"]
    group = os.path.join("/sys/fs/cgroup/memory", *(path.lstrip("/") for path in own), f"topsctl-{os.getpid()}")
    try:
        os.mkdir(group)
        with open(group + "/memory.limit_in_bytes", "w", encoding="utf-8") as file:
            file.write(str(700 << 20))
    except OSError:
        pytest.skip("this machine lets nobody make a control group with little memory")
    yield group + "/cgroup.procs"
    os.rmdir(group)


def test_a_rank_that_the_kernel_kills_for_memory_is_told_as_such(tmp_path, job, small_memory, schema):
    eats = "import os, time\nif os.environ['RANK'] == '1':\n    kept = bytearray(2 << 30)\n    kept[::4096] = b'x' * len(kept[::4096])\ntime.sleep(60)\n"
    done = job(eats, ranks=2, group=small_memory)
    out, err = done.communicate(timeout=120)
    assert done.returncode == 1, out + err
    attempt = record_of(tmp_path, schema)["attempts"][0]
    assert attempt["first_cause"] == "host-memory-exhausted", out + err


def test_a_fault_in_code_is_not_restarted(job, tmp_path, schema):
    done = job(FAULT.format("import flash_attention"), "--max-restarts", "2", ranks=2)
    out, err = done.communicate(timeout=180)
    assert done.returncode == 1, out + err
    assert "not restarted: a restart does not help against module-missing" in out
    assert len(record_of(tmp_path, schema)["attempts"]) == 1


@pytest.mark.parametrize("what", ["report", "stop"])
@pytest.mark.sampled(2)
def test_a_rank_that_is_stopped_is_named(job, tmp_path, schema, what):
    word = f"still-{what}-{os.getpid()}"
    done = job(IDLE, "--stall", "0.07", "--on-stall", what, arguments=[word], ranks=3)
    wait_for(lambda: len(processes_with("of-" + word)) == 3)
    wait_for(lambda: all(rank["pid"] and "waits" in open(rank["log"], encoding="utf-8").read()
                           for rank in record_of(tmp_path, schema)["attempts"][0]["ranks"]))
    os.kill(record_of(tmp_path, schema)["attempts"][0]["ranks"][1]["pid"], signal.SIGSTOP)
    wait_for(lambda: record_of(tmp_path, schema)["attempts"][0]["stalls"])
    if what == "report":
        done.send_signal(signal.SIGINT)
    out, err = done.communicate(timeout=60)
    attempt = record_of(tmp_path, schema)["attempts"][0]
    stall = attempt["stalls"][0]
    assert stall["behind"] == 1 and [rank["state"] for rank in stall["ranks"]] == ["S", "T", "S"], out + err
    assert "rank 1 is behind the others" in out and stall["ranks"][1]["last_line"] == "rank 1 waits"
    assert attempt["first_cause"] == (None if what == "report" else "ranks-stalled")
    assert done.returncode == 130 if what == "report" else done.returncode != 0
    assert not processes_with(word) and not processes_with("of-" + word)


def runs(topsctl_release, environment, folder, *words):
    done = subprocess.run([topsctl_release, "runs", *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=60)
    return done


def test_the_script_is_judged_before_it_is_started(job, tmp_path, schema):
    done = job("import torch\nimport torch.distributed as dist\ndist.init_process_group('nccl')\ntorch.zeros(1).cuda()\n",
               "--shim", "never", "--json", preflight="files")
    out, err = done.communicate(timeout=120)
    report = json.loads(out)
    schema(report, "launch")
    assert done.returncode == 5 and not report["started"], out + err
    assert {"cards-free", "log-room"} <= {check["id"] for check in report["checks"]}
    assert "train.py" in {finding["subject"] for finding in report["findings"]}
    assert not (tmp_path / "logs").exists()


# As many as are worth their time; a campaign takes more of them.
KILLS = int(os.environ.get("TOPSCTL_LAUNCH_KILLS", "6"))


def test_topsctl_killed_at_any_moment_leaves_a_whole_record_or_none(job, tmp_path, topsctl_release, schema):
    # A torch without a launcher: its ranks begin at once.
    (tmp_path / "old" / "torch" / "distributed").mkdir(parents=True)
    environment = os.environ | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    word = f"kill-{os.getpid()}"
    seen = set()
    for number in range(KILLS):
        running = job("import time\nprint('step 1/9', flush=True)\ntime.sleep(0.3)\n", arguments=[word], ranks=2,
                      more={"PYTHONPATH": str(tmp_path / "old")})
        if number < KILLS - 1:
            time.sleep(0.9 * number / KILLS)
        else:  # at work, however slow the machine is
            wait_for((tmp_path / "logs" / "launch.json").exists)
        running.kill()
        running.communicate(timeout=60)
        wait_for(lambda: not [words for words in processes_with(word) if "train.py" in words])
        listed = json.loads(runs(topsctl_release, environment, tmp_path, "--json").stdout)
        schema(listed, "runs")
        for run in listed["runs"]:
            seen.add(run["state"])
            assert run["state"] in ("ended", "killed") or (run["state"] == "unreadable" and not (tmp_path / "logs/launch.json").exists())
        if (tmp_path / "logs" / "launch.json").exists():
            record_of(tmp_path, schema)
        shutil.rmtree(tmp_path / "logs", ignore_errors=True)
    assert "killed" in seen, seen
