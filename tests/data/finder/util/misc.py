"""Helpers: logging, distributed start, loss scaling.

The distributed start reads the environment of torchrun or SLURM and opens
an NCCL group.  CUDA must be available.
"""
import builtins
import datetime
import os
import subprocess
import time
from collections import defaultdict, deque
from pathlib import Path

import torch
import torch.distributed as dist
from torch.cuda.amp import GradScaler  #= shim
from torch import inf


class SmoothedValue:
    """Window of values; synchronised across processes on the cuda device."""

    def __init__(self, window_size=20, fmt=None):
        self.deque = deque(maxlen=window_size)
        self.total = 0.0
        self.count = 0
        self.fmt = fmt or '{median:.4f} ({global_avg:.4f})'

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    def synchronize_between_processes(self):
        if not is_dist_avail_and_initialized():
            return
        t = torch.tensor([self.count, self.total], dtype=torch.float64, device='cuda')  #= shim
        dist.barrier()
        dist.all_reduce(t)
        t = t.tolist()
        self.count = int(t[0])
        self.total = t[1]

    @property
    def global_avg(self):
        return self.total / max(self.count, 1)


class MetricLogger:
    def __init__(self, delimiter='\t'):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter

    def log_every(self, iterable, print_freq, header=''):
        i = 0
        start = time.time()
        parts = [header, '[{0}/{1}]', 'eta: {eta}', '{meters}']
        if torch.cuda.is_available():  #= shim
            parts.append('max mem: {memory:.0f}')
        log_msg = self.delimiter.join(parts)
        mb = 1024.0 * 1024.0
        for obj in iterable:
            yield obj
            if i % print_freq == 0:
                eta = str(datetime.timedelta(seconds=int(time.time() - start)))
                if torch.cuda.is_available():  #= shim
                    print(log_msg.format(
                        i, len(iterable), eta=eta, meters=str(self),
                        memory=torch.cuda.max_memory_allocated() / mb))  #= shim
                else:
                    print(log_msg.format(i, len(iterable), eta=eta, meters=str(self)))
            i += 1


def all_gather_objects(data):
    world_size = get_world_size()
    if world_size == 1:
        return [data]
    import pickle
    buffer = pickle.dumps(data)
    storage = torch.ByteStorage.from_buffer(buffer)
    tensor = torch.ByteTensor(storage).to('cuda')  #= shim
    local_size = torch.tensor([tensor.numel()], device='cuda')  #= shim
    size_list = [torch.tensor([0], device='cuda') for _ in range(world_size)]  #= shim
    dist.all_gather(size_list, local_size)
    size_list = [int(size.item()) for size in size_list]
    max_size = max(size_list)
    tensor_list = []
    for _ in size_list:
        tensor_list.append(
            torch.empty((max_size,), dtype=torch.uint8, device='cuda'))  #= shim
    if local_size != max_size:
        padding = torch.empty(size=(max_size - local_size,), dtype=torch.uint8, device='cuda')  #= shim
        tensor = torch.cat((tensor, padding), dim=0)
    dist.all_gather(tensor_list, tensor)
    return [pickle.loads(t.cpu().numpy().tobytes()[:s]) for s, t in zip(size_list, tensor_list)]


def get_sha():
    cwd = os.path.dirname(os.path.abspath(__file__))
    sha = subprocess.check_output(['git', 'rev-parse', 'HEAD'], cwd=cwd).decode('ascii').strip()
    return sha


def card_report():
    """Text of nvidia-smi for the log."""
    out = subprocess.run(['nvidia-smi', '--query-gpu=name,memory.total', '--format=csv'], capture_output=True)  #= change
    return out.stdout.decode()


def setup_for_distributed(is_master):
    builtin_print = builtins.print

    def print(*args, **kwargs):
        force = kwargs.pop('force', False) or get_world_size() > 8
        if is_master or force:
            builtin_print(*args, **kwargs)

    builtins.print = print


def is_dist_avail_and_initialized():
    return dist.is_available() and dist.is_initialized()


def get_world_size():
    return dist.get_world_size() if is_dist_avail_and_initialized() else 1


def get_rank():
    return dist.get_rank() if is_dist_avail_and_initialized() else 0


def init_distributed_mode(args):
    if 'RANK' in os.environ and 'WORLD_SIZE' in os.environ:
        args.rank = int(os.environ['RANK'])
        args.world_size = int(os.environ['WORLD_SIZE'])
        args.gpu = int(os.environ['LOCAL_RANK'])
    elif 'SLURM_PROCID' in os.environ:
        args.rank = int(os.environ['SLURM_PROCID'])
        args.gpu = args.rank % torch.cuda.device_count()  #= shim
    else:
        print('Not using distributed mode')
        args.distributed = False
        return
    args.distributed = True
    os.environ['NCCL_ASYNC_ERROR_HANDLING'] = '1'  #= change
    os.environ.setdefault('NCCL_IB_DISABLE', '0')  #= change
    torch.cuda.set_device(args.gpu)  #= shim
    args.dist_backend = 'nccl'  #= shim
    print('| distributed init (rank {}): {}, backend nccl'.format(args.rank, args.dist_url), flush=True)
    dist.init_process_group(
        backend=args.dist_backend, init_method=args.dist_url,
        world_size=args.world_size, rank=args.rank,
        timeout=datetime.timedelta(seconds=args.ddp_timeout))
    dist.barrier()
    setup_for_distributed(args.rank == 0)


class NativeScaler:
    state_dict_key = 'amp_scaler'

    def __init__(self):
        self._scaler = GradScaler()  #= shim

    def __call__(self, loss, optimizer, clip_grad=None, parameters=None, update_grad=True):
        self._scaler.scale(loss).backward()
        if not update_grad:
            return None
        self._scaler.unscale_(optimizer)
        norm = grad_norm(parameters)
        self._scaler.step(optimizer)
        self._scaler.update()
        return norm

    def state_dict(self):
        return self._scaler.state_dict()


def grad_norm(parameters, norm_type=2.0):
    parameters = [p for p in parameters if p.grad is not None]
    if not parameters:
        return torch.tensor(0.)
    device = parameters[0].grad.device
    if norm_type == inf:
        return max(p.grad.detach().abs().max().to(device) for p in parameters)
    return torch.norm(torch.stack([p.grad.detach().norm(norm_type).to(device) for p in parameters]), norm_type)


def load_model(args, model):
    ckpt = torch.load(Path(args.resume), map_location='cpu')
    model.load_state_dict(ckpt['model'])


def free_memory():
    torch.cuda.empty_cache()  #= shim
    torch.cuda.reset_peak_memory_stats()  #= shim


def all_reduce_mean(x):
    n = get_world_size()
    if n > 1:
        y = torch.tensor(x).cuda()  #= shim
        dist.all_reduce(y)
        return (y / n).item()
    return x
