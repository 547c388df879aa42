"""What goes wrong in train.py: each function is one fault, called with the rank, mostly at its third step."""

import ctypes
import logging
import os
import resource
import signal
import sys
import time
from datetime import timedelta

import numpy
import torch
import torch.distributed as dist

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


class Squares(torch.utils.data.Dataset):
    def __init__(self, size=4, at=None):
        self.size, self.at = size, at

    def __len__(self):
        return 64

    def __getitem__(self, index):
        if self.at and index == 20:
            self.at()
        return torch.ones(self.size)


def read(dataset, **options):
    for _ in torch.utils.data.DataLoader(dataset, batch_size=4, num_workers=2, **options):
        pass


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


# ---- the machine

def killed(rank):
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)


def segfault(rank):
    if rank == 1:
        os.kill(os.getpid(), signal.SIGSEGV)


def illegal(rank):
    if rank == 1:
        os.kill(os.getpid(), signal.SIGILL)


def aborted(rank):
    if rank == 1:
        os.abort()


def large_array(rank):
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    numpy.ones(1 << 34)


def large_tensor(rank):
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    torch.ones(1 << 34)


def large_list(rank):
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    [0] * (1 << 34)


def small_shared_memory(rank):
    read(Squares(1 << 18))


def many_files(rank):
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    list(torch.utils.data.DataLoader(Squares(), batch_size=1, num_workers=2))


def kill_worker():
    os.kill(os.getpid(), signal.SIGKILL)


def worker_killed(rank):
    read(Squares(at=kill_worker))


def disk_full(rank):
    torch.save({"weight": torch.ones(1 << 20)}, os.path.join(os.environ["CASE_SMALL"], "epoch_1.pth"))


def disk_full_array(rank):
    with open(os.path.join(os.environ["CASE_SMALL"], "features.bin"), "wb") as file:
        numpy.ones(1 << 20).tofile(file)


def disk_full_text(rank):
    with open(os.path.join(os.environ["CASE_SMALL"], "log.txt"), "w", encoding="utf-8") as file:
        file.write("x" * (4 << 20))


def saved(change):
    path = os.path.join(os.environ["CASE_HERE"], "latest.pth")
    torch.save({"weight": torch.ones(4096)}, path)
    with open(path, "rb") as file:
        whole = file.read()
    with open(path, "wb") as file:
        file.write(change(whole))
    torch.load(path)


def truncated_checkpoint(rank):
    saved(lambda whole: whole[:len(whole) // 2])


def pointer_checkpoint(rank):
    saved(lambda whole: b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")


def empty_checkpoint(rank):
    saved(lambda whole: b"")


def no_nodes(rank):
    os.open("/dev/gcu0", os.O_RDWR)


def stalled(rank):
    group = dist.new_group(timeout=timedelta(seconds=2))
    if rank == 1:
        time.sleep(4)
    dist.monitored_barrier(group, timeout=timedelta(seconds=2))


def stalled_reduce(rank):
    group = dist.new_group(timeout=timedelta(seconds=2))
    if rank == 0:
        dist.all_reduce(torch.ones(2), group=group)
    time.sleep(60)


def interrupted(rank):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)


def interrupted_launcher(rank):
    if rank == 0:
        os.kill(os.getppid(), getattr(signal, os.environ["CASE_SIGNAL"]))
    time.sleep(20)


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
