# A classifier of the shape of DETR and MAE for CUDA: their util/misc.py, batch norm over all ranks, a sampler, checkpoints.

import argparse
import json

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import util.misc as utils
from util.misc import NativeScalerWithGradNormCount as NativeScaler


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda", help="device to use for training / testing")
    parser.add_argument("--dist_url", default="env://")
    parser.add_argument("--epochs", default=2, type=int)
    parser.add_argument("--output", default="")
    return parser.parse_args()


def main(args):
    utils.init_distributed_mode(args)
    device = torch.device(args.device)
    torch.manual_seed(42 + utils.get_rank())
    torch.backends.cudnn.benchmark = True
    generator = torch.Generator().manual_seed(7)
    data = TensorDataset(torch.randn(48, 3, 6, 6, generator=generator), torch.randint(5, (48,), generator=generator))
    sampler = DistributedSampler(data, num_replicas=utils.get_world_size(), rank=utils.get_rank(), shuffle=True)
    loader = DataLoader(data, batch_size=4, sampler=sampler, num_workers=0, pin_memory=True, drop_last=True)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 16, 5))
    model.to(device)
    model_without_ddp = model
    if args.distributed:
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu], find_unused_parameters=True)
        model_without_ddp = model.module
    parameters = sum(p.numel() for p in model.parameters() if p.requires_grad)
    print("number of params:", parameters)
    optimizer = torch.optim.AdamW([{"params": [p for p in model_without_ddp.parameters() if p.requires_grad]}], lr=1e-2)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    criterion = nn.CrossEntropyLoss().to(device)
    loss_scaler = NativeScaler()
    losses = []
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        logger = utils.MetricLogger()
        model.train(True)
        for images, labels in logger.log_every(loader, 2, "Epoch: [{}]".format(epoch)):
            images, labels = images.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            with torch.cuda.amp.autocast():
                loss = criterion(model(images), labels)
            loss_scaler(loss, optimizer, parameters=model.parameters())
            optimizer.zero_grad()
            torch.cuda.synchronize()
            reduced = utils.reduce_dict({"loss": loss.detach()})
            logger.update(loss=reduced["loss"], lr=optimizer.param_groups[0]["lr"])
            losses.append(loss.item())
        scheduler.step()
        logger.synchronize_between_processes()
    everyone = utils.all_gather({"rank": utils.get_rank(), "last": losses[-1]})
    if args.output:
        utils.save_on_master({"model": model_without_ddp.state_dict(), "scaler": loss_scaler.state_dict()}, args.output)
        torch.distributed.barrier()
        model_without_ddp.load_state_dict(torch.load(args.output, map_location="cpu")["model"])
    print("RESULT " + json.dumps({
        "losses": losses, "rank": utils.get_rank(), "card": str(next(model.parameters()).device), "everyone": everyone,
        "average": logger.meters["loss"].global_avg, "parameters": parameters}), flush=True, force=True)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(arguments())
