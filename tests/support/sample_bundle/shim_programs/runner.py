# A training by MMEngine's Runner for CUDA: the group, the device, the wrapper and the seed are MMEngine's.

import json

import torch
import torch.distributed as dist
import torch.nn as nn
from mmengine.config import Config
from mmengine.device import get_device, get_max_cuda_memory
from mmengine.model import is_model_wrapper
from mmengine.runner import Runner

cfg = Config(launcher="pytorch", env_cfg=Config(dist_cfg=dict(backend="nccl")))
runner = Runner.from_cfg(cfg)
runner.train()
torch.manual_seed(11)
model = runner.wrap_model(nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2)))
assert is_model_wrapper(model) and get_device() == "cuda" and get_max_cuda_memory() >= 0
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
losses = []
for step in range(5):
    # The wrapper moves what it is given.
    losses.append(model.train_step(torch.randn(6, 4) + dist.get_rank(), optimizer))
print("RESULT " + json.dumps({"losses": losses, "rank": dist.get_rank(), "card": str(next(model.parameters()).device),
                              "sum": runner.sum}), flush=True)
dist.destroy_process_group()
