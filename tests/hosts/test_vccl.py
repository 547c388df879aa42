"""VCCL, the second stack, as data: doubles of its deb and its tree on real hosts, whose torch is a double that maps a library."""

import json
import subprocess

import pytest

from hosts.operations import Operator
from support import vccl_double

# The guide's training script with its faults; `init_distributed` and the loop are cut.
TRAIN_DISTRIBUTED = """import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def init_distributed(rank, world_size):
    dist.init_process_group(
        backend='nccl',
        init_method='env://',
        world_size=world_size,
        rank=rank
    )
    torch.cuda.set_device(rank % torch.cuda.device_count())


def train_model(rank, world_size, model, dataloader):
    init_distributed(rank, world_size)
    model = torch.nn.parallel.DistributedDataParallel(
        model.cuda(rank % torch.cuda.device_count()), device_ids=[rank % torch.cuda.device_count()])


if __name__ == '__main__':
    world_size = int(os.environ['WORLD_SIZE'])
    mp.spawn(train_model, args=(world_size, None, None), nprocs=world_size)
"""
STACK = ["--stack", "vccl-2.26.6"]
# As the guide has them, for one Megatron training: what of them is wrong there stands beside it.
GUIDE = {
    "NCCL_PXN_DISABLE": "1",
    "NCCL_PASS_SM": "1",
    "NCCL_CUMEM_ENABLE": "1",
    "NCCL_ENABLE_FAULT_TOLERANCE": "1",  # excluded by NCCL_PASS_SM=1
    "NCCL_IB_GID_INDEX": "3",
    "NCCL_IB_HCA": "mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1",
    "NCCL_DEBUG": "WARN",
    "NCCL_TELEMETRY_ENABLE": "1",  # no TELEMETRY_WINDOWSIZE, and none without SM
    "NCCL_TELEMETRY_LOG_PATH": "/tmp/training_telemetry",  # not made by anybody
}


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


def statuses(report):
    return {check["id"]: check["status"] for check in report["checks"]}


def bundle_of(tmp_path, make):
    made = make(tmp_path)
    folder = tmp_path / "bundle"
    folder.mkdir()
    made.rename(folder / made.name)
    return folder


@pytest.mark.parametrize("make, package", [(vccl_double.make_deb, "libnccl2"), (vccl_double.make_tree, "vccl")], ids=["deb", "tree"])
def test_it_is_installed_verified_and_rolled_back(operator, host, schema, run_topsctl, tmp_path, make, package):
    bundle = bundle_of(tmp_path, make)
    is_tree = package == "vccl"
    vccl_double.add_torch(host)
    before = operator.digest()
    seen = run_topsctl(["inspect", bundle, "--json"]).json
    assert {stack["name"]: stack["complete"] for stack in seen["stacks"]}["vccl-2.26.6"]
    report = operator.json("install", bundle, "--profile", "staging")
    schema(report, "install")
    assert report["outcome"] == "committed" and report["plan"]["stack"] == "vccl-2.26.6"
    library = "/opt/vccl/lib/libnccl.so.2" if is_tree else "/usr/lib/x86_64-linux-gnu/libnccl.so.2"
    assert host.run(["dpkg", "-S", library]).stdout == f"{package}: {library}\n"
    shown = host.login_shell("printf '%s|' \"$NCCL_PASS_SM\" \"$NCCL_PSM_FORCE_ZEROCOPY\" \"${LD_LIBRARY_PATH-}\"").stdout
    assert shown == ("1|1|/opt/vccl/lib|" if is_tree else "1|1||")
    verified = operator.json("verify", *STACK, "--level", "import")
    assert set(statuses(verified).values()) == {"pass"}, verified["checks"]
    [loaded] = [check for check in verified["checks"] if check["id"] == "loaded-library"]
    assert loaded["observed"].endswith(f"{library}.26.62, version 22662"), loaded
    assert operator.topsctl("env", "check", *STACK).code == 0
    operator.json("rollback")
    assert not operator.changes_since(before)


def test_a_drafted_stack_installs_its_deb_as_it_is(operator, host, run_topsctl, topsctl_release, tmp_path):
    """As if its vendor were unknown: --name keeps topsctl from taking the stack that it knows, which it gives otherwise."""
    bundle, file = bundle_of(tmp_path, vccl_double.make_deb), tmp_path / "ours.json"
    assert json.loads(run_topsctl(["stack", "new", bundle], binary=topsctl_release).out)["name"] == "vccl-2.26.6"
    made = run_topsctl(["stack", "new", bundle, "--name", "ours", "--output", file], binary=topsctl_release)
    assert made.code == 0, made
    drafted = json.loads(file.read_text())
    assert drafted["accelerator"]["pci_vendor"] == "10de" and drafted["components"][0]["version"] == "2.26.62"
    before = operator.digest()
    assert operator.json("install", bundle, "--stack", file)["outcome"] == "committed"
    verified = statuses(operator.json("verify", "--stack", file, "--level", "import"))
    assert set(verified.values()) == {"pass"} and "libnccl2-version" in verified, verified
    operator.json("rollback")
    assert not operator.changes_since(before)


