# topsctl launch --hosts: one training on two and three hosts over SSH, with real torch and sshd, on the double of torch_gcu.

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from hosts.nodes import Nodes

from .test_cluster_launch import TRAIN_HERE
from .test_launch import processes_with, torch_without_torchrun

EACH = 1  # ranks of a host; two only where their order matters


@pytest.fixture
def hosts(tmp_path, topsctl_release, installed):
    """hosts(number, each=EACH, VARIABLE=PATH...) -> Group of that many with so many ranks each, with these paths before others in variables there."""
    if os.geteuid() != 0:
        pytest.skip("hosts of one's own take root")
    made = []

    def make(number, each=EACH, **before):
        environment = installed()
        for name, path in before.items():
            environment[name] = f"{path}:{environment[name]}"
        group = Group(tmp_path, number, each, topsctl_release, environment)
        made.append(group)
        return group
    yield make
    for group in made:
        group.nodes.remove()


class Group:
    def __init__(self, folder, number, each, program, installed):
        self.folder, self.each, self.program = folder, each, program
        self.nodes = Nodes(folder / "nodes", number)
        names = ("PYTHONPATH", "LD_LIBRARY_PATH", "TORCH_GCU_DOUBLE_DEVICES", "PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS")
        self.environment = {name: installed[name] for name in names} | {
            "HOME": str(folder / "home"), "XDG_STATE_HOME": str(folder / "state"), "LANG": "C.UTF-8"}
        (folder / "home").mkdir()
        self.nodes.start_sshd(self.environment)
        (folder / "hosts").write_text("".join(name + "\n" for name in self.nodes.names))

    def words(self, *options, arguments=()):
        return [self.program, "launch", "--hosts", self.folder / "hosts", "--ssh-config", self.nodes.folder / "ssh.conf", "--accept-new",
                "--preflight", "none", "--python", sys.executable, "--nproc", str(self.each), "--log-dir",
                self.folder / "logs", *([] if "--chdir" in options else ["--chdir", self.folder]), *options, "--", "train.py", *arguments]

    def launch(self, script, *options, arguments=()):
        (self.folder / "train.py").write_text(script, encoding="utf-8")
        return self.nodes.run(*self.words(*options, arguments=arguments), env=self.environment, timeout=400)

    def start(self, script, *options, mark):
        """The same in the background, once all ranks have begun; their children have `mark` in their command lines."""
        (self.folder / "train.py").write_text(script, encoding="utf-8")
        running = subprocess.Popen(self.nodes.argv(0, *self.words(*options, arguments=[mark])), stdin=subprocess.DEVNULL,
                                   env=self.nodes.environment | self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.nodes.processes.append(running)
        ranks = len(self.nodes.names) * self.each
        self.nodes.wait_for(lambda: len(list(self.folder.glob("begun-*"))) == ranks, patience_s=120)
        return running

    def record(self, schema):
        record = json.loads((self.folder / "logs/launch.json").read_text())
        schema(record, "launch-record")
        return record


BEGIN = """
import os, subprocess, sys, time, torch
import torch_gcu.distributed as dist
dist.init_process_group(backend="eccl", init_method="env://")
dist.barrier()
rank = dist.get_rank()
open(f"begun-{rank}", "w").close()
# With a session of its own: no signal to a group reaches it.
subprocess.Popen([sys.executable, "-c", "import os, time; os.setsid(); time.sleep(600)", "of-" + sys.argv[1]])
"""
# Collectives without end, as a training has them.
TRAINS = "while True:\n    dist.all_reduce(torch.ones(1))\n    time.sleep(0.1)\n"


def last_lines(record, number):
    """Of each rank the last lines of its log, without the time."""
    return [[line.split(" ", 1)[1] for line in open(each["log"], encoding="utf-8").read().splitlines()[-number:]]
            for each in record["attempts"][0]["ranks"]]


# In an order that is not that of their names: the ranks follow the list.
@pytest.mark.parametrize("names, old", [(["n1", "n0"], True), (["n2", "n0", "n1"], False)], ids=["2-without-torchrun", "3"])
def test_ranks_of_several_hosts_add_up(hosts, schema, tmp_path, names, old):
    number, each = len(names), 2
    group = hosts(number, each, PYTHONPATH=torch_without_torchrun(tmp_path)) if old else hosts(number, each)
    (tmp_path / "hosts").write_text("\n".join(names))
    done = group.launch(TRAIN_HERE)
    assert done.returncode == 0, done.stdout + done.stderr
    record = group.record(schema)
    ranks = number * each
    assert record["plan"]["engine"] == ("topsctl" if old else "torchrun")
    assert last_lines(record, 2) == [[f"rank {rank} of {ranks} sum {ranks * (ranks + 1) // 2}",
                                      f"rank {rank} of {ranks} on {names[rank // each]}"] for rank in range(ranks)]
    assert [rank["log"] for rank in record["attempts"][0]["ranks"]] == [
        str(tmp_path / f"logs/host_{rank // each}/attempt_0/rank_{rank}.log") for rank in range(ranks)]
    assert [(host["name"], host["status"], host["problem"]) for host in record["hosts"]] == [(name, 0, None) for name in names]
    assert f"n0: [{names.index('n0') * each} " not in done.stdout and f"{names[0]}: [0 " in done.stdout
    assert not list(tmp_path.rglob(".rank*"))


# The first attempt fails on the second host; torchrun starts all ranks of both again.
RECOVERS = BEGIN + """
attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
if attempt == 0 and rank == 1:
    raise ValueError("a fault of rank 1")
if attempt == 0:
    dist.all_reduce(torch.ones(1))
print("rank", rank, "ends attempt", attempt)
"""


@pytest.mark.long
def test_all_hosts_start_again_together(hosts, schema):
    group = hosts(2)
    done = group.launch(RECOVERS, "--max-restarts", "1", arguments=["restarted"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert last_lines(group.record(schema), 1) == [[f"rank {rank} ends attempt 1"] for rank in range(2)]


def test_an_exception_on_the_second_host_is_the_first_cause(hosts, schema):
    group = hosts(2)
    done = group.launch(BEGIN + "if rank == 1:\n    raise ValueError('a fault of rank 1')\n" + TRAINS, arguments=["thrown"])
    assert done.returncode == 1, done.stdout + done.stderr
    record = group.record(schema)
    traceback = done.stdout[done.stdout.index("first exception: "):]
    assert record["attempts"][0]["ranks"][1]["log"] in traceback and "ValueError: a fault of rank 1" in traceback
    assert record["attempts"][0]["ranks"][1]["host"] == "n1"
    assert not processes_with("of-thrown")


# Nothing tells the others, which wait for nothing: torchrun itself would wait for five minutes.
@pytest.mark.long
def test_ranks_that_wait_are_ended_when_one_fails(hosts, schema):
    group = hosts(2)
    begun = time.monotonic()
    done = group.launch(BEGIN + "if rank == 1:\n    raise ValueError('a fault of rank 1')\ntime.sleep(600)\n", arguments=["asleep"])
    assert done.returncode == 1, done.stdout + done.stderr
    assert time.monotonic() - begun < 120
    assert "ValueError: a fault of rank 1" in done.stdout and "n0: telling it to stop" in done.stdout
    assert [each["status"] for each in group.record(schema)["hosts"]] == [143, 1]
    assert not processes_with("of-asleep")


@pytest.mark.whole
def test_a_connection_whose_end_is_killed_ends_nothing(hosts, schema):
    group = hosts(2)
    running = group.start(BEGIN + "for _ in range(100):\n    dist.all_reduce(torch.ones(1))\n    time.sleep(0.1)\n", mark="connected")
    ends = group.nodes.pids("receive")
    assert len(ends) >= 2  # and their keepers, which no such signal ends
    for pid in ends:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 0, out + err
    assert [each["status"] for each in group.record(schema)["hosts"]] == [0, 0]


def test_a_host_that_is_rebooted_is_the_first_cause(hosts, schema):
    group = hosts(3)
    running = group.start(BEGIN + TRAINS, mark="rebooted")
    group.nodes.reboot(1)
    out, err = running.communicate(timeout=300)
    assert running.returncode != 0
    assert group.record(schema)["attempts"][0]["first_cause"] == "host-lost", out + err
    assert [bool(each["problem"]) for each in group.record(schema)["hosts"]] == [False, True, False]
    assert not processes_with("of-rebooted")


@pytest.mark.whole
def test_a_host_whose_link_is_cut_is_the_first_cause(hosts, schema):
    group = hosts(3)
    running = group.start(BEGIN + TRAINS, "--stall", "0.1", mark="cut")
    group.nodes.cut(2)
    out, err = running.communicate(timeout=400)
    assert running.returncode != 0
    assert group.record(schema)["attempts"][0]["first_cause"] == "host-lost", out + err
    assert [bool(each["problem"]) for each in group.record(schema)["hosts"]] == [False, False, True]
    # Nobody can tell it; it sees that it stands still.
    group.nodes.wait_for(lambda: not processes_with("of-cut"), patience_s=200)


def test_an_interrupt_ends_all_parts(hosts, schema):
    group = hosts(2)
    running = group.start(BEGIN + TRAINS, mark="interrupted")
    [coordinator] = group.nodes.pids("launch", "--hosts")
    os.kill(coordinator, signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 130, out + err
    assert group.record(schema)["ended_by"] == signal.SIGINT
    assert not processes_with("of-interrupted")


def test_what_does_not_fit_starts_nothing(hosts, schema, tmp_path):
    group = hosts(2)

    def refused(*options):
        done = group.launch("print('started')", *options)
        assert done.returncode != 0 and "started" not in done.stdout.replace("not started", "")
        assert not list(tmp_path.glob("logs*")) and not list(tmp_path.glob("topsctl-logs/*"))
        return done
    gone = refused("--target", "n7")
    assert gone.returncode == 6 and "n7 cannot take part: nothing was started" in gone.stderr, gone
    assert "no such directory" in refused("--chdir", tmp_path / "nowhere").stderr
    assert "is not the first host" in refused("--master", "n1").stderr
    assert "cannot be used with --hosts" in refused("--checkpoints", "work").stderr
    planned = group.launch("print('started')", "--dry-run", "--json", "--target", f"root@{group.nodes.addresses[1]}")
    report = json.loads(planned.stdout)
    schema(report, "launch")
    assert planned.returncode == 0 and report["refused"] == ["hosts-names"] and not report["started"]
    assert [each["ranks"] for each in report["cluster"]["hosts"]] == [EACH] * 3


@pytest.mark.alone
def test_a_benchmark_of_hosts_names_the_one_with_the_slow_link(hosts, schema):
    group = hosts(3)
    nodes = group.nodes
    nodes.shape(2, "40mbit")
    done = nodes.run(group.program, "bench", "--json", "--hosts", group.folder / "hosts", "--ssh-config", nodes.folder / "ssh.conf", "--accept-new",
                     "--python", sys.executable, "--nproc", "1", "--chdir", group.folder, "--backend", "gloo", "--operations", "broadcast",
                     "--sizes", "64K", "--duration", "20", env=group.environment, timeout=400)
    document = json.loads(done.stdout)
    schema(document, "bench")
    assert [rank["host"] for rank in document["ranks"]] == nodes.names
    slow = [(each["kind"], each["host"]) for each in document["stragglers"] if each["what"] == "link"]
    assert (done.returncode, slow) == (5, [("host", "n2")]), (done.stderr, document)
