"""What goes wrong in train.py for want of memory, disk, rights or other ranks; see faults.py."""

import os
import resource
import signal
import time
from datetime import timedelta

import numpy
import torch
import torch.distributed as dist


class Squares(torch.utils.data.Dataset):
    def __init__(self, size=4, at=None):
        self.size, self.at = size, at

    def __len__(self):
        return 64

    def __getitem__(self, index):
        if self.at and index == 20:
            self.at()
        return torch.ones(self.size)


def read(dataset, **options):
    for _ in torch.utils.data.DataLoader(dataset, batch_size=4, num_workers=2, **options):
        pass


def killed(rank):
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)


def segfault(rank):
    if rank == 1:
        os.kill(os.getpid(), signal.SIGSEGV)


def illegal(rank):
    if rank == 1:
        os.kill(os.getpid(), signal.SIGILL)


def aborted(rank):
    if rank == 1:
        os.abort()


def large_array(rank):
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    numpy.ones(1 << 34)


def large_tensor(rank):
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    torch.ones(1 << 34)


def large_list(rank):
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    [0] * (1 << 34)


def small_shared_memory(rank):
    read(Squares(1 << 18))


def many_files(rank):
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
    list(torch.utils.data.DataLoader(Squares(), batch_size=1, num_workers=2))


def kill_worker():
    os.kill(os.getpid(), signal.SIGKILL)


def worker_killed(rank):
    read(Squares(at=kill_worker))


def disk_full(rank):
    torch.save({"weight": torch.ones(1 << 20)}, os.path.join(os.environ["CASE_SMALL"], "epoch_1.pth"))


def disk_full_array(rank):
    with open(os.path.join(os.environ["CASE_SMALL"], "features.bin"), "wb") as file:
        numpy.ones(1 << 20).tofile(file)


def disk_full_text(rank):
    with open(os.path.join(os.environ["CASE_SMALL"], "log.txt"), "w", encoding="utf-8") as file:
        file.write("x" * (4 << 20))


def saved(change):
    path = os.path.join(os.environ["CASE_HERE"], "latest.pth")
    torch.save({"weight": torch.ones(4096)}, path)
    with open(path, "rb") as file:
        whole = file.read()
    with open(path, "wb") as file:
        file.write(change(whole))
    torch.load(path)


def truncated_checkpoint(rank):
    saved(lambda whole: whole[:len(whole) // 2])


def pointer_checkpoint(rank):
    saved(lambda whole: b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")


def empty_checkpoint(rank):
    saved(lambda whole: b"")


def no_nodes(rank):
    os.open("/dev/gcu0", os.O_RDWR)


def stalled(rank):
    group = dist.new_group(timeout=timedelta(seconds=2))
    if rank == 1:
        time.sleep(4)
    dist.monitored_barrier(group, timeout=timedelta(seconds=2))


def stalled_reduce(rank):
    group = dist.new_group(timeout=timedelta(seconds=2))
    if rank == 0:
        dist.all_reduce(torch.ones(2), group=group)
    time.sleep(60)


def interrupted(rank):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)


def interrupted_launcher(rank):
    if rank == 0:
        os.kill(os.getppid(), getattr(signal, os.environ["CASE_SIGNAL"]))
    time.sleep(20)
