# What topsctl launch --engine emits, run by the engines themselves: Debian's Open MPI and Slurm, real torch, the double of torch_gcu.
# There is no Kubernetes: its own clients read the files, and what a pod would run is run on two nodes.

import copy
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import kubernetes
import pytest
import yaml

from hosts.nodes import Nodes
from hosts.slurm import Slurm
from support.waiting import wait_for

from .test_launch import TRAIN

RANKS = 4
# With the host that a rank ran on.
# What TensorFlow's MultiWorkerMirroredStrategy would read.
WORKER = """import json
told = json.loads(os.environ["TF_CONFIG"])
assert told["task"] == {"type": "worker", "index": int(os.environ["RANK"])}
hosts = [worker.rpartition(":")[0] for worker in told["cluster"]["worker"]]
assert len(set(told["cluster"]["worker"])) == int(os.environ["WORLD_SIZE"]) and len(set(hosts)) == int(os.environ["WORLD_SIZE"]) // 2, told
"""
TRAIN_HERE = TRAIN + WORKER + "import socket\nprint('rank', dist.get_rank(), 'of', dist.get_world_size(), 'on', socket.gethostname())\n"
KUBECTL = Path(__file__).resolve().parents[3] / "build/later/kubernetes-client/bookworm/usr/bin/kubectl"


class Launch:
    """topsctl launch --engine; the files are in `job`, logs in `logs`."""

    def __init__(self, folder, program, environment):
        self.folder, self.program = folder, program
        self.environment = environment | {"GLOO_SOCKET_IFNAME": "lo", "HOME": str(folder), "LANG": "C.UTF-8"}

    def words(self, engine, *options, script=TRAIN, files="job"):
        (self.folder / "train.py").write_text(script, encoding="utf-8")
        return [self.program, "launch", "--engine", engine, "--python", sys.executable, "--log-dir", self.folder / "logs", "--emit",
                self.folder / files, *options, "--", "train.py"]

    def run(self, *words, **names):
        return subprocess.run(self.words(*words, **names), cwd=self.folder, env=self.environment, check=False, capture_output=True,
                              text=True, timeout=180)

    def emit(self, *words, **names):
        done = self.run(*words, **names)
        assert done.returncode == 0, done.stderr
        return self.folder / "job"


@pytest.fixture
def launch(tmp_path, topsctl_release, installed):
    return Launch(tmp_path, topsctl_release, installed())


def rank_lines(folder, ranks=RANKS, which=-1):
    """Of each rank the last line of its one log, or another."""
    logs = [list((folder / "logs").rglob(f"rank_{rank}.log")) for rank in range(ranks)]
    return [log.read_text(encoding="utf-8").splitlines()[which] for [log] in logs]


SUMS = [f"rank {rank} of {RANKS} sum {RANKS * (RANKS + 1) // 2}" for rank in range(RANKS)]
# Two on each, in the order of the hosts.
PLACES = [f"rank {rank} of {RANKS} on n{rank // 2}" for rank in range(RANKS)]


HERE = ["--hosts-from", "localhost", "--engine-arg", "--allow-run-as-root"]


