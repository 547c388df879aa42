# mmengine.model of the stand-in: a subclass of torch's parallel wrapper, and what knows both.

import torch.nn as nn
from torch.nn.parallel.distributed import DistributedDataParallel


class MMDistributedDataParallel(DistributedDataParallel):
    def __init__(self, module, detect_anomalous_params=False, **kwargs):
        super().__init__(module=module, **kwargs)
        self.detect_anomalous_params = detect_anomalous_params

    def train_step(self, data, optimizer):
        with self.no_sync() if optimizer is None else _nothing():
            loss = self(data).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()


class _nothing(object):
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def is_model_wrapper(model):
    return isinstance(model, (nn.DataParallel, DistributedDataParallel))


def convert_sync_batchnorm(module):
    return nn.SyncBatchNorm.convert_sync_batchnorm(module)
