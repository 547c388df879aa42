"""A stand-in: the call chain of MMEngine's init_dist, and no more."""

import os

import torch
import torch.distributed as torch_dist


def init_dist(launcher, backend="nccl", **kwargs):
    if launcher == "pytorch":
        _init_dist_pytorch(backend, **kwargs)
    else:
        raise ValueError(f"Invalid launcher type: {launcher}")


def _init_dist_pytorch(backend, init_backend="torch", **kwargs):
    rank = int(os.environ["RANK"])
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    torch_dist.init_process_group(backend=backend, rank=rank, **kwargs)
