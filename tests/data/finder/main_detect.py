# Trains a detector.
import argparse
import json
import os
import random
import time
from pathlib import Path

os.environ['CUDA_DEVICE_ORDER'] = 'PCI_BUS_ID'  #= change
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1,2,3"  #= change

import numpy as np
import torch
import torch.backends.cudnn as cudnn  #= shim
from torch.utils.data import DataLoader, DistributedSampler  #= shim

import util.misc as utils
from datasets import build_dataset
from engine import evaluate, train_one_epoch
from models import build_model

try:
    from apex import amp  #= cannot
    from apex.parallel import DistributedDataParallel as ApexDDP  #= cannot
    has_apex = True
except ImportError:
    amp = None
    has_apex = False


def get_args_parser():
    parser = argparse.ArgumentParser('Detector', add_help=False)
    parser.add_argument('--lr', default=1e-4, type=float)
    parser.add_argument('--batch_size', default=2, type=int)
    parser.add_argument('--epochs', default=300, type=int)
    parser.add_argument('--backbone', default='resnet50', type=str, help='name of the backbone')
    parser.add_argument('--output_dir', default='', help='where to save, empty for no saving')
    parser.add_argument('--device', default='cuda', help='device for training / testing')  #= shim
    parser.add_argument('--teacher_device', default='cpu', help='cpu or cuda')
    parser.add_argument('--seed', default=42, type=int)
    parser.add_argument('--resume', default='')
    parser.add_argument('--eval', action='store_true')
    parser.add_argument('--num_workers', default=2, type=int)
    parser.add_argument('--plot_backend', default='agg', help='matplotlib backend')
    parser.add_argument('--world_size', default=1, type=int)
    parser.add_argument('--dist_url', default='env://')
    parser.add_argument('--dist_backend', default='nccl', type=str)  #= shim
    parser.add_argument('--ddp_timeout', default=1800, type=int, help='seconds before NCCL gives up')
    return parser


def main(args):
    utils.init_distributed_mode(args)
    print('git:\n  {}\n'.format(utils.get_sha()))
    device = torch.device(args.device)
    seed = args.seed + utils.get_rank()
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)  #= shim
    np.random.seed(seed)
    random.seed(seed)
    cudnn.benchmark = True  #= shim
    cudnn.deterministic = False  #= shim

    model, criterion, postprocessors = build_model(args)
    model.to(device)
    model_without_ddp = model
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    if has_apex:
        model, optimizer = amp.initialize(model, optimizer, opt_level='O1')
    if args.distributed:
        model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)  #= shim
        model = torch.nn.parallel.DistributedDataParallel(  #= shim
            model, device_ids=[args.gpu], find_unused_parameters=True)
        model_without_ddp = model.module
    n_parameters = sum(p.numel() for p in model.parameters() if p.requires_grad)
    print('number of params:', n_parameters)

    dataset_train = build_dataset('train', args)
    dataset_val = build_dataset('val', args)
    if args.distributed:
        sampler_train = DistributedSampler(dataset_train)  #= shim
        sampler_val = DistributedSampler(dataset_val, shuffle=False)  #= shim
    else:
        sampler_train = torch.utils.data.RandomSampler(dataset_train)
        sampler_val = torch.utils.data.SequentialSampler(dataset_val)
    batches = torch.utils.data.BatchSampler(sampler_train, args.batch_size, drop_last=True)
    loader_train = DataLoader(dataset_train, batch_sampler=batches, num_workers=args.num_workers)
    loader_val = DataLoader(dataset_val, args.batch_size, sampler=sampler_val, pin_memory=True)

    if args.resume:
        checkpoint = torch.load(args.resume, map_location='cpu')
        model_without_ddp.load_state_dict(checkpoint['model'])
    if args.resume.endswith('.ema.pth'):
        ema = torch.load(args.resume, map_location=f'cuda:{args.gpu}')  #= shim
        model_without_ddp.load_state_dict(ema['model'])
    if args.eval:
        evaluate(model, criterion, postprocessors, loader_val, device)
        return
    start = time.time()
    for epoch in range(args.epochs):
        if args.distributed:
            sampler_train.set_epoch(epoch)
        stats = train_one_epoch(model, criterion, loader_train, optimizer, device, epoch)
        if args.output_dir and utils.get_rank() == 0:
            with (Path(args.output_dir) / 'log.txt').open('a') as f:
                f.write(json.dumps(stats) + '\n')
        if device.type == 'cuda':  #= shim
            torch.cuda.empty_cache()  #= shim
    print('Training time {:.0f}s on cuda'.format(time.time() - start))


if __name__ == '__main__':
    main(argparse.ArgumentParser(parents=[get_args_parser()]).parse_args())
