# topsctl launch: what ranks tell and the record keeps, and runs that begin once more.

import os
import subprocess

import pytest

from .test_launch import FAULT, job, record_of, torch_without_torchrun  # noqa: F401  (job is a fixture)


def test_any_failure_is_restarted_if_that_is_asked_for(job, tmp_path, schema):
    done = job(FAULT.format("import flash_attention"), "--max-restarts", "2", "--restart-if", "any", "--restart-delay", "1", ranks=2)
    out, err = done.communicate(timeout=180)
    assert done.returncode == 1 and "restarting in 1.0 s" in out, out + err
    record = record_of(tmp_path, schema)
    assert len(record["attempts"]) == 3 and record["attempts"][-1]["not_restarted"] == "it has been restarted 2 times"


# Tells what guides' scripts tell, and how far it has come.
TOLD = """
import json, os, sys, time
print("Rank {RANK}/{WORLD_SIZE}, Backend: gloo".format(**os.environ), flush=True)
workers = json.loads(os.environ["TF_CONFIG"])
assert workers["task"] == {"type": "worker", "index": int(os.environ["RANK"])} and len(workers["cluster"]["worker"]) == 2
assert os.path.isdir("saved")
for step in range(1, 4):
    time.sleep(0.05)
    print(f"step {step}/9", flush=True)
if os.environ["RANK"] == "0":
    with open("flow/h1-mlx5_0-Port1-A.log", "a") as port:
        port.write("20261126031500,0,4,400,100,1\\n20261126031501,0,4,400,200,1\\n")
"""


@pytest.mark.parametrize("alone", [False, True])
def test_what_ranks_tell_is_in_the_record(job, tmp_path, schema, alone):
    # VCCL's telemetry, with a value of an earlier job.
    more = {"NCCL_TELEMETRY_ENABLE": "1", "NCCL_TELEMETRY_LOG_PATH": str(tmp_path / "flow")}
    (tmp_path / "flow").mkdir()
    (tmp_path / "flow/h1-mlx5_0-Port1-A.log").write_text("Time,DevIndex,Func,MaxBandwidth,MeanBandwidth,Status\n20261126031400,0,4,400,390,1\n")
    if alone:
        more["PYTHONPATH"] = os.pathsep.join([str(torch_without_torchrun(tmp_path)), str(tmp_path / "site")])
    done = job(TOLD, "--checkpoints", "saved", arguments=["--batch-size", "4"], more=more)
    out, err = done.communicate(timeout=180)
    assert done.returncode == 0, out + err
    [attempt] = record_of(tmp_path, schema)["attempts"]
    assert [rank["backend"] for rank in attempt["ranks"]] == ["gloo"] * 2
    throughput = attempt["throughput"]
    assert throughput["global_batch"] == 8 and 0 < throughput["iterations_per_second"] < 20
    assert throughput["samples_per_second"] == pytest.approx(8 * throughput["iterations_per_second"])
    assert attempt["bandwidth_gbps"] == 150
    assert attempt["host"]["cpus"] > 0 and 0 < attempt["host"]["memory_available_bytes"] <= attempt["host"]["memory_total_bytes"]


def test_a_run_whose_script_has_changed_goes_on_if_that_is_accepted(job, tmp_path, topsctl_release):
    first = job("print('one')", ranks=1)
    first.communicate(timeout=60)
    (tmp_path / "train.py").write_text("print('two')")
    environment = os.environ | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "LC_ALL": "C.UTF-8"}

    def again(*words):
        return subprocess.run([topsctl_release, "launch", "--again", "last", *words], cwd=tmp_path, env=environment, capture_output=True,
                              text=True, timeout=120, check=False)
    refused = again()
    assert refused.returncode == 3 and ": 'train.py'\nhint:  --accept changed starts the current version" in refused.stderr, refused
    accepted = again("--accept", "changed")
    assert accepted.returncode == 0 and "] two\n" in accepted.stdout and "warning: changed since" in accepted.stderr, accepted
    (tmp_path / "train.py").write_text("print('three')")
    assert again().returncode == 3
