# The same classifier, written by hand for the card: without DETR's helpers, and with batch norm over all ranks spelled out.

import argparse
import json
import os

import torch
import torch.nn as nn
from cards_api import BACKEND, DistributedDataParallel, autocast, card, dist, gathered_numbers
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class SumOverRanks(torch.autograd.Function):
    @staticmethod
    def forward(context, values):
        total = values.clone()
        dist.all_reduce(total)
        return total

    @staticmethod
    def backward(context, gradient):
        total = gradient.clone().contiguous()
        dist.all_reduce(total)
        return total


class BatchNormOverRanks(nn.BatchNorm2d):
    def forward(self, x):
        count = torch.full((1,), float(x.numel() // x.size(1))).to(x.device)
        total = SumOverRanks.apply(torch.cat([x.sum([0, 2, 3]), (x * x).sum([0, 2, 3]), count]))
        channels, number = x.size(1), total[-1]
        mean = total[:channels] / number
        variance = total[channels:-1] / number - mean * mean
        with torch.no_grad():
            self.num_batches_tracked.add_(1)
            self.running_mean.mul_(0.9).add_(0.1 * mean)
            self.running_var.mul_(0.9).add_(0.1 * variance * number / (number - 1))
        normed = (x - mean.view(1, -1, 1, 1)) / torch.sqrt(variance.view(1, -1, 1, 1) + self.eps)
        return normed * self.weight.view(1, -1, 1, 1) + self.bias.view(1, -1, 1, 1)


def main(args):
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    device = card(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group(backend=BACKEND, init_method="env://", world_size=world, rank=rank)
    torch.manual_seed(42 + rank)
    generator = torch.Generator().manual_seed(7)
    data = TensorDataset(torch.randn(48, 3, 6, 6, generator=generator), torch.randint(5, (48,), generator=generator))
    sampler = DistributedSampler(data, num_replicas=world, rank=rank, shuffle=True)
    loader = DataLoader(data, batch_size=4, sampler=sampler, num_workers=0, drop_last=True)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), BatchNormOverRanks(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 16, 5)).to(device)
    model = DistributedDataParallel(model, device_ids=[int(os.environ["LOCAL_RANK"])], find_unused_parameters=True)
    parameters = sum(p.numel() for p in model.parameters() if p.requires_grad)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    criterion = nn.CrossEntropyLoss().to(device)
    losses, of_epoch = [], []
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        of_epoch = []
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            with autocast():
                loss = criterion(model(images), labels)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            total = loss.detach().clone()
            dist.all_reduce(total)
            of_epoch.append((total / world).item())
            losses.append(loss.item())
        scheduler.step()
    # As the meters do it: counts and sums in double precision.
    sums = torch.tensor([len(of_epoch), sum(of_epoch)], dtype=torch.float64).to(device)
    dist.all_reduce(sums)
    sums = sums.tolist()
    everyone = [{"rank": each, "last": last} for each, last in enumerate(gathered_numbers(losses[-1], device))]
    print("RESULT " + json.dumps({
        "losses": losses, "rank": rank, "card": str(next(model.parameters()).device), "everyone": everyone,
        "average": sums[1] / int(sums[0]), "parameters": parameters}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", default=2, type=int)
    main(parser.parse_args())
