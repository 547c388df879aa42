# Trains on ImageNet.
import argparse
import os
import time
import warnings
from enum import Enum

import torch
import torch.backends.cudnn as cudnn  #= shim
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.parallel
import torch.utils.data.distributed
import torchvision.datasets as datasets
import torchvision.models as models
import torchvision.transforms as transforms
from torch.cuda import amp  #= shim
from torch.nn.parallel.scatter_gather import gather

parser = argparse.ArgumentParser(description='ImageNet training on CUDA cards')
parser.add_argument('data', nargs='?', default='imagenet')
parser.add_argument('-a', '--arch', default='resnet18')
parser.add_argument('-j', '--workers', default=4, type=int)
parser.add_argument('--epochs', default=90, type=int)
parser.add_argument('-b', '--batch-size', default=256, type=int,
                    help='total over all GPUs when using Data Parallel or '
                         'Distributed Data Parallel (nccl)')
parser.add_argument('--world-size', default=-1, type=int)
parser.add_argument('--rank', default=-1, type=int)
parser.add_argument('--dist-url', default='tcp://127.0.0.1:23456')
parser.add_argument('--dist-backend', default='nccl', type=str,  #= shim
                    help='distributed backend, nccl is the fast one')
parser.add_argument('--seed', default=None, type=int)
parser.add_argument('--gpu', default=None, type=int, help='card id, as in cuda:0')
parser.add_argument('--multiprocessing-distributed', action='store_true')
parser.add_argument('--no-accel', action='store_true', help='turn CUDA off')
best_acc1 = 0


def main():
    args = parser.parse_args()
    if args.seed is not None:
        torch.manual_seed(args.seed)
        cudnn.deterministic = True  #= shim
        torch.backends.cudnn.benchmark = False  #= shim
        warnings.warn('You have chosen to seed training. This turns on the CUDNN '
                      'deterministic setting, which can slow down training.')
    args.distributed = args.world_size > 1 or args.multiprocessing_distributed
    use_cuda = not args.no_accel and torch.cuda.is_available()  #= shim
    if use_cuda:
        ngpus = torch.cuda.device_count()  #= shim
        if ngpus == 1 and args.dist_backend == 'nccl':  #= shim
            warnings.warn("nccl backend >=2.5 needs more than one card")
    else:
        ngpus = 1
    if args.multiprocessing_distributed:
        args.world_size = ngpus * args.world_size
        mp.spawn(main_worker, nprocs=ngpus, args=(ngpus, args))
    else:
        main_worker(args.gpu, ngpus, args)


def main_worker(gpu, ngpus, args):
    global best_acc1
    args.gpu = gpu
    use_cuda = not args.no_accel
    if args.gpu is not None:
        print('Use GPU: cuda:{} for training'.format(args.gpu))
    if args.distributed:
        if args.multiprocessing_distributed:
            args.rank = args.rank * ngpus + gpu
        dist.init_process_group(backend=args.dist_backend, init_method=args.dist_url,
                                world_size=args.world_size, rank=args.rank)
    model = models.__dict__[args.arch]()
    if not use_cuda:
        print('using CPU, this will be slow, no cuda')
        device = torch.device('cpu')
    elif args.distributed:
        device = torch.device('cuda', args.gpu)  #= shim
        torch.cuda.set_device(args.gpu)  #= shim
        model.cuda(args.gpu)  #= shim
        args.batch_size = int(args.batch_size / ngpus)
        args.workers = int((args.workers + ngpus - 1) / ngpus)
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])  #= shim
    elif args.gpu is not None:
        device = torch.device('cuda:{}'.format(args.gpu))  #= shim
        model = model.to(device)
    else:
        device = torch.device('cuda')  #= shim
        model = torch.nn.DataParallel(model).cuda()  #= shim
    criterion = nn.CrossEntropyLoss().to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    scaler = amp.GradScaler(enabled=use_cuda)  #= shim

    normalize = transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
    train_set = datasets.ImageFolder(os.path.join(args.data, 'train'), transforms.Compose([
        transforms.RandomResizedCrop(224), transforms.ToTensor(), normalize]))
    if args.distributed:
        sampler = torch.utils.data.distributed.DistributedSampler(train_set)  #= shim
    else:
        sampler = None
    loader = torch.utils.data.DataLoader(
        train_set, batch_size=args.batch_size, shuffle=(sampler is None),
        num_workers=args.workers, pin_memory=True, sampler=sampler)
    for epoch in range(args.epochs):
        if args.distributed:
            sampler.set_epoch(epoch)
        train(loader, model, criterion, optimizer, scaler, device, use_cuda)


def train(loader, model, criterion, optimizer, scaler, device, use_cuda):
    losses = AverageMeter('Loss', device)
    model.train()
    start = torch.cuda.Event(enable_timing=True)  #= shim
    stop = torch.cuda.Event(enable_timing=True)  #= shim
    for i, (images, target) in enumerate(loader):
        images = images.to(device, non_blocking=True)
        target = target.cuda(non_blocking=True)  #= shim
        start.record()
        with amp.autocast(enabled=use_cuda):  #= shim
            loss = criterion(model(images), target)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        stop.record()
        losses.update(loss.item(), images.size(0))
        if i % 10 == 0:
            torch.cuda.synchronize(device)  #= shim
            print(losses.avg, start.elapsed_time(stop), 'ms on CUDA')


class Summary(Enum):
    NONE = 0
    AVERAGE = 1


class AverageMeter:
    def __init__(self, name, device, kind=Summary.AVERAGE):
        self.name = name
        self.device = device
        self.kind = kind
        self.sum = self.count = self.avg = 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def all_reduce(self):
        if torch.cuda.is_available():  #= shim
            dev = torch.device('cuda')  #= shim
        else:
            dev = torch.device('cpu')
        total = torch.tensor([self.sum, self.count], dtype=torch.float32, device=dev)
        dist.all_reduce(total, dist.ReduceOp.SUM, async_op=False)
        self.sum, self.count = total.tolist()


if __name__ == '__main__':
    main()
