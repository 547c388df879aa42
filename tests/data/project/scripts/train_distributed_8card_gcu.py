#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""在 8 张卡上训练；文档里的 torch.cuda.set_device(0) 不是代码。"""
import os
import sys

import torch
import torch.distributed as dist
from mmengine.config import Config
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def main():
    cfg = Config.fromfile(sys.argv[1])
    local_rank = int(os.environ.get('LOCAL_RANK', 0))
    # 2. 初始化分布式环境 (让MMEngine按标准方式初始化)
    if cfg.get('launcher', 'none') == 'pytorch':
        from mmengine.dist import init_dist
        init_dist(launcher='pytorch', backend=cfg.env_cfg.dist_cfg.get('backend', 'eccl'))
        print("🔧 MMEngine分布式环境初始化完成")
    torch.cuda.set_device(local_rank)
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
        torch.cuda.set_device(0)
    model = torch.nn.Linear(2, 1).cuda()  # .cuda() of a module
    model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)
    model = DDP(model, device_ids=[local_rank],
                output_device=local_rank)
    data = TensorDataset(torch.ones(16, 2))
    loader = DataLoader(data, sampler=DistributedSampler(data))
    for (batch,) in loader:
        model(batch.to("cuda", non_blocking=True)).sum().backward()
    mine = torch.full((1,), float(dist.get_rank() + 1)).cuda(local_rank)
    dist.all_reduce(mine, op=dist.ReduceOp.SUM)
    if dist.get_rank() == 0:
        print(f'sum {int(mine.item())} cuda:{local_rank}')
    dist.destroy_process_group()


if __name__ == '__main__':
    main()
