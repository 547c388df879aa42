# The same training, written by hand for the card, one rank a process.

import argparse
import json
import os

import torch
import torch.nn as nn
import torch.utils.data
import torch.utils.data.distributed
from cards_api import BACKEND, DistributedDataParallel, card, dist

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", default=8, type=int)
parser.add_argument("--folder", default="")


def main():
    args = parser.parse_args()
    args.world_size, args.dist_url = int(os.environ["WORLD_SIZE"]), "env://"
    main_worker(int(os.environ["LOCAL_RANK"]), args.world_size, args)


def main_worker(gpu, ngpus_per_node, args):
    args.gpu, args.rank = gpu, gpu
    dist.init_process_group(backend=BACKEND, init_method=args.dist_url, world_size=args.world_size, rank=args.rank)
    torch.manual_seed(3)
    model = nn.Sequential(nn.Flatten(), nn.Linear(12, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
    device = card(args.gpu)
    model.to(device)
    args.batch_size = int(args.batch_size / ngpus_per_node)
    model = DistributedDataParallel(model, device_ids=[args.gpu])
    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    generator = torch.Generator().manual_seed(5)
    data = torch.utils.data.TensorDataset(torch.randn(32, 3, 2, 2, generator=generator), torch.randint(4, (32,), generator=generator))
    sampler = torch.utils.data.distributed.DistributedSampler(data, args.world_size, args.rank)
    loader = torch.utils.data.DataLoader(data, batch_size=args.batch_size, shuffle=False, pin_memory=True, sampler=sampler)
    losses, right = [], torch.zeros(1, device=device)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for images, target in loader:
            images, target = images.to(device, non_blocking=True), target.to(device, non_blocking=True)
            output = model(images)
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            right += output.argmax(1).eq(target).float().sum()
    total = torch.tensor([sum(losses), len(losses)], dtype=torch.float32, device=device)
    dist.all_reduce(total, dist.ReduceOp.SUM, async_op=False)
    print("RESULT " + json.dumps({"losses": losses, "rank": args.rank, "card": str(next(model.parameters()).device), "total": total.tolist(),
                                  "right": int(right.item()), "loaded": str(device)}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
