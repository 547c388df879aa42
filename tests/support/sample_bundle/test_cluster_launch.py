# What topsctl launch --engine emits, run by the engines themselves: Debian's Open MPI and Slurm, real torch, the double of torch_gcu.
# There is no Kubernetes: its own clients read the files, and what a pod would run is run on two nodes.

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import kubernetes
import pytest
import yaml

from hosts.nodes import Nodes
from hosts.slurm import Slurm

from .test_launch import TRAIN

RANKS = 8
# With the host that a rank ran on.
TRAIN_HERE = TRAIN + "import socket\nprint('rank', dist.get_rank(), 'of', dist.get_world_size(), 'on', socket.gethostname())\n"
KUBECTL = Path(__file__).resolve().parents[3] / "build/later/kubernetes-client/bookworm/usr/bin/kubectl"


@pytest.fixture
def emitted(tmp_path, topsctl_release, installed):
    """emitted(engine, *options, script=TRAIN) -> (directory of the files, environment to run them with); logs are in `logs`."""
    environment = installed() | {"GLOO_SOCKET_IFNAME": "lo", "HOME": str(tmp_path), "LANG": "C.UTF-8"}

    def emit(engine, *options, script=TRAIN):
        (tmp_path / "train.py").write_text(script, encoding="utf-8")
        done = subprocess.run([topsctl_release, "launch", "--engine", engine, "--python", sys.executable, "--log-dir", "logs", "--emit", "job",
                        *options, "--", "train.py"], cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return tmp_path / "job", environment
    return emit


def rank_lines(folder, ranks=RANKS, which=-1):
    """Of each rank the last line of its one log, or another."""
    logs = [list((folder / "logs").rglob(f"rank_{rank}.log")) for rank in range(ranks)]
    return [log.read_text(encoding="utf-8").splitlines()[which] for [log] in logs]


SUMS = [f"rank {rank} of {RANKS} sum 36" for rank in range(RANKS)]
# Four on each, in the order of the hosts.
PLACES = [f"rank {rank} of {RANKS} on n{rank // 4}" for rank in range(RANKS)]


def test_eight_ranks_by_open_mpi_add_up(emitted, tmp_path):
    job, environment = emitted("mpi", "--hosts-from", "localhost", "--engine-arg", "--allow-run-as-root")
    done = subprocess.run([job / "run.sh"], env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert rank_lines(tmp_path) == SUMS


def test_mpirun_passes_on_that_a_rank_failed(emitted, tmp_path):
    job, environment = emitted("mpi", "--hosts-from", "localhost", "--engine-arg", "--allow-run-as-root", "--nproc", "3",
                               script="import os, sys, time\nsys.exit(7) if os.environ['RANK'] == '2' else time.sleep(60)\n")
    done = subprocess.run([job / "run.sh"], env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 7, done.stdout + done.stderr


@pytest.fixture
def nodes(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("nodes of one's own take root")
    two = Nodes(tmp_path / "nodes", 2)
    yield two
    two.remove()


def test_ranks_of_open_mpi_on_two_hosts_add_up(nodes, emitted, tmp_path):
    nodes.start_sshd()
    words = ["--allow-run-as-root", "-x", "PYTHONPATH", "-x", "LD_LIBRARY_PATH", "-x", "GLOO_SOCKET_IFNAME", "--mca", "plm_rsh_agent",
             f"ssh -F {nodes.folder}/ssh.conf", "--mca", "btl_tcp_if_include", "eth0", "--mca", "oob_tcp_if_include", "eth0"]
    job, environment = emitted("mpi", "--hosts-from", "n[0-1]", "--nproc", "4", *(f"--engine-arg={word}" for word in words),
                               script=TRAIN_HERE)
    environment["GLOO_SOCKET_IFNAME"] = "eth0"
    done = nodes.run(job / "run.sh", env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (rank_lines(tmp_path, which=-2), rank_lines(tmp_path)) == (SUMS, PLACES)


@pytest.fixture
def slurm(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("a Slurm of one's own takes root")
    cluster = Slurm(tmp_path / "slurm")
    yield cluster
    cluster.remove()


def test_eight_ranks_on_two_nodes_of_slurm_add_up(slurm, emitted, tmp_path):
    job, environment = emitted("slurm", "--hosts-from", "n[0-1]", "--nproc", "4", "--engine-arg", "--comment=two words", script=TRAIN_HERE)
    environment["GLOO_SOCKET_IFNAME"] = "eth0"
    tested = slurm.run("sbatch", "--test-only", job / "job.sbatch", env=environment)
    assert tested.returncode == 0, tested.stderr
    done = slurm.run("sbatch", "--wait", job / "job.sbatch", env=environment)
    assert done.returncode == 0, done.stderr + "".join(log.read_text() for log in job.glob("*.log"))
    assert (rank_lines(tmp_path, which=-2), rank_lines(tmp_path)) == (SUMS, PLACES)


# Requeued before it has saved anything, and after it has; the third attempt begins from the newest whole checkpoint.
REQUEUED = """
import os, subprocess, sys, time, torch
count = int(os.environ.get("SLURM_RESTART_COUNT", "0"))
print("attempt", count, "with", sys.argv[1:], flush=True)
if count < 2:
    if count == 1 and os.environ["RANK"] == "0":
        os.makedirs("work")
        for name in ("step_9", "step_10", "best_99"):
            torch.save({"step": name}, f"work/{name}.pt")
        torch.save({}, "work/step_50.pt")
        os.utime("work/step_50.pt", (1, 1))  # of an earlier job
        whole = open("work/step_10.pt", "rb").read()
        open("work/step_11.pt", "wb").write(whole[:len(whole) // 2])
    if os.environ["RANK"] == "0":
        open(f"reached-{count}", "w").close()
    time.sleep(600)
print("goes on from", torch.load(sys.argv[2])["step"], flush=True)
"""


def test_a_requeued_job_goes_on_from_the_newest_whole_checkpoint(slurm, emitted, tmp_path):
    job, environment = emitted("slurm", "--hosts-from", "n[0-1]", "--nproc", "1", "--checkpoints", "work", "--resume",
                               "--resume-from {checkpoint}", script=REQUEUED)
    environment["GLOO_SOCKET_IFNAME"] = "eth0"
    number = slurm.run("sbatch", "--parsable", job / "job.sbatch", env=environment).stdout.strip()
    for attempt in range(2):
        slurm.wait_for((tmp_path / f"reached-{attempt}").exists)
        assert slurm.run("scontrol", "requeue", number).returncode == 0
        # Slurm would wait for two minutes.
        slurm.wait_for(lambda: slurm.state_of(number) == "PENDING")
        assert slurm.run("scontrol", "update", f"JobId={number}", "StartTime=now").returncode == 0
    slurm.wait_for(lambda: slurm.state_of(number) in ("COMPLETED", "FAILED"), patience_s=120)
    assert slurm.state_of(number) == "COMPLETED", "".join(log.read_text() for log in job.glob("*.log"))
    assert rank_lines(tmp_path, 2, which=-3) == ["attempt 1 with []"] * 2
    assert rank_lines(tmp_path, 2) == ["goes on from step_10"] * 2


def through_the_client(document, kind):
    """What Kubernetes' Python client keeps of a document."""
    class Answer:
        data = json.dumps(document)
    client = kubernetes.client.ApiClient()
    return client.sanitize_for_serialization(client.deserialize(Answer, kind))


def through_kubectl(document, folder):
    """What kubectl keeps of a document when it sets one variable in its pods."""
    (folder / "document.json").write_text(json.dumps(document))
    done = subprocess.run([KUBECTL, "set", "env", "--local", "-f", folder / "document.json", "-o", "json", "ADDED=1"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture
def kubernetes_job(emitted):
    job, environment = emitted("k8s", "--host-count", "2", "--nproc", "4", "--image", "registry/t20:1", "--volume", "hostPath:/tmp:/tmp",
                               "--volume", "nfs:store:/export:/export", "--volume", "pvc:models:/models")
    return list(yaml.safe_load_all((job / "job.yaml").read_text(encoding="utf-8"))), environment


def test_clients_of_kubernetes_keep_every_field(kubernetes_job, tmp_path):
    (service, work), _ = kubernetes_job
    assert through_the_client(service, "V1Service") == service
    assert through_the_client(work, "V1Job") == work
    # Debian's kubectl is of 1.20, which does not know Indexed Jobs.
    known = copy.deepcopy(work)
    del known["spec"]["completionMode"]
    known["spec"]["template"]["spec"]["containers"][0].setdefault("env", []).append({"name": "ADDED", "value": "1"})
    assert KUBECTL.exists(), "missing kubectl; packaging/install-packages tests/packages unpacks it"
    kept = through_kubectl(work, tmp_path)
    for added in (kept, kept["spec"]["template"]):
        added["metadata"].pop("creationTimestamp", None)
        added.pop("status", None)
    assert kept["spec"]["template"].pop("metadata") == {} and kept["spec"]["template"]["spec"]["containers"][0].pop("resources")
    limits = known["spec"]["template"]["spec"]["containers"][0].pop("resources")["limits"]
    assert kept == known and limits == {"enflame.com/gcu": "4"}


def test_a_misspelt_field_does_not_come_back(kubernetes_job):
    (_, work), _ = kubernetes_job
    work["spec"]["backoffLmit"] = work["spec"].pop("backoffLimit")
    assert through_the_client(work, "V1Job") != work


def test_pods_of_two_hosts_add_up(kubernetes_job, nodes, tmp_path):
    (service, work), environment = kubernetes_job
    container = work["spec"]["template"]["spec"]["containers"][0]
    # Names as the Service gives them.
    with open(nodes.folder / "hosts", "a", encoding="utf-8") as hosts:
        for number, address in enumerate(nodes.addresses):
            hosts.write(f"{address} {work['metadata']['name']}-{number}.{service['metadata']['name']}\n")
    own = {each["name"]: each["value"] for each in container.get("env", [])}
    pods = [subprocess.Popen(nodes.argv(number, *container["command"]), cwd=container["workingDir"],
                             env=environment | own | {"GLOO_SOCKET_IFNAME": "eth0", "JOB_COMPLETION_INDEX": str(number)})
            for number in range(work["spec"]["completions"])]
    assert [pod.wait(timeout=180) for pod in pods] == [0, 0]
    assert rank_lines(tmp_path) == SUMS
