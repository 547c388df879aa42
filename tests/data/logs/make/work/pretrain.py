"""A training with a data loader, DDP, validation and checkpoints; --fault names what goes wrong, see cluster_faults.py."""

import argparse
import datetime
import logging
import os
import socket

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

import cluster_faults

log = logging.getLogger("pretrain")


class Tokens(Dataset):
    def __init__(self, fault):
        self.fault = fault

    def __len__(self):
        return 64

    def __getitem__(self, index):
        cluster_faults.strike(self.fault, "sample", index)
        return torch.full((16,), float(index) / 64), torch.ones(1)


class Model(torch.nn.Module):
    def __init__(self, fault):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.BatchNorm1d(32), torch.nn.ReLU())
        self.head = torch.nn.Linear(32, 1)
        self.aux = torch.nn.Linear(32, 1)
        self.fault = fault

    def forward(self, x):
        hidden = self.body(x)
        other = cluster_faults.strike(self.fault, "forward", self, x, hidden)
        return self.head(hidden) + self.aux(hidden) if other is None else other


class Trainer:
    def __init__(self, args):
        self.args = args
        self.rank = int(os.environ.get("RANK", os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("SLURM_PROCID", 0))))
        self.world = int(os.environ.get("WORLD_SIZE", os.environ.get("OMPI_COMM_WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1))))
        cluster_faults.strike(args.fault, "start", self)
        if self.world > 1:
            dist.init_process_group("gloo", rank=self.rank, world_size=self.world,
                                    timeout=datetime.timedelta(seconds=int(os.environ.get("CASE_TIMEOUT", "60"))))
        log.info("rank %d of %d on %s, backend gloo", self.rank, self.world, socket.gethostname())
        cluster_faults.strike(args.fault, "joined", self)
        self.model = Model(args.fault)
        self.net = DistributedDataParallel(self.model) if self.world > 1 else self.model
        cluster_faults.strike(args.fault, "built", self)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        data = Tokens(args.fault)
        sampler = DistributedSampler(data, num_replicas=self.world, rank=self.rank) if self.world > 1 else None
        self.loader = DataLoader(data, batch_size=args.batch, sampler=sampler, num_workers=args.workers)

    def train_one_epoch(self, epoch):
        for step, (x, y) in enumerate(self.loader):
            cluster_faults.strike(self.args.fault, "step", self, epoch, step)
            loss = torch.nn.functional.mse_loss(self.net(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if self.rank == 0:
                log.info("epoch %d | step %d | loss %.4f | lr %.2e", epoch, step, loss.item(), 1e-3)

    def validate(self, epoch):
        self.net.eval()
        with torch.no_grad():
            error = torch.stack([(self.model(x) - y).abs().mean() for x, y in self.loader]).mean()
        if self.world > 1:
            dist.all_reduce(error)
        self.net.train()
        log.info("epoch %d | validation error %.4f", epoch, error.item() / self.world)

    def save(self, epoch):
        if self.rank == 0:
            path = os.path.join(self.args.output, "epoch_%d.pt" % epoch)
            torch.save({"model": self.model.state_dict(), "pad": torch.zeros(200000)}, path)
            log.info("saved %s", path)

    def fit(self):
        for epoch in range(self.args.epochs):
            self.train_one_epoch(epoch)
            self.validate(epoch)
            cluster_faults.strike(self.args.fault, "save", self, epoch)
            self.save(epoch)
        if self.rank == 0:
            log.info("training finished")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", default="none")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--output", default="runs")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    os.makedirs(args.output, exist_ok=True)
    Trainer(args).fit()


if __name__ == "__main__":
    main()