def test_another_library_in_torch_is_told(operator, host, tmp_path):
    vccl_double.make_library(host.path("/opt/torch-own"), marker="of NVIDIA", code=22203)
    vccl_double.add_torch(host)
    operator.json("install", bundle_of(tmp_path, vccl_double.make_deb))
    init = host.path(f"/usr/local/lib/python{host.python_minor()}/dist-packages/torch/__init__.py")
    init.write_text(vccl_double.TORCH.format(library="/opt/torch-own/libnccl.so.2"))
    report = operator.json("verify", *STACK, "--level", "import", code=5)
    [loaded] = [check for check in report["checks"] if check["id"] == "loaded-library"]
    assert loaded["status"] == "fail" and "/opt/torch-own/libnccl.so.2.26.62" in loaded["observed"] and "22203" in loaded["observed"]


def test_a_library_that_nothing_loads_is_not_verified(operator, host, tmp_path):
    report = operator.json("install", bundle_of(tmp_path, vccl_double.make_deb))
    assert report["outcome"] == "committed"
    host.run(["sh", "-ec", "rm -rf $(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')"], check=True)
    verified = operator.json("verify", *STACK, "--level", "load", code=5)
    [loaded] = [check for check in verified["checks"] if check["id"] == "loaded-library"]
    assert loaded["status"] == "unknown", loaded


def test_a_deb_of_its_name_without_its_code_is_told(operator, host, tmp_path):
    vccl_double.add_torch(host)
    operator.json("install", bundle_of(tmp_path, lambda folder: vccl_double.make_deb(folder, marker="of NVIDIA")))
    report = operator.json("verify", *STACK, "--level", "import", code=5)
    [failed] = [check for check in report["checks"] if check["status"] == "fail"]
    assert failed["id"] == "loaded-library" and "is not the stack's" in failed["observed"], failed


def test_a_tree_that_leads_out_of_its_folder_changes_nothing(operator, tmp_path):
    archive = vccl_double.make_tree(tmp_path)
    top = tmp_path / "tree" / archive.name.removesuffix(".txz")
    (top / "lib/evil").symlink_to("/etc/passwd")
    archive.unlink()
    subprocess.run(["tar", "-C", top.parent, "-cJf", archive, top.name], check=True)
    before = operator.digest()
    refused = operator.topsctl("install", archive)
    assert refused.code == 3 and "points outside it" in refused.err, refused
    assert not operator.changes_since(before)


def test_what_the_guide_has_wrong_is_told_with_its_line(operator, host):
    host.path("/etc/profile.d/vccl.sh").write_text("".join(f"export {name}={value}\n" for name, value in GUIDE.items()))
    report = operator.json("env", "check", *STACK, code=5)
    found = {(finding["id"], finding["subject"]) for finding in report["findings"]}
    assert found == {("environment-variables-exclude", "NCCL_PASS_SM"), ("environment-variable-alone", "NCCL_PASS_SM"),
                     ("environment-variable-alone", "NCCL_TELEMETRY_ENABLE"),
                     ("environment-folder-missing", "NCCL_TELEMETRY_LOG_PATH")}, json.dumps(report["findings"], indent=1)
    lines = {(evidence["source"], evidence["line"]) for finding in report["findings"] for evidence in finding["evidence"]}
    assert ("/etc/profile.d/vccl.sh", 4) in lines


# The guide's training: 16 hosts of eight cards, TP 2, PP 4, micro batch 4, global batch 512. Fault tolerance is left out: SM-free excludes it.
MEGATRON = ["--tp", "2", "--pp", "4", "--micro-batch", "4", "--global-batch", "512", "--profile", "staging", "--set", "NCCL_IB_GID_INDEX=3",
            "--set", f"NCCL_IB_HCA={GUIDE['NCCL_IB_HCA']}"]
SIXTEEN = ["--hosts-from", "n[00-15]"]
WORDS = ["--", "pretrain_gpt.py", "--micro-batch-size", "4", "--global-batch-size", "512", "--tensor-model-parallel-size", "2",
         "--pipeline-model-parallel-size", "4", "--num-layers-per-virtual-pipeline-stage", "5", "--use-distributed-optimizer",
         "--recompute-granularity", "selective"]
