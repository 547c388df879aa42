"""The process group: the whole of torch.distributed goes to where nccl's place is taken, and a group of gloo stays torch's own."""

import functools
import inspect
import os
import pickle
import threading

import torch
import torch.distributed as dist

from topsctl_shim import CannotMap

COLLECTIVES = ("all_reduce", "all_gather", "all_gather_into_tensor", "_all_gather_base", "all_gather_coalesced", "all_reduce_coalesced",
               "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast", "gather", "get_rank", "get_world_size",
               "irecv", "isend", "monitored_barrier", "new_group", "new_subgroups", "new_subgroups_by_enumeration", "recv", "reduce",
               "reduce_scatter", "reduce_scatter_tensor", "_reduce_scatter_base", "scatter", "send")
NAMES_OF_CUDA = ("nccl", "cuda:nccl", "cpu:gloo,cuda:nccl")


def backend():
    """What nccl becomes."""
    return os.environ.get("TOPSCTL_SHIM_BACKEND") or "eccl"


class Group(object):
    """The default group: whose it is, and what the program called it."""

    def __init__(self, cards):
        self.cards = cards
        self.theirs = _module_of(cards)
        self.own = dist.is_initialized  # torch's, before it is changed
        self.name = None                # as the program asked for it
        self.is_plain = False           # asked of torch for a backend of its own
        self._inside = threading.local()

    def is_on_cards(self):
        """Whether collectives are torch_gcu's; it may have been told to start by the program itself."""
        if self.is_plain or self.theirs is None or self.is_inside():
            return False
        return self.theirs.is_initialized()

    def is_inside(self):
        return getattr(self._inside, "depth", 0) > 0

    def is_apart(self):
        """torch_gcu has a group that torch.distributed does not know."""
        return not self.own()

    def inside(self, function, *arguments, **options):
        """torch_gcu may call torch.distributed, and means torch's."""
        self._inside.depth = getattr(self._inside, "depth", 0) + 1
        try:
            return function(*arguments, **options)
        finally:
            self._inside.depth -= 1


def _module_of(cards):
    """torch_gcu.distributed, where groups are started on the cards; None: torch.distributed knows eccl."""
    if hasattr(dist.Backend, backend().upper()) and backend() != "gloo":
        return None
    try:
        import torch_gcu.distributed as theirs
    except ImportError:
        return None
    return theirs if hasattr(theirs, "init_process_group") else None


def _takes(function, name):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(each.name == name or each.kind is each.VAR_KEYWORD for each in parameters)


def _dispatched(group, name, original):
    theirs = getattr(group.theirs, name, None)
    emulated = OBJECTS.get(name)

    @functools.wraps(original)
    def collective(*arguments, **options):
        if not group.is_on_cards():
            return original(*arguments, **options)
        if "device_ids" in options and not _takes(theirs or original, "device_ids"):
            options.pop("device_ids")
        if theirs is not None:
            return group.inside(theirs, *arguments, **options)
        if emulated is not None:
            return emulated(group, *arguments, **options)
        if group.is_apart():
            raise CannotMap("torch.distributed." + name, "torch_gcu.distributed has no such function")
        return group.inside(original, *arguments, **options)
    return collective


# Objects travel as bytes, on the card: its collectives take nothing else.
def _packed(group, value):
    data = torch.tensor(list(pickle.dumps(value)), dtype=torch.uint8)
    return data.to(torch.int32).to(group.cards.device())


def _unpacked(tensor, size):
    return pickle.loads(bytes(tensor.cpu()[:size].to(torch.uint8).tolist()))


def _gathered(group, value, of):
    """The values of all ranks, in their order."""
    mine = _packed(group, value)
    sizes = [torch.zeros(1, dtype=torch.int64).to(group.cards.device()) for _ in range(dist.get_world_size(of))]
    dist.all_gather(sizes, torch.tensor([mine.numel()]).to(group.cards.device()), group=of)
    sizes = [int(size.item()) for size in sizes]
    room = torch.zeros(max(sizes), dtype=mine.dtype).to(group.cards.device())
    room[:mine.numel()] = mine
    rooms = [torch.zeros_like(room) for _ in sizes]
    dist.all_gather(rooms, room, group=of)
    return [_unpacked(each, size) for each, size in zip(rooms, sizes)]


def _all_gather_object(group, object_list, obj, group_=None, **options):
    of = options.get("group", group_)
    for index, value in enumerate(_gathered(group, obj, of)):
        object_list[index] = value


