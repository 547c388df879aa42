# What CUDA projects do beside their training: devices as default arguments, options and classes of wrappers, groups of both kinds, objects.

import argparse
import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Loader:
    def __init__(self, data, device=torch.device("cuda")):
        self.data, self.device = data, device


class Wrapper(DDP):
    def extra(self):
        return "own"


def bare(model):
    return model.module if isinstance(model, (nn.DataParallel, DDP)) else model


def wrap(model, rank, **options):
    return DDP(model, device_ids=[rank], **options)


def on_cpu():
    dist.init_process_group("gloo")
    x = torch.ones(1)
    dist.all_reduce(x)
    told = dist.get_backend()
    dist.destroy_process_group()
    return [x.item(), told, dist.is_initialized()]


def collectives(rank, world, device):
    """Of each kind, what it gives."""
    mine = torch.arange(4, dtype=torch.float32, device=device) + 10 * rank
    gathered = torch.empty(4 * world, device=device)
    dist._all_gather_base(gathered, mine)
    given = [None, None]
    dist.all_gather_object(given, {"rank": rank})
    objects = [rank, "told"] if rank == 0 else [None, None]
    dist.broadcast_object_list(objects, src=0)
    everyone = [None] * world if rank == 0 else None
    dist.gather_object(("of", rank), everyone, dst=0)
    scattered = [None]
    dist.scatter_object_list(scattered, [{"to": each} for each in range(world)] if rank == 0 else [None] * world, src=0)
    handle = dist.all_reduce(mine, async_op=True)
    handle.wait()
    dist.barrier(device_ids=[int(os.environ["LOCAL_RANK"])])
    alone = dist.new_group([0])
    if rank == 0:
        one = torch.ones(1, device=device)
        dist.all_reduce(one, group=alone)
        assert one.item() == 1 and dist.get_world_size(alone) == 1
    of_host = dist.new_group(backend="gloo")
    host = torch.ones(1) * (rank + 1)
    dist.all_reduce(host, group=of_host)
    # NVIDIA's gloo takes tensors of cards as well.
    staged = torch.ones(1, device=device) * (rank + 1)
    dist.broadcast(staged, 1, group=of_host)
    dist.monitored_barrier(of_host)
    return [gathered.tolist(), given, objects, everyone, scattered, mine.tolist(), host.item(), dist.get_backend(of_host), staged.item()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dist-backend", default="nccl")
    args = parser.parse_args()
    loader = Loader([1])
    first = on_cpu()
    os.environ["MASTER_PORT"] = str(int(os.environ["MASTER_PORT"]) + 1)
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group(backend=args.dist_backend, init_method="env://")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dtype = "bfloat16" if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else "float16"
    model = nn.Linear(2, 2)
    model.cuda(torch.cuda.current_device())
    net = wrap(model, rank, broadcast_buffers=False, find_unused_parameters=True)
    derived = Wrapper(nn.Linear(2, 2).to(args.device), device_ids=[rank], broadcast_buffers=False)
    found = {
        "on_cpu": first, "rank": rank, "dtype": dtype, "device": str(device), "of_loader": str(loader.device),
        "card": str(model.weight.device), "broadcast_buffers": net.broadcast_buffers, "unused": net.find_unused_parameters,
        "keys": sorted(bare(net).state_dict()), "derived": [derived.extra(), isinstance(derived, DDP), derived.broadcast_buffers],
        "in_other_names": [isinstance(net, nn.parallel.distributed.DistributedDataParallel), isinstance(model, DDP)],
        "is_cuda": [model.weight.is_cuda, torch.ones(1).is_cuda], "count": torch.cuda.device_count(), "name": torch.cuda.get_device_name(),
        "collectives": collectives(rank, dist.get_world_size(), device), "backend": dist.get_backend(), "output": net(torch.ones(1, 2)).is_cuda}
    print("RESULT " + json.dumps(found), flush=True)
    dist.destroy_process_group()
    assert not dist.is_initialized()


if __name__ == "__main__":
    main()
