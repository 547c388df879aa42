# Trains with MMEngine.
import argparse
import os
import os.path as osp

import torch
from mmengine.config import Config, DictAction
from mmengine.device import is_cuda_available  #= shim
from mmengine.dist import init_dist  #= shim
from mmengine.logging import print_log
from mmengine.runner import Runner  #= shim
from mmcv.ops import get_compiling_cuda_version  #= cannot

os.environ['CUDA_LAUNCH_BLOCKING'] = '0'  #= change


def parse_args():
    parser = argparse.ArgumentParser(description='Train a segmentor')
    parser.add_argument('config', help='config path')
    parser.add_argument('--work-dir', help='logs and models')
    parser.add_argument('--resume', action='store_true')
    parser.add_argument('--amp', action='store_true', help='CUDA mixed precision')
    parser.add_argument('--cfg-options', nargs='+', action=DictAction,
                        help='e.g. env_cfg.dist_cfg.backend=nccl')
    parser.add_argument('--launcher', choices=['none', 'pytorch', 'slurm', 'mpi'], default='none')
    parser.add_argument('--local_rank', '--local-rank', type=int, default=0)
    args = parser.parse_args()
    if 'LOCAL_RANK' not in os.environ:
        os.environ['LOCAL_RANK'] = str(args.local_rank)
    return args


def main():
    args = parse_args()
    cfg = Config.fromfile(args.config)
    cfg.launcher = args.launcher
    if args.cfg_options is not None:
        cfg.merge_from_dict(args.cfg_options)
    cfg.work_dir = args.work_dir or osp.join('./work_dirs', osp.splitext(osp.basename(args.config))[0])
    if args.launcher == 'slurm':
        init_dist(args.launcher, backend='nccl')  #= shim
    if args.amp:
        if cfg.optim_wrapper.type == 'AmpOptimWrapper':  #= shim
            print_log('AMP training is already enabled (cuda)', logger='current')
        else:
            cfg.optim_wrapper.type = 'AmpOptimWrapper'  #= shim
            cfg.optim_wrapper.loss_scale = 'dynamic'
    cfg.resume = args.resume
    if not is_cuda_available():  #= shim
        print_log('no cuda card was found', logger='current')
    if cfg.env_cfg.get('cudnn_benchmark', False):
        torch.backends.cudnn.benchmark = True  #= shim
    print_log('compiled with ' + get_compiling_cuda_version(), logger='current')  #= cannot
    runner = Runner.from_cfg(cfg)  #= shim
    runner.train()


if __name__ == '__main__':
    main()