def test_ranks_by_open_mpi_add_up(launch, tmp_path):
    done = subprocess.run([launch.emit("mpi", *HERE, "--nproc", str(RANKS)) / "run.sh"], env=launch.environment, capture_output=True, text=True, timeout=180,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert rank_lines(tmp_path) == SUMS


FAILS = """
import os, time, torch
print("begun", flush=True)
open("begun-" + os.environ["RANK"], "w").close()
while os.environ["RANK"] == "2":
    if os.path.exists("begun-0"):
        torch.cuda.set_device(2)
    time.sleep(0.1)
time.sleep(600)
"""


def test_a_job_that_fails_is_diagnosed(launch, schema):
    done = launch.run("mpi", *HERE, "--shim", "never", "--nproc", "3", "--submit", "--json", script=FAILS)
    assert done.returncode == 1 and " begun\n" in done.stderr, done
    report = json.loads(done.stdout)
    schema(report, "launch")
    submitted = report["cluster"]["submitted"]
    assert report["started"] and submitted["status"] == 1
    assert submitted["first_cause"] == "torch-without-cuda-symbol", submitted


def test_a_rank_of_open_mpi_that_is_killed_is_known_as_killed(launch):
    killed = "import os, signal, time\nos.kill(os.getpid(), 9) if os.environ['RANK'] == '1' else time.sleep(600)\n"
    done = launch.run("mpi", *HERE, "--nproc", "2", "--submit", "--json", script=killed)
    submitted = json.loads(done.stdout)["cluster"]["submitted"]
    assert submitted["first_cause"] == "rank-killed", done


def test_open_mpi_that_refuses_root_is_foreseen(launch):
    if os.geteuid() != 0:
        pytest.skip("it refuses root only")
    said = "warning: mpi does not start for root: add --engine-arg=--allow-run-as-root"
    assert said in launch.run("mpi", "--hosts-from", "n0", "--nproc", "2").stderr
    assert said not in launch.run("mpi", *HERE, "--nproc", "2", files="other").stderr


def test_what_an_engine_refuses_is_said(launch):
    done = launch.run("mpi", *HERE, "--engine-arg=--nonsense", "--submit")
    assert done.returncode == 1 and 'mpi: mpirun: Error: unknown option "--nonsense"' in done.stdout, done


@pytest.fixture
def nodes(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("nodes of one's own take root")
    two = Nodes(tmp_path / "nodes", 2)
    yield two
    two.remove()


def test_ranks_of_open_mpi_on_two_hosts_add_up(nodes, launch, tmp_path):
    nodes.start_sshd()
    words = ["--allow-run-as-root", "-x", "PYTHONPATH", "-x", "LD_LIBRARY_PATH", "-x", "GLOO_SOCKET_IFNAME", "--mca", "plm_rsh_agent",
             f"ssh -F {nodes.folder}/ssh.conf", "--mca", "btl_tcp_if_include", "eth0", "--mca", "oob_tcp_if_include", "eth0"]
    job = launch.emit("mpi", "--hosts-from", "n[0-1]", "--nproc", "2", *(f"--engine-arg={word}" for word in words), script=TRAIN_HERE)
    done = nodes.run(job / "run.sh", env=launch.environment | {"GLOO_SOCKET_IFNAME": "eth0"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert (rank_lines(tmp_path, which=-2), rank_lines(tmp_path)) == (SUMS, PLACES)


@pytest.fixture
def slurm(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("a Slurm of one's own takes root")
    cluster = Slurm(tmp_path / "slurm")
    yield cluster
    cluster.remove()


TWO_NODES = ["--hosts-from", "n[0-1]", "--engine-arg", "--comment=two words"]


def test_ranks_on_two_nodes_of_slurm_add_up(slurm, launch, tmp_path):
    environment = launch.environment | {"GLOO_SOCKET_IFNAME": "eth0"}
    job = launch.emit("slurm", *TWO_NODES, "--nproc", "2", script=TRAIN_HERE)
    tested = slurm.run("sbatch", "--test-only", job / "job.sbatch", env=environment)
    assert tested.returncode == 0, tested.stderr
    done = slurm.run(job / "submit.sh", env=environment)
    assert done.returncode == 0, done.stderr + "".join(log.read_text() for log in job.glob("*.log"))
    assert (rank_lines(tmp_path, which=-2), rank_lines(tmp_path)) == (SUMS, PLACES)


CARDS_SEEN = "import os\nprint('cards', os.environ.get('CUDA_VISIBLE_DEVICES'), 'set', os.environ.get('OWN'))\n"
# Of a site that exports nothing, and of an allocation that binds a card to each task.
SURROUNDINGS = [{"SBATCH_EXPORT": "NONE"}, {"SLURM_EXPORT_ENV": "NONE"}, {"SLURM_GPUS_PER_TASK": "1", "SLURM_NTASKS": "4",
                                                                         "SLURM_NTASKS_PER_GPU": "1", "SLURM_GPU_BIND": "single:1"}]


@pytest.mark.parametrize("around", SURROUNDINGS, ids=lambda around: next(iter(around)))
@pytest.mark.sampled(3)
def test_a_job_of_slurm_starts_whatever_is_around_it(slurm, launch, tmp_path, around):
    own = "".join(f"export {name}={launch.environment[name]!r}\n" for name in ("LD_LIBRARY_PATH", "PYTHONPATH") if name in launch.environment)
    job = launch.emit("slurm", *TWO_NODES, "--nproc", "2", "--set", "OWN=1", "--job-name", "own_name", script=CARDS_SEEN)
    # What the nodes have of their own where nothing is exported.
    text = (job / "job.sbatch").read_text()
    (job / "job.sbatch").write_text(text.replace("set -euo pipefail\n", f"set -euo pipefail\n{own}", 1))
    done = slurm.run(job / "submit.sh", env=launch.environment | around)
    assert done.returncode == 0, done.stderr + "".join(log.read_text() for log in job.glob("*.log"))
    assert rank_lines(tmp_path) == ["cards None set 1"] * 4
    assert "#SBATCH --job-name=own_name\n" in text


def test_the_log_of_slurm_is_shown_named_and_judged(slurm, launch, tmp_path):
    words = launch.words("slurm", *TWO_NODES, "--nproc", "1", "--submit", script=CARDS_SEEN)
    # Fails before it has a rank, and so a log of one.
    bare = tmp_path / "bare-python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S -I "$@"\n')
    bare.chmod(0o755)
    words[words.index("--python") + 1] = bare
    done = slurm.run(*words, env=launch.environment, cwd=tmp_path)
    [log] = (tmp_path / "job").glob("slurm-*.log")
    assert done.returncode != 0 and f"{log}\n" in done.stdout, done
    assert any("No module named" in line for line in done.stdout.splitlines() if "slurm: " in line), done
    assert "verdict: problems" in done.stdout, done


def test_a_submitted_job_ends_with_topsctl(slurm, launch, tmp_path):
    words = launch.words("slurm", *TWO_NODES, "--shim", "never", "--nproc", "1", "--submit", script=FAILS)
    running = subprocess.Popen(slurm.argv(0, *words), cwd=tmp_path, env=slurm.environment | launch.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    slurm.processes.append(running)
    slurm.wait_for(lambda: len(list(tmp_path.glob("begun-*"))) == 2)
    [number] = [folder.parent.name for folder in tmp_path.glob("logs/*/rank_0.log")]
    assert slurm.state_of(number) == "RUNNING"
    [submitting] = slurm.pids("launch")
    os.kill(submitting, signal.SIGINT)
    out, _ = running.communicate(timeout=120)
    assert running.returncode == 130 and "] begun\n" in out, out
    slurm.wait_for(lambda: slurm.state_of(number) == "CANCELLED")
    words = launch.words("slurm", *TWO_NODES, "--engine-arg=--partition=none", "--submit", files="other")
    refused = slurm.run(*words, env=launch.environment, cwd=tmp_path)
    assert refused.returncode == 1 and "the job was not submitted: exit status 1" in refused.stderr, refused
    assert "invalid partition" in (tmp_path / "other/submit.log").read_text()


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
    open(f"reached-{count}-{os.environ['RANK']}", "w").close()
    time.sleep(600)
print("continues from", torch.load(sys.argv[2])["step"], flush=True)
"""


@pytest.mark.whole
def test_a_requeued_job_goes_on_from_the_newest_whole_checkpoint(slurm, launch, tmp_path):
    job = launch.emit("slurm", *TWO_NODES, "--nproc", "1", "--checkpoints", "work", "--resume", "--resume-from {checkpoint}",
                      script=REQUEUED)
    environment = launch.environment | {"GLOO_SOCKET_IFNAME": "eth0"}
    number = slurm.run("sbatch", "--parsable", job / "job.sbatch", env=environment).stdout.strip()
    for attempt in range(2):
        slurm.wait_for(lambda: all((tmp_path / f"reached-{attempt}-{rank}").exists() for rank in range(2)))
        assert slurm.run("scontrol", "requeue", number).returncode == 0
        # Slurm would wait for two minutes.
        slurm.wait_for(lambda: slurm.state_of(number) == "PENDING")
        assert slurm.run("scontrol", "update", f"JobId={number}", "StartTime=now").returncode == 0
    slurm.wait_for(lambda: slurm.state_of(number) in ("COMPLETED", "FAILED"), patience_s=120)
    assert slurm.state_of(number) == "COMPLETED", "".join(log.read_text() for log in job.glob("*.log"))
    assert rank_lines(tmp_path, 2, which=-3) == ["attempt 1 with []"] * 2
    assert rank_lines(tmp_path, 2) == ["continues from step_10"] * 2


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


PODS = ["--host-count", "2", "--nproc", "2", "--image", "registry/t20:1", "--volume", "hostPath:/tmp:/tmp", "--volume",
        "nfs:store:/export:/export", "--volume", "pvc:models:/models"]


@pytest.fixture
def kubernetes_job(launch):
    return list(yaml.safe_load_all((launch.emit("k8s", *PODS) / "job.yaml").read_text(encoding="utf-8")))


def test_clients_of_kubernetes_keep_every_field(kubernetes_job, tmp_path):
    service, work = kubernetes_job
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
    assert kept == known and limits == {"enflame.com/gcu": "2"}


def test_a_misspelt_field_does_not_come_back(kubernetes_job):
    _, work = kubernetes_job
    work["spec"]["backoffLmit"] = work["spec"].pop("backoffLimit")
    assert through_the_client(work, "V1Job") != work


def pods_without_a_name():
    """How many pods have asked for a name in vain, and will ask again."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    asking = {number for number, _, words in rows if words.startswith("sh -c until getent hosts ")}
    return sum(parent in asking and words == "sleep 1" for _, parent, words in rows)


def test_pods_of_two_hosts_add_up(kubernetes_job, launch, nodes, tmp_path):
    (tmp_path / "train.py").write_text(TRAIN_HERE)
    service, work = kubernetes_job
    container = work["spec"]["template"]["spec"]["containers"][0]
    own = {each["name"]: each["value"] for each in container.get("env", [])}
    pods = [subprocess.Popen(nodes.argv(number, *container["command"]), cwd=container["workingDir"],
                             env=launch.environment | own | {"GLOO_SOCKET_IFNAME": "eth0", "JOB_COMPLETION_INDEX": str(number)})
            for number in range(work["spec"]["completions"])]
    try:
        wait_for(lambda: pods_without_a_name() == 2 or any(pod.poll() is not None for pod in pods), 60)
        assert [pod.poll() for pod in pods] == [None, None], "no pod waits for the name of the first"
        # Names as the Service gives them, late.
        with open(nodes.folder / "hosts", "a", encoding="utf-8") as hosts:
            for number, address in enumerate(nodes.addresses):
                hosts.write(f"{address} {work['metadata']['name']}-{number}.{service['metadata']['name']}\n")
        assert [pod.wait(timeout=180) for pod in pods] == [0, 0]
    finally:
        for pod in pods:
            pod.kill()
    assert rank_lines(tmp_path, which=-2) == SUMS


# A double: there is no Kubernetes. It knows one Job, whose pod fails at the third look.
KUBECTL_DOUBLE = """#!/bin/sh
echo "$*" >>"$0.calls"
case "$1 $2" in
    "create -f") [ ! -e "$0.job" ] || { echo 'Error from server (AlreadyExists)' >&2; exit 1; }; : >"$0.job"; echo created ;;
    "get job") echo x >>"$0.looks"; printf train/; [ "$(wc -l <"$0.looks")" -lt 3 ] || printf Failed ;;
    "get pods") echo pod/train-0-x1y2z ;;
    logs*) echo 'OSError: [Errno 98] Address already in use' ;;
    "delete -f") rm "$0.job" ;;
esac
"""


def test_a_job_of_kubernetes_is_followed_to_its_end(launch, tmp_path):
    kubectl = tmp_path / "programs/kubectl"
    kubectl.parent.mkdir()
    kubectl.write_text(KUBECTL_DOUBLE)
    kubectl.chmod(0o755)
    launch.environment["PATH"] = f"{kubectl.parent}:{launch.environment['PATH']}"
    done = launch.run("k8s", *PODS, "--submit", "--json")
    submitted = json.loads(done.stdout)["cluster"]["submitted"]
    assert (done.returncode, submitted["first_cause"]) == (1, "port-in-use"), done
    calls = Path(f"{kubectl}.calls").read_text().splitlines()
    assert sum(call.startswith("get job train ") for call in calls) == 3 and not any(call.startswith("delete") for call in calls)
    again = subprocess.run([tmp_path / "job/submit.sh"], env=launch.environment, capture_output=True, text=True, check=False)
    assert again.returncode == 1 and "if an earlier one is in the way: kubectl delete -f" in again.stdout