SM_FREE = ("NCCL_PASS_SM=1", "NCCL_PSM_FORCE_ZEROCOPY=1", "NCCL_PXN_DISABLE=1", "NCCL_CUMEM_ENABLE=1", "NCCL_DEBUG=WARN")


@pytest.fixture(scope="module")
def vccl_host(host_factory, topsctl_release, tmp_path_factory):
    """With topsctl and VCCL's tree."""
    host = host_factory()
    host.install_binary(topsctl_release)
    archive = vccl_double.make_tree(tmp_path_factory.mktemp("vccl"))
    host.copy_in(archive, f"/srv/{archive.name}")
    host.run(["topsctl", "install", f"/srv/{archive.name}"], check=True)
    host.path("/srv/pretrain_gpt.py").write_text("")
    yield host
    host.remove()


def emitted(host, engine, *words):
    """The report, and of each file its text. No stack is named: it is the one that is installed."""
    done = host.run(["topsctl", "launch", "--engine", engine, "--emit", f"/srv/{engine}", "--json", *words], cwd="/srv")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout), {path.name: path.read_text() for path in host.path(f"/srv/{engine}").iterdir()}


def test_the_guides_mpi_script_comes_from_flags(vccl_host, schema):
    report, files = emitted(vccl_host, "mpi", *SIXTEEN, *MEGATRON, "--engine-arg=--allow-run-as-root", *WORDS)
    schema(report, "launch")
    layout = report["cluster"]["layout"]
    assert [layout[key] for key in ("ranks", "tensor", "pipeline", "data")] == [128, 2, 4, 16], layout
    assert files["hostfile"].splitlines() == [f"n{host:02} slots=8" for host in range(16)]
    script = files["run.sh"]
    assert "--map-by ppr:8:node -n 128 " in script and "--allow-run-as-root" in script
    for variable in (*SM_FREE, f"NCCL_IB_HCA={GUIDE['NCCL_IB_HCA']}", "NCCL_IB_GID_INDEX=3"):
        assert f"-x {variable} " in script or f"-x '{variable}' " in script, (variable, script)
    assert '-x LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}"/opt/vccl/lib ' in script
    assert "FAULT_TOLERANCE" not in script


def test_the_guides_slurm_script_comes_from_flags(vccl_host):
    _, files = emitted(vccl_host, "slurm", *SIXTEEN, *MEGATRON, "--engine-arg=--time=24:00:00", "--engine-arg=--partition=gpu", *WORDS)
    [script] = [text for name, text in files.items() if name.endswith(".sbatch")]
    for line in ("#SBATCH --nodes=16", "#SBATCH --gres=gpu:8", "#SBATCH --time=24:00:00", "#SBATCH --partition=gpu"):
        assert line in script, script
    assert all(variable in script for variable in SM_FREE) and "/opt/vccl/lib" in script


def test_the_guides_kubernetes_job_comes_from_flags(vccl_host):
    _, files = emitted(vccl_host, "k8s", "--host-count", "2", "--profile", "staging", "--image", "nvcr.io/nvidia/pytorch:23.08-py3",
                       "--volume", "hostPath:/opt/vccl:/opt/vccl", "--volume", "nfs:nfs-server:/shared/workspace:/workspace",
                       "--log-dir", "/workspace/logs", "--", "/workspace/train_distributed.py")
    [job] = [text for text in files.values() if "kind: Job" in text or '"kind": "Job"' in text]
    assert "nvidia.com/gpu" in job and "enflame" not in job
    for words in ("NCCL_PASS_SM", "/opt/vccl", "nfs-server", "/shared/workspace", "nvcr.io/nvidia/pytorch:23.08-py3"):
        assert words in job, job
    # Kubernetes takes a value as it is: the guide's $(LD_LIBRARY_PATH) is no variable that the pod has.
    assert "$(LD_LIBRARY_PATH)" not in job


def test_the_guides_profiles_come_from_flags(vccl_host):
    for profile, wanted in {"dev": "NCCL_PASS_SM=0", "staging": "NCCL_DEBUG=WARN", "prod": "NCCL_DEBUG=VERSION"}.items():
        shown = vccl_host.run(["topsctl", "env", "--profile", profile], check=True).stdout
        assert wanted in shown.replace('"', ""), shown


