# The guides' project, patched by topsctl doctor, trains under torchrun on the doubles: the ranks' sum is what it must be.

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import run
from .probe_torch_gcu import free_port

TESTS = Path(__file__).resolve().parents[2]
SCRIPTS = ("train_distributed_8card_gcu.py", "train_with_runner.py")
CONFIG = "configs/train_dinov3_mmrs1m_t20_gcu_8card.py"
IS_LONG = os.environ.get("TOPSCTL_TEST_EVERY_TARGET") == "1"
TARGETS = [("t2x", "eccl", SCRIPTS[:1]), ("t2x", "eccl", SCRIPTS[1:]), ("s60", "eccl", SCRIPTS), ("t2x", "gloo", SCRIPTS),
           ("s60", "gloo", SCRIPTS)]


def patched(topsctl, folder, api, backend):
    """The project with the patch in it."""
    shutil.copytree(TESTS / "data" / "project", folder)
    done = subprocess.run([topsctl, "doctor", "--project", folder, "--api", api, "--backend", backend, "--patch"],
                          capture_output=True, check=False)
    assert done.returncode == 5, done.stderr.decode()
    subprocess.run(["patch", "--binary", "-s", "-p1"], cwd=folder, input=done.stdout, check=True)
    for path in sorted(folder.rglob("*.py")):
        compile(path.read_bytes(), str(path), "exec")
    subprocess.run(["bash", "-n", folder / "start_8card_training.sh"], check=True)
    return folder


def torchrun(project, script, environment):
    # Without -r and -t, torchrun of PyTorch 1.13 fails with Python 3.11.
    return run(sys.executable, "-m", "torch.distributed.run", "-r", "1", "-t", "1", "--log_dir", project / "logs",
               "--nproc_per_node=8", "--master_port", free_port(), "scripts/" + script, CONFIG, env=environment,
               cwd=project, check=False)


@pytest.mark.parametrize("api, backend, scripts", TARGETS if IS_LONG else TARGETS[:1])
def test_eight_ranks_add_up_after_the_patch(topsctl_dev, installed, tmp_path, api, backend, scripts):
    environment = installed(*(["--personality", "s60"] if api == "s60" else []))
    environment["PYTHONPATH"] += os.pathsep + str(TESTS / "support" / "mmengine_double")
    project = patched(topsctl_dev, tmp_path / "project", api, backend)
    for script in scripts:
        done = torchrun(project, script, environment)
        assert done.returncode == 0, done.stderr
        assert "sum 36" in done.stdout


def test_without_the_patch_mmengine_sets_a_cuda_device(installed, tmp_path):
    environment = installed()
    environment["PYTHONPATH"] += os.pathsep + str(TESTS / "support" / "mmengine_double")
    done = run(sys.executable, TESTS / "data" / "project" / "scripts" / SCRIPTS[1], TESTS / "data" / "project" / CONFIG,
               env=dict(environment, RANK="0", LOCAL_RANK="0", WORLD_SIZE="1"), check=False)
    assert done.returncode != 0
    assert "_init_dist_pytorch" in done.stderr
