# Trains a language model.
"""
Small language model training, one process or many.
Single card:   python train_lm.py --batch_size=32
Eight cards:   torchrun --nproc_per_node=8 train_lm.py --device=cuda
"""
import math
import os
import pickle
import time
from contextlib import nullcontext

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed import init_process_group, destroy_process_group
from torch.nn.parallel import DistributedDataParallel as DDP  #= shim

from model import LM, LMConfig

# I/O
out_dir = 'out'
eval_interval = 1000
log_interval = 10
always_save = True
init_from = 'scratch'
dataset = 'books'
grad_accum = 5 * 8
batch_size = 12
block_size = 1024
learning_rate = 6e-4
max_iters = 200000
warmup_iters = 500
min_lr = 6e-5
grad_clip = 1.0
# ddp settings: 'nccl', 'gloo', ...
backend = 'nccl'  #= shim
ddp_timeout = 1800
# 'cpu', 'cuda', 'cuda:0', ...
device = 'cuda'  #= shim
dtype = 'float16' if torch.cuda.is_available() else 'float32'  #= shim
compile = True
config_keys = [k for k, v in globals().items() if not k.startswith('_') and isinstance(v, (int, float, bool, str))]
exec(open('configurator.py').read())
config = {k: globals()[k] for k in config_keys}

ddp = int(os.environ.get('RANK', -1)) != -1
if ddp:
    init_process_group(backend=backend)
    ddp_rank = int(os.environ['RANK'])
    ddp_local_rank = int(os.environ['LOCAL_RANK'])
    ddp_world_size = int(os.environ['WORLD_SIZE'])
    device = f'cuda:{ddp_local_rank}'  #= shim
    torch.cuda.set_device(device)  #= shim
    master_process = ddp_rank == 0
    seed_offset = ddp_rank
    assert grad_accum % ddp_world_size == 0
    grad_accum //= ddp_world_size
else:
    master_process = True
    seed_offset = 0
    ddp_world_size = 1

tokens_per_iter = grad_accum * ddp_world_size * batch_size * block_size
print(f'tokens per iteration: {tokens_per_iter:,}')
if master_process:
    os.makedirs(out_dir, exist_ok=True)
torch.manual_seed(1337 + seed_offset)
torch.cuda.manual_seed_all(1337 + seed_offset)  #= shim
torch.backends.cuda.matmul.allow_tf32 = True  #= shim
torch.backends.cudnn.allow_tf32 = True  #= shim
device_type = 'cuda' if 'cuda' in device else 'cpu'  #= shim
if device_type == 'cpu':
    print('warning: CUDA is not used, this will be slow')
ptdtype = {
    'float32': torch.float32,
    'bfloat16': torch.bfloat16,  #= cannot
    'float16': torch.float16,
}[dtype]
ctx = nullcontext() if device_type == 'cpu' else torch.amp.autocast(device_type=device_type, dtype=ptdtype)  #= shim

data_dir = os.path.join('data', dataset)


def get_batch(split):
    data = np.memmap(os.path.join(data_dir, f'{split}.bin'), dtype=np.uint16, mode='r')
    ix = torch.randint(len(data) - block_size, (batch_size,))
    x = torch.stack([torch.from_numpy(data[i:i + block_size].astype(np.int64)) for i in ix])
    y = torch.stack([torch.from_numpy(data[i + 1:i + 1 + block_size].astype(np.int64)) for i in ix])
    if device_type == 'cuda':  #= shim
        # pinned memory lets us move the batch to the cuda device asynchronously
        x = x.pin_memory().to(device, non_blocking=True)
        y = y.pin_memory().to(device, non_blocking=True)
    else:
        x, y = x.to(device), y.to(device)
    return x, y


iter_num = 0
best_val_loss = 1e9
meta_path = os.path.join(data_dir, 'meta.pkl')
vocab_size = 50304
if os.path.exists(meta_path):
    with open(meta_path, 'rb') as f:
        vocab_size = pickle.load(f)['vocab_size']

model = LM(LMConfig(block_size=block_size, vocab_size=vocab_size))
model.to(device)
scaler = torch.cuda.amp.GradScaler(enabled=(dtype == 'float16'))  #= shim
optimizer = model.configure_optimizers(1e-1, learning_rate, (0.9, 0.95), device_type)
if compile:
    print('compiling the model...')
    model = torch.compile(model)
if ddp:
    model = DDP(model, device_ids=[ddp_local_rank])  #= shim
raw_model = model.module if ddp else model


@torch.no_grad()
def estimate_loss(iters=200):
    out = {}
    model.eval()
    for split in ('train', 'val'):
        losses = torch.zeros(iters)
        for k in range(iters):
            X, Y = get_batch(split)
            with ctx:
                _, loss = model(X, Y)
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * it / warmup_iters
    ratio = (it - warmup_iters) / (max_iters - warmup_iters)
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


X, Y = get_batch('train')
t0 = time.time()
while iter_num < max_iters:
    for group in optimizer.param_groups:
        group['lr'] = get_lr(iter_num)
    if iter_num % eval_interval == 0 and master_process:
        losses = estimate_loss()
        if losses['val'] < best_val_loss or always_save:
            best_val_loss = losses['val']
            torch.save({'model': raw_model.state_dict(), 'config': config}, os.path.join(out_dir, 'ckpt.pt'))
    for micro in range(grad_accum):
        if ddp:
            model.require_backward_grad_sync = micro == grad_accum - 1
        with ctx:
            _, loss = model(X, Y)
            loss = loss / grad_accum
        X, Y = get_batch('train')
        scaler.scale(loss).backward()
    if grad_clip:
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    if iter_num % log_interval == 0 and master_process:
        torch.cuda.synchronize()  #= shim
        mem = torch.cuda.max_memory_allocated() / 2 ** 30  #= shim
        print(f'iter {iter_num}: loss {loss.item() * grad_accum:.4f}, {time.time() - t0:.2f}s, cuda mem {mem:.1f}G')
        t0 = time.time()
    iter_num += 1
if ddp:
    destroy_process_group()