def test_no_advice_leads_away_from_cuda(vccl_host):
    project = vccl_host.path("/srv/project")
    project.mkdir()
    (project / "train_distributed.py").write_text(TRAIN_DISTRIBUTED)
    (project / "arguments.py").write_text("group.add_argument('--micro-batch-size', type=int)\n")
    (project / "train.sh").write_text('ARGS="\n    --micro-batch-size 4 \\\n    --batch-p2p-communication \\\n"\n')
    (project / "start.sh").write_text("export RANK=0\npython -m torch.distributed.launch --nproc_per_node=8 train_distributed.py\n")
    done = vccl_host.run(["topsctl", "doctor", "--project", "/srv/project", "--json"])
    report = json.loads(done.stdout)
    found = {diagnosis["id"]: [evidence["line"] for evidence in diagnosis["evidence"]] for diagnosis in report["diagnoses"]}
    assert found == {"rank-exported": [1], "spawn-of-all-nodes": [26], "batch-p2p-communication": [3]}, report
    log = vccl_host.path("/srv/rank_0.log")
    log.write_text("Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    model.cuda()\n"
                   "AssertionError: Torch not compiled with CUDA enabled\n")
    for words, cause in (([], "torch-without-cuda"), (["--stack", "topsrider-t2x"], "cuda-call-without-cuda")):
        report = json.loads(vccl_host.run(["topsctl", "doctor", "--log", "/srv/rank_0.log", "--json", *words]).stdout)
        assert report["first_cause"] == cause, report
    assert "torch_gcu" not in json.dumps(report["diagnoses"]) or cause == "cuda-call-without-cuda"


def test_cards_are_chosen_by_the_stacks_variable(vccl_host):
    for stack, variable in (("vccl-2.26.6", "CUDA_VISIBLE_DEVICES"), ("topsrider-t2x", "TOPS_VISIBLE_DEVICES")):
        done = vccl_host.run(["topsctl", "launch", "--stack", stack, "--cards", "0,3", "--preflight", "none", "--dry-run", "--",
                              "/srv/pretrain_gpt.py"])
        assert done.returncode == 0 and f"{variable}=0,3\n" in done.stdout, done.stdout + done.stderr


NVIDIA_SMI = """#!/bin/sh
case $1 in --query-gpu=index,name,*) ;; *) exit 2 ;; esac
for card in 0 1 2 3 4 5 6 7; do
    echo "$card, NVIDIA H800, 00000000:0$card:00.0, GPU-$card, 35, 70.12, 700.00, 81559, 4, $((card * 10)), P0, 535.161.08"
done
"""


def test_watch_reads_nvidia_smi(vccl_host, schema):
    tool = vccl_host.path("/usr/bin/nvidia-smi")
    tool.write_text(NVIDIA_SMI)
    tool.chmod(0o755)
    report = json.loads(vccl_host.run(["topsctl", "watch", "--once", "--json", "--prometheus", "/srv/cards.prom"]).stdout)
    schema(report, "watch")
    assert report["source"] == "nvidia-smi" and len(report["cards"]) == 8 and report["cards_busy"] == 7, report
    assert report["cards"][3]["model"] == "NVIDIA H800" and report["cards"][3]["memory_total_bytes"] == 81559 << 20
    metrics = vccl_host.path("/srv/cards.prom").read_text()
    assert "nvidia_gpu_" in metrics and "enflame" not in metrics, metrics


TELEMETRY = """Time,Group,FromRank,ToRank,DevIndex,Func,FuncTimes,SrcIP,DstIP,Bandwidth,SendWrCounter,RemainWrDataSize,Timestamp
20261126031500,77,0,8,0,4,12,10.0.0.1,10.0.0.2,390,3,4096,123456789
20261126031500,77,0,8,0,4,12,10.0.0.1,10.0.0.2,210,3,4096,123456989
"""


def test_telemetry_of_both_forms_is_summed_up(run_topsctl, schema, tmp_path):
    (tmp_path / "n0-mlx5_0-Port0-A.log").write_text(TELEMETRY)
    packed = [0 << 63 | 380 << 54 | 0, 1 << 63 | 95 << 54 | 100_000_000]
    (tmp_path / "n0-mlx5_1-Port1-B.log").write_text("64 bits data: status(63) | bandwidth(62 - 54) | timestamp(53 - 0) \n" +
                                                  "".join(f"{number}\n" for number in packed))
    (tmp_path / "rank_0.json").write_text("{}")
    report = run_topsctl(["watch", *STACK, "--once", "--json", "--telemetry", tmp_path]).json
    schema(report, "watch")
    assert [(port["nic"], port["values"], port["mean_gbps"], port["lowest_gbps"], port["drops"]) for port in report["telemetry"]] == \
        [("mlx5_0", 2, 300.0, 210.0, 0), ("mlx5_1", 2, 237.5, 95.0, 1)]
