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
