# Leaves the process group to MMEngine's Runner.
import sys

import torch.distributed as dist
from mmengine.config import Config
from mmengine.runner import Runner


def main():
    cfg = Config.fromfile(sys.argv[1])
    runner = Runner.from_cfg(cfg)
    runner.train()
    if dist.get_rank() == 0:
        print('sum', runner.sum)


if __name__ == '__main__':
    main()
