#!/usr/bin/env python
# Fine-tunes a language model with accelerate.
import argparse
import gc
import logging
import os

import torch
import transformers
from accelerate import Accelerator
from accelerate.utils import DistributedDataParallelKwargs, set_seed  #= shim
from torch.cuda.amp import autocast  #= shim
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
from transformers import BitsAndBytesConfig  #= cannot

import pynvml  #= cannot
import cupy as cp  #= cannot
import triton  #= cannot
import triton.language as tl  #= cannot

logger = logging.getLogger(__name__)


@triton.jit  #= cannot
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Triton kernel, runs on CUDA only."""
    return


def scale(x):
    out = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 1024),)  #= cannot
    scale_kernel[grid](x, out, x.numel(), BLOCK=1024)
    return out


def card_memory():
    pynvml.nvmlInit()  #= cannot
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)  #= cannot
    info = pynvml.nvmlDeviceGetMemoryInfo(handle)  #= cannot
    return info.used


def topk_host(scores, k):
    arr = cp.asarray(scores.detach().cpu().numpy())
    order = cp.argsort(-arr)[:k]
    return order.tolist()


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument('--model', default='facebook/opt-350m')
    p.add_argument('--epochs', type=int, default=3)
    p.add_argument('--lr', type=float, default=2e-5)
    p.add_argument('--no_cuda', action='store_true')
    p.add_argument('--mixed_precision', default='fp16', choices=['no', 'fp16', 'bf16'])  #= shim
    p.add_argument('--fp16', action='store_true', help='16-bit on CUDA')  #= shim
    p.add_argument('--report_to', default='tensorboard')
    return p.parse_args()


def training_arguments(out):
    return TrainingArguments(
        output_dir=out,
        per_device_train_batch_size=4,
        num_train_epochs=1,
        fp16=True,  #= shim
        bf16=False,
        ddp_timeout=7200,
        ddp_backend='nccl',  #= shim
        optim='adamw_torch',
        dataloader_pin_memory=True,
    )


def load_quantized(name):
    quant = BitsAndBytesConfig(  #= cannot
        load_in_4bit=True,
        bnb_4bit_quant_type='nf4',
        bnb_4bit_compute_dtype=torch.bfloat16,  #= cannot
    )
    return AutoModelForCausalLM.from_pretrained(name, quantization_config=quant, device_map='auto')


def load_plain(name, flash=False):
    if flash:
        return AutoModelForCausalLM.from_pretrained(
            name,
            torch_dtype=torch.bfloat16,  #= cannot
            attn_implementation='flash_attention_2',  #= cannot
        )
    return AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.float16)


def capture(model, static_input):
    side = torch.cuda.Stream()  #= shim
    side.wait_stream(torch.cuda.current_stream())  #= shim
    with torch.cuda.stream(side):  #= shim
        for _ in range(3):
            model(static_input)
    torch.cuda.current_stream().wait_stream(side)  #= shim
    graph = torch.cuda.CUDAGraph()  #= cannot
    pool = torch.cuda.graph_pool_handle()  #= cannot
    with torch.cuda.graph(graph, pool=pool):  #= cannot
        static_output = model(static_input)
    return graph, static_output


def main():
    args = parse_args()
    set_seed(11)
    transformers.utils.logging.set_verbosity_info()
    kwargs = DistributedDataParallelKwargs(find_unused_parameters=True)  #= shim
    accelerator = Accelerator(
        mixed_precision='fp16',  #= shim
        gradient_accumulation_steps=4,
        log_with=args.report_to,
        kwargs_handlers=[kwargs],
    )
    device = accelerator.device
    logger.info('CUDA is used: %s', device)
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = load_plain(args.model)
    from corpus import build
    loader = DataLoader(build(tokenizer), batch_size=4, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        for step, batch in enumerate(loader):
            with accelerator.accumulate(model):
                batch = {k: v.to(device) for k, v in batch.items()}
                with autocast(dtype=torch.float16):  #= shim
                    loss = model(**batch).loss
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        gc.collect()
        if torch.cuda.is_available() and not args.no_cuda:  #= shim
            torch.cuda.empty_cache()  #= shim
            torch.cuda.ipc_collect()  #= shim
        free, total = torch.cuda.mem_get_info()  #= shim
        name = torch.cuda.get_device_name(0)  #= shim
        accelerator.print(f'epoch {epoch}: {name} cuda {free}/{total}')
    weights = accelerator.get_state_dict(model)
    weights = {k: v.to(torch.bfloat16) for k, v in weights.items()}  #= cannot
    torch.save(weights, os.path.join('out', 'weights.pt'))


if __name__ == '__main__':
    main()
