"""What goes wrong in train.py: each function is one fault, called with the rank, mostly at its third step."""

import ctypes
import logging
import os
import signal
import sys
from datetime import timedelta

import numpy
import torch
import torch.distributed as dist

from machine_faults import *  # noqa: F403
from machine_faults import Squares, read

logging.basicConfig(level=logging.INFO)


def before(function):
    """Of faults that strike before the process group is there."""
    function.before = True
    return function


def none(rank):
    pass


# ---- what a sound job may say

def caught_import(rank):
    try:
        import apex  # noqa: F401
    except ImportError:
        logging.exception("apex is not installed, using torch's optimizer")


def caught_no_space(rank):
    try:
        raise OSError(28, "No space left on device", "/workspace/cache/features.npy")
    except OSError:
        logging.exception("the cache of features could not be written, going on without it")


def caught_out_of_memory(rank):
    try:
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 31.75 GiB total capacity)")
    except RuntimeError as error:
        print(f"WARNING: {error}; halving the batch", flush=True)


class Dropped:
    def __del__(self):
        raise AttributeError("'Dropped' object has no attribute '_iterator'")


def exception_ignored(rank):
    Dropped()


def logging_error(rank):
    logging.getLogger("train").warning("lr is %d", "none")


def thread_dies(rank):
    import threading
    thread = threading.Thread(target=lambda: {}["monitor"])
    thread.start()
    thread.join()


def names_with_error(rank):
    print("evaluating error_rate on val_error.json: mean error 0.0312, failures: 0, killed: 0", flush=True)
    print("Loading Traceback-2B checkpoint: <All keys matched successfully>", flush=True)


def at_exit(rank):
    import atexit
    atexit.register(lambda: {}["writer"])


def first_attempt_only(rank):
    if rank == 1 and os.environ.get("TORCHELASTIC_RESTART_COUNT") == "0":
        raise OSError(5, "Input/output error", "/workspace/data/train.bin")


def first_attempt_killed(rank):
    if rank == 1 and os.environ.get("TORCHELASTIC_RESTART_COUNT") == "0":
        os.kill(os.getpid(), signal.SIGKILL)


# ---- the framework

@before
def mmengine(rank):
    from mmengine.dist import init_dist
    init_dist("pytorch", backend="gloo")


@before
def mmcv(rank):
    from mmcv.runner.dist_utils import init_dist
    init_dist("pytorch", backend="gloo")


@before
def registry(rank):
    from mmengine.registry import Registry
    Registry("mmseg::model").build({"type": "DINOv3Backbone"})


def modulo_zero(rank):
    print(rank % torch.cuda.device_count())


def cuda(rank):
    torch.ones(2).cuda()


def to_cuda(rank):
    torch.ones(2).to("cuda")


def set_device(rank):
    torch.cuda.set_device(rank)


def nccl(rank):
    dist.new_group(backend="nccl")


@before
def eccl(rank):
    dist.init_process_group(backend="eccl", init_method="env://")


def probe_members(rank):
    print("ECCL available:", "eccl" in dist.Backend.__members__)


def probe_function(rank):
    print("ECCL available:", dist.is_eccl_available())


def probe_backends(rank):
    print(torch.distributed.get_available_backends())


def device_gcu(rank):
    torch.ones(2, device=f"gcu:{rank}")


def torch_gcu_api(rank):
    torch.gcu.set_device(rank)


def tensor_gcu(rank):
    torch.ones(2).gcu()


def to_object(rank):
    torch.ones(2).to(object())


def ddp(rank):
    torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2), device_ids=[rank], output_device=rank)


def sync_bn(rank):
    torch.nn.SyncBatchNorm(4)(torch.ones(2, 4))


def local_collate(rank):
    read(Squares(), collate_fn=lambda batch: batch, multiprocessing_context="spawn")


# ---- packages

@before
def no_torch_gcu(rank):
    import torch_gcu  # noqa: F401


def no_module(rank):
    import mmseg.apis  # noqa: F401


def numpy_alias(rank):
    numpy.zeros(2, dtype=numpy.object)


@before
def eccl_library(rank):
    ctypes.CDLL("libeccl.so")


@before
def runtime_library(rank):
    ctypes.CDLL("libtopsrt.so")


@before
def terminal_library(rank):
    ctypes.CDLL("libtinfo.so.5")


@before
def other_torch(rank):
    ctypes.CDLL(os.environ["CASE_LIBRARY"])


@before
def metadata(rank):
    from importlib.metadata import version
    print(version("ptex"))


@before
def invalid_version(rank):
    from packaging.version import Version
    Version("0.19.1.115.gcu")


# ---- the start

@before
def local_rank(rank):
    print(int(os.environ["LOCAL_RANK"]))


@before
def env_init(rank):
    dist.init_process_group("gloo", init_method="env://")


@before
def fixed_port(rank):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['CASE_PORT']}", rank=0, world_size=2)


@before
def nobody_there(rank):
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{os.environ['CASE_PORT']}", rank=1, world_size=2,
                            timeout=timedelta(seconds=3))


# ---- what no entry knows

def bad_sample(rank):
    if rank == 1:
        raise ValueError("sample 4711 has no label")


def missing_key(rank):
    if rank == 1:
        print({"image": 1}["img"])


def size_mismatch(rank):
    torch.nn.Linear(2, 2).load_state_dict(torch.nn.Linear(3, 2).state_dict())


def shapes(rank):
    torch.ones(2, 3) @ torch.ones(2, 3)


def assertion(rank):
    assert torch.isfinite(torch.tensor(float("nan"))), "loss is not finite"


def quiet_exit(rank):
    if rank == 1:
        sys.exit(3)


def encoding(rank):
    b"\xc8\xd5\xd6\xbe".decode("utf-8")


def chained(rank):
    try:
        {}["crop_size"]
    except KeyError as error:
        raise RuntimeError("the configuration of step 3, loss: 1 is incomplete") from error
