# The newer API of the torch_gcu test double: registers 'eccl' with torch.distributed and provides torch.gcu.

import sys
import types

import torch
import torch.distributed as dist

from . import _eccl, devices, mode

_current = {"device": 0}
_communicators = []


def _create_process_group(store, rank, world_size, timeout):
    _communicators.append(_eccl.Communicator(rank, world_size))
    return dist.ProcessGroupGloo(store, rank, world_size, timeout=timeout)


def _strict_creator():
    from . import groups
    return groups.create


def _set_device(device):
    index = device if isinstance(device, int) else int(str(device).split(":")[-1])
    devices.touch(index)
    _current["device"] = index


def _gcu_module():
    module = types.ModuleType("torch.gcu", "Test double of torch.gcu: no Enflame software.")
    module.is_available = devices.is_available
    module.device_count = devices.device_count
    module.set_device = _set_device
    module.current_device = lambda: _current["device"]
    module.get_device_name = lambda index=0: "Enflame test double"
    module.synchronize = lambda device=None: None
    return module


def _to_gcu(tensor, device=None, **options):
    """gcu() of a tensor or module: the card is touched, and all stays on the CPU."""
    devices.touch(_current["device"] if device is None else int(str(device).split(":")[-1]))
    return tensor


def _to_known(to):
    """The method `to` that also knows cards: 'gcu' and 'gcu:N' are touched, and all stays on the CPU."""
    def moved(thing, *arguments, **options):
        device = arguments[0] if arguments else options.get("device")
        if not isinstance(device, str) or not device.startswith("gcu"):
            return to(thing, *arguments, **options)
        devices.touch(int(device.split(":")[1]) if ":" in device else _current["device"])
        return thing
    return moved


def install():
    """Called once, when torch_gcu is imported."""
    if not mode.HAS_OWN_GROUP and not hasattr(dist.Backend, "ECCL"):
        dist.Backend.register_backend("eccl", _strict_creator() if mode.STRICT else _create_process_group)
    torch.gcu = _gcu_module()
    sys.modules["torch.gcu"] = torch.gcu
    if mode.STRICT:
        from . import names
        names.install(lambda: _current["device"])
        return
    for kind in (torch.Tensor, torch.nn.Module):
        kind.gcu = _to_gcu
        kind.to = _to_known(kind.to)
