# torch_gcu.distributed of the test double: offers 'eccl' and carries the data with torch's own gloo.

import torch.distributed as _dist
from torch.distributed import (  # noqa: F401
    ReduceOp, all_gather, all_reduce, barrier, broadcast, get_rank, get_world_size, is_available,
    is_initialized, new_group, recv, reduce, send)

from . import _eccl, mode
from ._build import PERSONALITY

_state = {"backend": None, "communicator": None}


def eccl_version():
    """The version code of the loaded libeccl.so."""
    return _eccl.VERSION


def init_process_group(backend="eccl", init_method=None, **options):
    """As torch.distributed.init_process_group; 'eccl' opens a communicator of libeccl.so as well."""
    is_eccl = backend.lower() == "eccl"
    carrier = ("cards" if mode.STRICT else "gloo") if is_eccl and PERSONALITY == "t2x" else backend
    if carrier == "cards" and not hasattr(_dist.Backend, "CARDS"):
        from . import groups
        _dist.Backend.register_backend("cards", groups.create)
    if init_method is None and options.get("store") is None:
        init_method = "env://"
    _dist.init_process_group(carrier, init_method=init_method, **options)
    _state["backend"] = backend.lower()
    # The s60 creator opens its communicator itself.
    if is_eccl and carrier == "gloo":
        _state["communicator"] = _eccl.Communicator(get_rank(), get_world_size())


def get_backend(group=None):
    """The name given to init_process_group, whatever carries the data underneath."""
    if not is_initialized():
        raise RuntimeError("Default process group has not been initialized, please make sure to call "
                           "init_process_group.")
    return _state["backend"] or _dist.get_backend()


def destroy_process_group(*arguments, **options):
    _dist.destroy_process_group(*arguments, **options)
    if not is_initialized():
        if _state["communicator"] is not None:
            _state["communicator"].destroy()
        _state.update(backend=None, communicator=None)


if mode.HAS_OWN_GROUP:
    from .groups import (  # noqa: F401,F811
        all_gather, all_reduce, barrier, broadcast, destroy_process_group, get_backend, get_rank, get_world_size, init_process_group,
        is_available, is_initialized, new_group, recv, reduce, send)
