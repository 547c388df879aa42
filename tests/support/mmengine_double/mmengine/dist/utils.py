# mmengine.dist.utils of the stand-in: the call chain that fails on hosts without NVIDIA's driver.

import os

import torch
import torch.distributed as torch_dist


def is_distributed():
    return torch_dist.is_available() and torch_dist.is_initialized()


def init_dist(launcher, backend="nccl", init_backend="torch", **options):
    if launcher != "pytorch":
        raise ValueError("Invalid launcher type: {}".format(launcher))
    _init_dist_pytorch(backend=backend, init_backend=init_backend, **options)


def _init_dist_pytorch(backend, init_backend="torch", **options):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch_dist.init_process_group(backend=backend, **options)


def get_comm_device(group=None):
    """Where tensors of collectives must be, by the backend's name."""
    backend = torch_dist.get_backend(group)
    return torch.device("cuda", torch.cuda.current_device()) if backend == "nccl" else torch.device("cpu")


def sync_random_seed(group=None):
    seed = torch.tensor(1234 if torch_dist.get_rank(group) == 0 else 0, dtype=torch.int32).to(get_comm_device(group))
    torch_dist.broadcast(seed, src=0, group=group or torch_dist.distributed_c10d._get_default_group())
    return seed.item()
