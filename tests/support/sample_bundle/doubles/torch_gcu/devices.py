# The devices of the torch_gcu test double: counted from /dev or the environment, computing happens on the CPU.

import os
import re
import threading

import torch

from . import mode

_touched = threading.Event()


def device_count():
    """TORCH_GCU_DOUBLE_DEVICES if set, else the number of /dev/gcu0, /dev/gcu1, ..."""
    wanted = os.environ.get("TORCH_GCU_DOUBLE_DEVICES")
    if wanted is not None:
        return int(wanted)
    return len([name for name in os.listdir("/dev") if re.match(r"gcu[0-9]+$", name)])


def is_available():
    return device_count() > 0


def gcu_device(index=0):
    """The device of one card. The vendor's is 'xla:N'; no stock torch computes there, so this one is the CPU, unless in strict mode."""
    touch(index)
    return torch.device("xla", index) if mode.STRICT else torch.device("cpu")


def touch(index):
    """Refuse a card that is not there; say a line on the first use, as the vendor's runtime does."""
    count = device_count()
    if not 0 <= index < count:
        raise RuntimeError("GCU count:{}: no device {} (torch_gcu test double)".format(count, index))
    if not _touched.is_set():
        _touched.set()
        print("[test double] unified pointer base: 0x100000000000, size: 3544 GB, limit: 3544 GB", flush=True)
