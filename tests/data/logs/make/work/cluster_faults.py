"""What goes wrong in pretrain.py: functions by name, `where` they strike is their attribute."""

import collections
import os
import signal
import socket
import threading
import time
import urllib.error
import urllib.request

import torch
import torch.distributed as dist
from torch.utils.checkpoint import checkpoint


def at(where):
    def marked(function):
        function.where = where
        return function
    return marked


def strike(name, where, *given):
    fault = globals()[name.replace("-", "_")]
    return fault(*given) if getattr(fault, "where", None) == where else None


def none():
    pass


# ---- between hosts

@at("step")
def killed_there(trainer, epoch, step):
    if trainer.rank == trainer.world - 1 and (epoch, step) == (1, 1):
        os.kill(os.getpid(), signal.SIGKILL)


@at("step")
def raises_there(trainer, epoch, step):
    if trainer.rank == trainer.world - 1 and (epoch, step) == (1, 1):
        counts = collections.Counter(a=1)
        raise ValueError("token id %d is outside the vocabulary of %d" % (50257, 50000 + counts["b"]))


@at("step")
def link_cut(trainer, epoch, step):
    if trainer.rank == 0 and (epoch, step) == (1, 1):
        os.system("ip link set eth0 down")


@at("start")
def waits_for_server(trainer):
    for _ in range(3):
        try:
            socket.create_connection(("127.0.0.1", 9), timeout=1)
        except ConnectionRefusedError as error:
            print("tensorboard is not up yet: %s, retrying" % error, flush=True)
            time.sleep(0.1)


@at("start")
def no_weights(trainer):
    torch.hub.load_state_dict_from_url("https://download.pytorch.org/models/resnet50-0676ba61.pth")


@at("start")
def weights_from_cache(trainer):
    try:
        urllib.request.urlopen("https://huggingface.co/api/models/gpt2", timeout=2)
    except urllib.error.URLError as error:
        print("WARNING: cannot check for updates (%s), using the cached files" % error.reason, flush=True)


# ---- torch

@at("forward")
def unused_head(model, x, hidden):
    return model.head(hidden)


@at("joined")
def differing_models(trainer):
    torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4 + trainer.rank))


@at("joined")
def group_twice(trainer):
    dist.init_process_group("gloo")


@at("start")
def group_missing(trainer):
    dist.barrier()


@at("forward")
def half_on_host(model, x, hidden):
    return model.head.half()(hidden.half()).float()


@at("forward")
def double_input(model, x, hidden):
    return model.head(hidden.double())


@at("forward")
def inplace(model, x, hidden):
    out = torch.sigmoid(model.head(hidden))
    out += 1
    return out * torch.sigmoid(out).add_(out.mul_(2))


@at("step")
def nan_gradient(trainer, epoch, step):
    torch.autograd.set_detect_anomaly(True)
    value = torch.zeros(1, requires_grad=True)
    (torch.sqrt(value) * 0).backward()


@at("forward")
def checkpointed_twice(model, x, hidden):
    hidden = hidden.detach().requires_grad_()
    return checkpoint(model.head, hidden) + checkpoint(model.head, hidden) + model.aux(hidden)


@at("step")
def batch_of_one(trainer, epoch, step):
    trainer.model.body(torch.ones(1, 16))


@at("step")
def fewer_steps(trainer, epoch, step):
    if trainer.rank == 1 and step == 2:
        time.sleep(3600)


# ---- the machine

@at("sample")
def many_threads(index):
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


@at("sample")
def missing_shard(index):
    if os.environ.get("RANK") == "1" and index > 10:
        with open("/data/shards/part-00001.bin", "rb"):
            pass


@at("step")
def much_memory(trainer, epoch, step):
    if (epoch, step) == (0, 2):
        trainer.kept = [torch.ones(1 << 22) for _ in range(200)]


class Settings:
    pass


@at("start")
def foreign_checkpoint(trainer):
    torch.save({"settings": Settings(), "model": {}}, "old.pt")
    torch.load("old.pt", weights_only=True)


@at("start")
def slow_extension(trainer):
    from torch.utils.cpp_extension import load_inline
    os.environ["TORCH_EXTENSIONS_DIR"] = os.getcwd()
    load_inline("ops", "#include <torch/extension.h>\nint f() { return missing; }", functions="f")


@at("save")
def disk_becomes_full(trainer, epoch):
    if trainer.rank == 0:
        with open(os.path.join(trainer.args.output, "cache.bin"), "wb") as file:
            file.write(b"x" * 500_000)