def _gather_object(group, obj, object_gather_list=None, dst=0, group_=None, **options):
    of = options.get("group", group_)
    values = _gathered(group, obj, of)
    if dist.get_rank() == dst:
        object_gather_list[:] = values


def _broadcast_object_list(group, object_list, src=0, group_=None, device=None, **options):
    of = options.get("group", group_)
    # Of all, only those of `src` count.
    values = _gathered(group, list(object_list) if dist.get_rank() == src else None, of)
    object_list[:] = next(value for value in values if value is not None)


def _scatter_object_list(group, scatter_object_output_list, scatter_object_input_list=None, src=0, group_=None, **options):
    of = options.get("group", group_)
    values = _gathered(group, scatter_object_input_list if dist.get_rank() == src else None, of)
    scatter_object_output_list[0] = next(value for value in values if value is not None)[dist.get_rank(of)]


def _barrier_with_timeout(group, group_=None, timeout=None, wait_all_ranks=False, **options):
    dist.barrier(group=options.get("group", group_))


OBJECTS = {"all_gather_object": _all_gather_object, "gather_object": _gather_object, "broadcast_object_list": _broadcast_object_list,
           "scatter_object_list": _scatter_object_list, "monitored_barrier": _barrier_with_timeout}


def _starter(group, original):
    @functools.wraps(original)
    def init_process_group(backend_=None, *arguments, **options):
        asked = options.pop("backend", backend_)
        name = str(asked).lower() if asked is not None else None
        is_for_cards = name in NAMES_OF_CUDA or name == backend() != "gloo"
        if group.is_inside() or not is_for_cards:
            group.is_plain = group.is_plain or not group.is_inside()
            return original(*((asked,) if asked is not None else ()), *arguments, **options)
        group.name = "nccl" if name in NAMES_OF_CUDA else name
        group.is_plain = False
        if options.get("device_id") is not None and group.theirs is not None:
            options.pop("device_id")
        start = group.theirs.init_process_group if group.theirs is not None else original
        wanted = backend() if name in NAMES_OF_CUDA else name
        if group.theirs is None and name.startswith("cpu:gloo"):
            wanted = "cpu:gloo,gcu:" + backend()
        return group.inside(start, wanted, *arguments, **options)
    return init_process_group


def _ender(group, original):
    @functools.wraps(original)
    def destroy_process_group(*arguments, **options):
        on_cards = group.is_on_cards()
        end = getattr(group.theirs, "destroy_process_group", original) if on_cards else original
        group.inside(end, *arguments, **options)
        if not group.own() and not (on_cards and group.theirs.is_initialized()):
            group.name, group.is_plain = None, False
    return destroy_process_group


def install(cards):
    """Where groups of cards are: the name of the module."""
    group = Group(cards)
    core = dist.distributed_c10d
    own = {name: getattr(dist, name) for name in dir(dist)}
    changed = {"init_process_group": _starter(group, own["init_process_group"]),
               "destroy_process_group": _ender(group, own["destroy_process_group"]),
               "is_nccl_available": lambda: True,
               "is_initialized": lambda: own["is_initialized"]() or group.is_on_cards()}
    own_backend = own["get_backend"]

    def get_backend(group_=None, **options):
        of = options.get("group", group_)
        # Programs choose devices by it.
        if of is None and group.name is not None:
            return group.name
        return backend() if group.is_on_cards() else own_backend(of)
    changed["get_backend"] = get_backend
    for name in COLLECTIVES + tuple(OBJECTS):
        if name in own:
            changed[name] = _dispatched(group, name, own[name])
    if group.theirs is None:
        changed["new_group"] = _renamed(own["new_group"])
        changed["barrier"] = _without_ids(own["barrier"])
    for name, function in changed.items():
        setattr(dist, name, function)
    return "torch_gcu.distributed" if group.theirs is not None else core.__name__.rpartition(".")[0]


def _renamed(new_group):
    @functools.wraps(new_group)
    def renamed(*arguments, **options):
        if options.get("backend") in NAMES_OF_CUDA:
            options["backend"] = backend()
        return new_group(*arguments, **options)
    return renamed


def _without_ids(barrier):
    @functools.wraps(barrier)
    def without(group=None, async_op=False, device_ids=None):
        return barrier(group=group, async_op=async_op) if group is not None else barrier(async_op=async_op)
    return without
