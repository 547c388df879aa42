# What a program written by hand for the card takes from torch_gcu: device, group, parallel wrapper and mixed precision of each kind.

import os

import torch
import torch.distributed
import torch_gcu

IS_FIRST_GENERATION = hasattr(torch_gcu, "gcu_device")
if IS_FIRST_GENERATION or os.environ.get("TORCH_GCU_DOUBLE_GROUP") == "own":
    import torch_gcu.distributed as dist
    from torch_gcu.nn.parallel import DistributedDataParallel
else:
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel as _OfTorch

    def DistributedDataParallel(model, device_ids=None, **options):
        return _OfTorch(model, **options)
from torch_gcu.amp import autocast  # noqa: E402,F401

BACKEND = "eccl"


def card(index):
    if IS_FIRST_GENERATION:
        return torch_gcu.gcu_device(index)
    torch.gcu.set_device(index)
    return torch.device("gcu", index)


def gathered_numbers(number, device):
    """The same number of each rank."""
    parts = [torch.zeros(1, dtype=torch.float64).to(device) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, torch.tensor([number], dtype=torch.float64).to(device))
    return [part.item() for part in parts]
