# mmengine.runner of the stand-in: a Runner that makes a process group unless there is one.

import os

import torch
import torch.distributed as torch_dist

from ..dist import get_comm_device, init_dist, is_distributed, sync_random_seed


class Runner(object):
    def __init__(self, cfg):
        self.sum = None
        if cfg.launcher != "none" and not is_distributed():
            init_dist(cfg.launcher, **cfg.env_cfg.dist_cfg)

    @classmethod
    def from_cfg(cls, cfg):
        return cls(cfg)

    def train(self):
        mine = torch.full((1,), float(torch_dist.get_rank() + 1)).to(get_comm_device())
        torch_dist.all_reduce(mine)
        self.sum = int(mine.item())

    def wrap_model(self, model):
        """On the device, and parallel where there is a group."""
        from ..device import get_device
        from ..model import MMDistributedDataParallel, convert_sync_batchnorm
        torch.manual_seed(sync_random_seed())
        model = convert_sync_batchnorm(model.to(get_device()))
        return MMDistributedDataParallel(module=model, device_ids=[int(os.environ["LOCAL_RANK"])], broadcast_buffers=False,
                                         find_unused_parameters=False)
