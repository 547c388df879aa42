# The torch_gcu double at work with this machine's torch: both personalities, two ranks, missing libraries.

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import run
from .probe_torch_gcu import free_port

pytestmark = pytest.mark.whole  # of the double itself; test_launch.py has it at work

PROBE = Path(__file__).resolve().parent / "probe_torch_gcu.py"


def seen_in(text):
    return json.loads([line for line in text.splitlines() if line.startswith("SEEN ")][-1][5:])


def probe(environment, way):
    return seen_in(run(sys.executable, PROBE, way, env=environment).stdout)


def test_t2x_offers_eccl_through_torch_gcu_distributed(installed):
    seen = probe(installed(), "own")
    assert seen["version"] == "1.10.0+2.5.136"
    assert (seen["backend"], seen["eccl_version"]) == ("eccl", 25136)
    assert (seen["world_size"], seen["sum"], seen["gathered"]) == (1, [1.0] * 4, [[1.0] * 4])
    assert (seen["available"], seen["devices"], seen["torch_gcu_attribute"]) == (True, 8, False)


def test_t2x_leaves_torch_distributed_without_eccl(installed):
    seen = probe(installed(), "stock")
    assert "nvalid backend: 'eccl'" in seen["refused"]


@pytest.mark.parametrize("way", ["stock", "own"])
def test_s60_offers_eccl_in_torch_distributed_and_torch_gcu_too(installed, way):
    seen = probe(installed("--personality", "s60"), way)
    assert not seen["eccl_before_import"]
    assert (seen["backend"], seen["sum"], seen["torch_gcu_attribute"]) == ("eccl", [1.0] * 4, True)


def test_two_ranks_add_up(installed):
    environment = dict(installed(), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=free_port())
    ranks = [subprocess.Popen([sys.executable, str(PROBE), "own"], env=dict(environment, RANK=str(rank)),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
             for rank in (0, 1)]
    outputs = [rank.communicate(timeout=120) for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0], outputs
    for rank, (text, errors) in enumerate(outputs):
        assert seen_in(text)["sum"] == [3.0] * 4
        assert "rank {}: ecclCommInitRank success!".format(rank) in errors


def test_devices_and_data_parallelism_work_on_the_cpu(installed):
    program = "\n".join([
        "import torch, torch_gcu",
        "import torch_gcu.distributed as dist",
        "device = torch_gcu.gcu_device(1)",
        "assert (torch.ones(3, device=device) * 4).sum().item() == 12",
        "dist.init_process_group(backend='eccl', init_method='tcp://127.0.0.1:{}', rank=0, world_size=1)".format(
            free_port()),
        "model = torch_gcu.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 1).to(device), device_ids=[1])",
        "model(torch.ones(3)).sum().backward()",
        "torch_gcu.utils.data.distributed.DistributedSampler([1, 2])",
        "try: torch_gcu.gcu_device(8)",
        "except RuntimeError as error: print(error)"])
    said = run(sys.executable, "-c", program, env=installed()).stdout
    assert said.count("unified pointer") == 1
    assert "GCU count:8" in said


def test_without_cards_nothing_is_available(installed):
    environment = installed()
    del environment["TORCH_GCU_DOUBLE_DEVICES"]
    cards = len([name for name in os.listdir("/dev") if name.startswith("gcu") and name[3:].isdigit()])
    assert probe(environment, "own")["devices"] == cards


@pytest.mark.parametrize("fault", ["missing-eccl", "stub-libeccl"])
def test_without_a_true_libeccl_distributed_cannot_be_imported(installed, fault):
    environment = installed("--fault", fault)
    run(sys.executable, "-c", "import torch_gcu", env=environment)
    done = run(sys.executable, "-c", "import torch_gcu.distributed", env=environment, check=False)
    assert done.returncode == 1
    assert "ImportError" in done.stderr and "libeccl.so" in done.stderr.splitlines()[-1]


def test_the_fault_import_fails_fails_at_import(installed):
    done = run(sys.executable, "-c", "import torch_gcu", env=installed("--fault", "import-fails"), check=False)
    assert done.returncode == 1
    assert "ImportError" in done.stderr.splitlines()[-1]


def test_the_console_script_says_what_the_wheel_is(installed):
    said = run(sys.executable, "-m", "torch_gcu.info", env=installed("--personality", "s60")).stdout
    assert '"personality": "s60"' in said and "no Enflame software" in said
