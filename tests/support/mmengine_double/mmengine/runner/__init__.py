# mmengine.runner of the stand-in: a Runner that makes a process group unless there is one.

import torch
import torch.distributed as torch_dist

from ..dist import init_dist, is_distributed


class Runner(object):
    def __init__(self, cfg):
        self.sum = None
        if cfg.launcher != "none" and not is_distributed():
            init_dist(cfg.launcher, **cfg.env_cfg.dist_cfg)

    @classmethod
    def from_cfg(cls, cfg):
        return cls(cfg)

    def train(self):
        mine = torch.full((1,), float(torch_dist.get_rank() + 1))
        torch_dist.all_reduce(mine)
        self.sum = int(mine.item())
