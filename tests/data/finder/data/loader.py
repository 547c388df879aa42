""" Prefetching data loader

Moves the next batch to the GPU on a side CUDA stream while the current one
is being used.  torch.cuda.Stream is only made when CUDA is there.
"""
import logging
import random
from contextlib import suppress
from functools import partial

import numpy as np
import torch
import torch.utils.data
from torch.nn.parallel import DataParallel, DistributedDataParallel  #= shim
from torch.nn.parallel.parallel_apply import get_a_var
from torch.utils.data.distributed import DistributedSampler  #= shim

from .distributed_sampler import OrderedDistributedSampler, RepeatAugSampler
from .random_erasing import RandomErasing

_logger = logging.getLogger(__name__)
BARRACUDA_CLASSES = ('barracuda', 'tench', 'stingray')


def fast_collate(batch):
    targets = torch.tensor([b[1] for b in batch], dtype=torch.int64)
    tensor = torch.zeros((len(batch), *batch[0][0].shape), dtype=torch.uint8)
    for i, (img, _) in enumerate(batch):
        tensor[i] += torch.from_numpy(np.asarray(img))
    return tensor, targets


class PrefetchLoader:
    def __init__(
            self,
            loader,
            mean=(0.5, 0.5, 0.5),
            std=(0.5, 0.5, 0.5),
            channels=3,
            device=torch.device('cuda'),  #= shim
            img_dtype=torch.float32,
            fp16=False,  #= shim
            re_prob=0.,
    ):
        if fp16:
            img_dtype = torch.float16
        self.loader = loader
        self.device = device
        self.img_dtype = img_dtype
        shape = (1, channels, 1, 1)
        self.mean = torch.tensor([x * 255 for x in mean], device=device, dtype=img_dtype).view(shape)
        self.std = torch.tensor([x * 255 for x in std], device=device, dtype=img_dtype).view(shape)
        self.random_erasing = RandomErasing(probability=re_prob, device=device) if re_prob > 0. else None
        self.is_cuda = torch.cuda.is_available() and device.type == 'cuda'  #= shim
        self.cudnn_ok = False
        self.use_cuda = self.is_cuda

    def __iter__(self):
        first = True
        if self.is_cuda:
            stream = torch.cuda.Stream()  #= shim
            stream_context = partial(torch.cuda.stream, stream=stream)  #= shim
        else:
            stream = None
            stream_context = suppress
        for next_input, next_target in self.loader:
            with stream_context():
                next_input = next_input.to(device=self.device, non_blocking=True)
                next_target = next_target.to(device=self.device, non_blocking=True)
                next_input = next_input.to(self.img_dtype).sub_(self.mean).div_(self.std)
                if self.random_erasing is not None:
                    next_input = self.random_erasing(next_input)
            if not first:
                yield input, target
            else:
                first = False
            if stream is not None:
                torch.cuda.current_stream().wait_stream(stream)  #= shim
            input = next_input
            target = next_target
        yield input, target

    def __len__(self):
        return len(self.loader)

    @property
    def sampler(self):
        return self.loader.sampler


class LegacyPrefetcher:
    def __init__(self, loader):
        self.loader = iter(loader)
        self.stream = torch.cuda.Stream()  #= shim
        self.mean = torch.tensor([123.7, 116.3, 103.5]).cuda().view(1, 3, 1, 1)  #= shim
        self.std = torch.cuda.FloatTensor([58.4, 57.1, 57.4]).view(1, 3, 1, 1)  #= shim
        self.preload()

    def preload(self):
        try:
            self.next_input, self.next_target = next(self.loader)
        except StopIteration:
            self.next_input = self.next_target = None
            return
        with torch.cuda.stream(self.stream):  #= shim
            self.next_input = self.next_input.cuda(non_blocking=True)  #= shim
            self.next_target = self.next_target.cuda(non_blocking=True)  #= shim
            self.next_input = self.next_input.float().sub_(self.mean).div_(self.std)

    def next(self):
        torch.cuda.current_stream().wait_stream(self.stream)  #= shim
        input, target = self.next_input, self.next_target
        if input is not None:
            input.record_stream(torch.cuda.current_stream())  #= shim
        self.preload()
        return input, target


def unwrap(model):
    if isinstance(model, (DataParallel, DistributedDataParallel)):  #= shim
        return model.module
    return model


def worker_init(worker_id, seed=0):
    random.seed(seed + worker_id)
    np.random.seed(seed + worker_id)


def create_loader(dataset, batch_size, is_training=False, distributed=False, use_prefetcher=True,
                  num_workers=4, num_aug_repeats=0, pin_memory=False, device_name='cpu'):
    sampler = None
    if distributed:
        if is_training:
            if num_aug_repeats:
                sampler = RepeatAugSampler(dataset, num_repeats=num_aug_repeats)
            else:
                sampler = torch.utils.data.distributed.DistributedSampler(dataset)  #= shim
        else:
            sampler = OrderedDistributedSampler(dataset)
    elif num_aug_repeats:
        raise ValueError('RepeatAugment is only for distributed (nccl) training')
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=batch_size, shuffle=sampler is None and is_training,
        num_workers=num_workers, sampler=sampler, pin_memory=pin_memory,
        collate_fn=fast_collate if use_prefetcher else None, worker_init_fn=worker_init)
    if use_prefetcher:
        _logger.info('prefetching to cuda')
        loader = PrefetchLoader(loader, device=torch.device(device_name))
    return loader
