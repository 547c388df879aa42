# A training of the shape of torch's imagenet example for CUDA: mp.spawn starts one process a card, and each sets its device.

import argparse
import json
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.utils.data
import torch.utils.data.distributed

parser = argparse.ArgumentParser()
parser.add_argument("--dist-backend", default="nccl", type=str)
parser.add_argument("--dist-url", default="tcp://127.0.0.1:23456", type=str)
parser.add_argument("--multiprocessing-distributed", action="store_true")
parser.add_argument("--cards", default=0, type=int)
parser.add_argument("--batch-size", default=8, type=int)
parser.add_argument("--folder", default="")
parser.add_argument("--gpu", default=None, type=int)


def main():
    args = parser.parse_args()
    args.distributed = args.multiprocessing_distributed or "RANK" in os.environ
    if args.multiprocessing_distributed:
        ngpus_per_node = args.cards or torch.cuda.device_count()
        args.world_size = ngpus_per_node
        mp.spawn(main_worker, nprocs=ngpus_per_node, args=(ngpus_per_node, args))
    else:
        args.world_size, args.dist_url = int(os.environ["WORLD_SIZE"]), "env://"
        main_worker(int(os.environ["LOCAL_RANK"]), args.world_size, args)


def main_worker(gpu, ngpus_per_node, args):
    args.gpu, args.rank = gpu, gpu
    dist.init_process_group(backend=args.dist_backend, init_method=args.dist_url, world_size=args.world_size, rank=args.rank)
    torch.manual_seed(3)
    model = nn.Sequential(nn.Flatten(), nn.Linear(12, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
    torch.cuda.set_device(args.gpu)
    model.cuda(args.gpu)
    args.batch_size = int(args.batch_size / ngpus_per_node)
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
    device = torch.device("cuda:{}".format(args.gpu)) if torch.cuda.is_available() else torch.device("cpu")
    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    generator = torch.Generator().manual_seed(5)
    data = torch.utils.data.TensorDataset(torch.randn(32, 3, 2, 2, generator=generator), torch.randint(4, (32,), generator=generator))
    sampler = torch.utils.data.distributed.DistributedSampler(data)
    loader = torch.utils.data.DataLoader(data, batch_size=args.batch_size, shuffle=False, pin_memory=True, sampler=sampler)
    losses, right = [], torch.zeros(1, device=device)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for images, target in loader:
            images, target = images.to(device, non_blocking=True), target.cuda(args.gpu, non_blocking=True)
            output = model(images)
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            right += output.argmax(1).eq(target).float().sum()
    total = torch.tensor([sum(losses), len(losses)], dtype=torch.float32, device=device)
    dist.all_reduce(total, dist.ReduceOp.SUM, async_op=False)
    path = os.path.join(args.folder, "checkpoint.pth.tar")
    if args.rank == 0:
        torch.save({"state_dict": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    dist.barrier()
    checkpoint = torch.load(path, map_location="cuda:{}".format(args.gpu))
    model.load_state_dict(checkpoint["state_dict"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    loaded = next(iter(checkpoint["state_dict"].values())).device
    print("RESULT " + json.dumps({"losses": losses, "rank": args.rank, "card": str(next(model.parameters()).device), "total": total.tolist(),
                                  "right": int(right.item()), "loaded": str(loaded)}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
