"""A stand-in: the call chain of old MMCV's init_dist, and no more."""

import os

import torch
import torch.distributed as dist


def init_dist(launcher, backend="nccl", **kwargs):
    _init_dist_pytorch(backend, **kwargs)


def _init_dist_pytorch(backend, **kwargs):
    rank = int(os.environ["RANK"])
    num_gpus = torch.cuda.device_count()
    torch.cuda.set_device(rank % num_gpus)
    dist.init_process_group(backend=backend, **kwargs)
