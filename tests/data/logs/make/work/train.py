"""A small training on CPUs, with one fault that is named by --fault; see faults.py."""

import argparse
import os
import sys
import time

import torch
import torch.distributed as dist

import faults


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", default="none")
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--style", default="plain")
    return parser.parse_args()


def tell(style, step, loss, rank):
    if style == "bar":
        sys.stderr.write(f"\r{step * 20:3d}%|{'#' * step:<5}| {step}/5 [00:0{step}<00:01, 1.{step}3it/s, loss={loss:.3f}]")
        sys.stderr.flush()
    elif style == "colour":
        print(f"\033[32mINFO\033[0m:\033[1mtrain\033[0m:step: {step} loss: {loss:.4f} errors: 0", flush=True)
    elif style == "mmengine":
        print(f"2025/09/21 10:00:{step:02d} - mmengine - INFO - Iter(train) [  {step}/6]  lr: 1.0e-03  loss: {loss:.4f}",
              flush=True)
    else:
        print(f"rank {rank} step {step} loss {loss:.4f}", flush=True)


def main():
    args = arguments()
    fault = getattr(faults, args.fault.replace("-", "_"))
    rank = int(os.environ.get("RANK", 0))
    if getattr(fault, "before", False):
        fault(rank)
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
    torch.manual_seed(1)
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(args.steps):
        loss = (model(torch.ones(4, 8)) - 1).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        if step == 2 and not getattr(fault, "before", False):
            fault(rank)
        for parameter in model.parameters():
            if dist.is_initialized():
                dist.all_reduce(parameter.grad)
        optimizer.step()
        tell(args.style, step, loss.item(), rank)
        time.sleep(0.01)
    if args.style != "bar" and rank == 0:
        print("done, model saved")


if __name__ == "__main__":
    main()
