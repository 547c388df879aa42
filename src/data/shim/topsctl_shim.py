"""Makes a program that was written for CUDA and NCCL run on the cards of this host, as it is.

`import topsctl_shim` before anything else, or let `topsctl launch --shim` load it. Needs torch and torch_gcu; Python 3.6 and later.
TOPSCTL_SHIM: the generation, t2x or s60. TOPSCTL_SHIM_BACKEND: what nccl becomes, eccl or gloo. By default as it was written for.
"""

import os
import sys

VERSION, GENERATION, BACKEND = "@VERSION@", "@GENERATION@", "@BACKEND@"


class _Loader(object):
    """A module's own loader; what was loaded is changed before anybody sees it."""

    def __init__(self, loader, action):
        self._loader, self._action = loader, action

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._action(module)


class _Finder(object):
    """Stands before the other finders, for a few modules, each once."""

    def __init__(self):
        self.waiting = {}

    def find_spec(self, name, path=None, target=None):
        if name not in self.waiting:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Loader(spec.loader, self.waiting.pop(name))
                return spec
        return None


_finder = _Finder()


def when_loaded(name, action):
    """Calls action(module) as soon as the module is there. Who never asks for it pays nothing."""
    if name in sys.modules:
        action(sys.modules[name])
        return
    _finder.waiting[name] = action
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


_applied = []


def apply():
    """Maps everything, once for each process."""
    if _applied:
        return
    _applied.append(True)
    try:
        import torch_gcu
    except Exception as error:  # also a library that is not there
        _refuse_all("torch_gcu cannot be imported: {}".format(error))
        return
    generation = os.environ.get("TOPSCTL_SHIM") or GENERATION
    if generation == "s60" and _is_the_vendors_own(torch_gcu):
        return
    import topsctl_shim_cuda
    import topsctl_shim_devices
    import topsctl_shim_distributed
    import topsctl_shim_load
    import topsctl_shim_training
    cards = topsctl_shim_devices.Cards(torch_gcu, generation)
    lacking = []
    topsctl_shim_devices.install(cards)
    topsctl_shim_cuda.install(cards)
    groups = topsctl_shim_distributed.install(cards)
    lacking += topsctl_shim_training.install(cards)
    topsctl_shim_load.install(cards)
    _to_say.append("torch_gcu {} ({}): cuda -> {}, nccl -> {} of {}; {}".format(
        getattr(torch_gcu, "__version__", "?"), generation, cards.said, topsctl_shim_distributed.backend(),
        "torch_gcu.distributed" if groups.theirs is not None else "torch.distributed",
        "not mapped: " + ", ".join(lacking) if lacking else "all is mapped"))
    if "RANK" in os.environ:
        announce()


def _is_the_vendors_own(torch_gcu):
    """Later releases bring what this shim is for."""
    try:
        from torch_gcu import transfer_to_gcu  # noqa: F401
    except ImportError:
        return False
    _to_say.append("torch_gcu {} (s60): its own transfer_to_gcu".format(getattr(torch_gcu, "__version__", "?")))
    announce()
    return True


_to_say = []


def announce(rank=None):
    """Says once what is mapped: by rank 0, and not before it is known which one this is."""
    if not _to_say:
        return
    if rank is None and "RANK" not in os.environ and _is_child():
        return
    text = _to_say.pop()
    if str(rank if rank is not None else os.environ.get("RANK", "0")) == "0":
        sys.stderr.write("topsctl shim {}: {}\n".format(VERSION, text))
        sys.stderr.flush()


def _is_child():
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.current_process().name != "MainProcess"


def _refuse_all(why):
    """Without torch_gcu a program would go on by itself on the CPU."""
    import torch
    import torch.distributed
    for name in ("is_available", "device_count", "set_device", "current_device", "synchronize", "init"):
        setattr(torch.cuda, name, refuse("torch.cuda." + name, why))
    for owner in (torch.Tensor, torch.nn.Module):
        owner.cuda = refuse("cuda()", why)
    torch.cuda._lazy_init = refuse("torch.cuda", why)
    start = getattr(torch.distributed, "init_process_group", None)

    def init_process_group(*arguments, **options):
        if "nccl" in str(options.get("backend", arguments[0] if arguments else "nccl")).lower():
            raise CannotMap("torch.distributed.init_process_group", why)
        return start(*arguments, **options)
    torch.distributed.init_process_group = init_process_group


class CannotMap(RuntimeError):
    """What CUDA has and these cards have not."""

    def __init__(self, what, why):
        super(CannotMap, self).__init__(
            "topsctl shim: {} cannot be done on this card: {} [cuda-beyond-the-shim]".format(what, why))


def refuse(what, why):
    """A stand-in that says so at the first call."""
    def refused(*arguments, **options):
        raise CannotMap(what, why)
    refused.__name__ = what.rpartition(".")[2]
    return refused


when_loaded("torch", lambda torch: apply())
