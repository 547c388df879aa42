"""The process group: nccl becomes the cards' group, with the whole of torch.distributed; a group of gloo stays the host's."""

import functools
import inspect
import os
import sys
import threading
import weakref

import torch
import torch.distributed as dist

import topsctl_shim_objects as emulated
from topsctl_shim import BACKEND, CannotMap, announce

COLLECTIVES = ("all_reduce", "all_gather", "all_gather_into_tensor", "_all_gather_base", "all_gather_coalesced", "all_reduce_coalesced",
               "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast", "gather", "get_rank", "get_world_size",
               "irecv", "isend", "monitored_barrier", "recv", "reduce", "reduce_scatter", "reduce_scatter_tensor",
               "_reduce_scatter_base", "scatter", "send", "all_gather_object", "gather_object", "broadcast_object_list",
               "scatter_object_list", "_get_global_rank", "get_global_rank", "get_group_rank", "get_process_group_ranks")
NAMES_OF_CUDA = ("nccl", "cuda:nccl", "cpu:gloo,cuda:nccl")


def backend():
    """What nccl becomes."""
    return os.environ.get("TOPSCTL_SHIM_BACKEND") or BACKEND


class _World(object):
    """Stands for the default group where torch has none."""

    def __init__(self, theirs):
        self.rank, self.size = theirs.get_rank, theirs.get_world_size


class Groups(object):
    """Whose groups are: of the cards, or of the host."""

    def __init__(self, cards):
        self.cards = cards
        self.theirs = _module_of(cards)
        self.own = {name: getattr(dist, name) for name in dir(dist)}  # torch's, before they are changed
        self.name = None                # of the default group, as the program asked for it
        self.is_plain = False           # the default group is one that the program asked of torch
        self.of_host = weakref.WeakSet()
        self.world = _World(self.theirs) if self.theirs is not None else None
        self._inside = threading.local()

    def is_inside(self):
        return getattr(self._inside, "depth", 0) > 0

    def inside(self, function, *arguments, **options):
        """torch_gcu may call torch.distributed, and means torch's."""
        self._inside.depth = getattr(self._inside, "depth", 0) + 1
        try:
            return function(*arguments, **options)
        finally:
            self._inside.depth -= 1

    def is_default(self, group):
        return group is None or group is self.world or group is dist.group.WORLD or group is dist.distributed_c10d.GroupMember.WORLD

    def is_on_cards(self, group=None):
        """Whether collectives of this group are the cards'. torch_gcu's may have been started by the program itself."""
        if self.is_inside() or backend() == "gloo":
            return False
        if not self.is_default(group):
            return not self._is_of_host(group)
        if self.is_plain:
            return False
        return self.theirs.is_initialized() if self.theirs is not None else self.name is not None

    def _is_of_host(self, group):
        try:
            return group in self.of_host
        except TypeError:  # it can have no weak reference
            return False

    def is_apart(self):
        """torch_gcu has a group that torch.distributed does not know."""
        return self.theirs is not None and self.theirs.is_initialized() and self.theirs.is_initialized is not self.own["is_initialized"]


def _module_of(cards):
    """torch_gcu.distributed, where groups are started on the cards; None: torch.distributed knows eccl."""
    if backend() == "gloo" or hasattr(dist.Backend, backend().upper()):
        return None
    try:
        import torch_gcu.distributed as theirs
    except ImportError:
        return None
    return theirs if hasattr(theirs, "init_process_group") else None


@functools.lru_cache(maxsize=None)
def _parameters(function):
    """The names that a function takes; None: any."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    return None if any(each.kind is each.VAR_KEYWORD for each in parameters.values()) else tuple(parameters)


def _bound(original, arguments, options):
    """All arguments by name, and the names as torch has them."""
    return inspect.signature(original).bind(*arguments, **options).arguments


def _dispatched(groups, name, original):
    theirs = getattr(groups.theirs, name, None)
    replacement = emulated.OBJECTS.get(name) if theirs is None else None
    filled = emulated.TENSORS.get(name)
    is_on_card = groups.cards.is_on_card
    names = _parameters(original) or ()
    position = names.index("group") if "group" in names else None
    of_object = original if not hasattr(original, "__wrapped__") else original.__wrapped__

    @functools.wraps(original)
    def collective(*arguments, **options):
        group = options.get("group") if "group" in options or position is None else (
            arguments[position] if len(arguments) > position else None)
        if name == "batch_isend_irecv" and arguments and arguments[0]:
            group = arguments[0][0].group
        if not groups.is_on_cards(group):
            if groups.is_inside():
                return original(*arguments, **options)
            if name == "barrier":
                options.pop("device_ids", None)
            return emulated.staged(original, is_on_card, arguments, options)
        given = dict(_bound(of_object, arguments, options))
        given.pop("device_ids", None)
        if groups.is_default(group):
            given.pop("group", None)
        if replacement is not None:
            return replacement(groups.cards, **given)
        if theirs is not None or not groups.is_apart():
            try:
                return groups.inside(theirs or original, **given)
            except RuntimeError as error:
                # So says the base class of torch's groups, on all ranks.
                if filled is None or "does not support" not in str(error):
                    raise
        if filled is None:
            raise CannotMap("torch.distributed." + name, "torch_gcu.distributed has no such function")
        return filled(groups.cards, **given)
    return collective


def _starter(groups, original):
    @functools.wraps(original)
    def init_process_group(*arguments, **options):
        asked = options.pop("backend", arguments[0] if arguments else None)
        name = str(asked).lower() if asked is not None else None
        is_for_cards = name in NAMES_OF_CUDA or name == backend()
        if groups.is_inside() or not is_for_cards:
            groups.is_plain = groups.is_plain or not groups.is_inside()
            return original(*((asked,) if asked is not None else ()), *arguments[1:], **options)
        if groups.cards.count() < 1:
            raise CannotMap("torch.distributed.init_process_group({!r})".format(asked), "this host has no card that torch_gcu can use")
        announce(options["rank"] if options.get("rank", -1) >= 0 else None)
        groups.name, groups.is_plain = "nccl" if name in NAMES_OF_CUDA else name, False
        start = groups.theirs.init_process_group if groups.theirs is not None else original
        known = _parameters(start)
        for option in ("device_id", "pg_options"):
            if option in options and (groups.theirs is not None or option == "pg_options"):
                options.pop(option)
        for option in options:
            if known is not None and option not in known:
                raise CannotMap("torch.distributed.init_process_group({}=...)".format(option), "that of torch_gcu has no such option")
        wanted = "cpu:gloo,gcu:" + backend() if groups.theirs is None and name.startswith("cpu:gloo") else backend()
        made = groups.inside(start, wanted, *arguments[1:], **options)
        rank, size = (getattr(groups.theirs, each, groups.own[each]) for each in ("get_rank", "get_world_size"))
        sys.stderr.write("Rank {}/{}, backend {}\n".format(groups.inside(rank), groups.inside(size), backend()))
        sys.stderr.flush()
        return made
    return init_process_group


def _ender(groups, original):
    @functools.wraps(original)
    def destroy_process_group(group=None):
        given = () if groups.is_default(group) else (group,)
        if groups.is_on_cards(group) and groups.theirs is not None:
            is_apart = groups.is_apart()
            groups.inside(getattr(groups.theirs, "destroy_process_group", original), *given)
            if is_apart and not given and groups.own["is_initialized"]():
                original()  # the host's, beside it
        else:
            groups.inside(original, *given)
        if not given:
            groups.name, groups.is_plain = None, False
    return destroy_process_group


def _maker(groups, original):
    names = _parameters(original)

    @functools.wraps(original)
    def new_group(*arguments, **options):
        if groups.is_inside():
            return original(*arguments, **options)
        given = dict(zip(names, arguments), **options)
        name = str(given.get("backend") or "").lower()
        if name and name not in NAMES_OF_CUDA and name != backend():
            if groups.is_apart() and not groups.own["is_initialized"]():
                _start_beside(groups)
            made = groups.inside(original, **given)
            if isinstance(made, dist.ProcessGroup):
                groups.of_host.add(made)
            return made
        if not groups.is_on_cards():
            if name in NAMES_OF_CUDA:
                given["backend"] = backend()
            return groups.inside(original, **given)
        given.pop("backend", None)
        given.pop("pg_options", None)
        theirs = getattr(groups.theirs, "new_group", None)
        if theirs is None and groups.is_apart():
            raise CannotMap("torch.distributed.new_group", "torch_gcu.distributed has no such function")
        return groups.inside(theirs or original, **given)
    return new_group


def _start_beside(groups):
    """torch's own default group for the host's groups, beside that of torch_gcu: at the same store."""
    theirs = groups.theirs
    try:
        address, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    except (KeyError, ValueError):
        raise CannotMap("torch.distributed.new_group(backend='gloo')", "MASTER_ADDR and MASTER_PORT do not say where the ranks meet")
    store = dist.TCPStore(address, port, theirs.get_world_size(), False)
    groups.inside(groups.own["init_process_group"], "gloo", store=dist.PrefixStore("topsctl_shim", store),
                  rank=theirs.get_rank(), world_size=theirs.get_world_size())


def install(cards):
    """Where groups of cards are: the name of the module."""
    groups = Groups(cards)
    own, core = groups.own, dist.distributed_c10d
    changed = {"init_process_group": _starter(groups, own["init_process_group"]),
               "destroy_process_group": _ender(groups, own["destroy_process_group"]),
               "new_group": _maker(groups, own["new_group"]),
               "is_nccl_available": lambda: True}
    if groups.theirs is not None:
        changed["is_initialized"] = lambda: own["is_initialized"]() or not groups.is_inside() and groups.theirs.is_initialized()

    def get_backend(group=None):
        # Programs choose devices by it.
        if not groups.is_inside() and (groups.is_default(group) and groups.name is not None or groups.is_on_cards(group)):
            return groups.name or backend()
        return own["get_backend"](group)
    changed["get_backend"] = get_backend
    for name in COLLECTIVES:
        if name in own:
            changed[name] = _dispatched(groups, name, own[name])
    for name, function in changed.items():
        # Programs import from either; and P2POp compares its functions with those of the second.
        if getattr(core, name, None) is own[name]:
            setattr(core, name, function)
        setattr(dist, name, function)
    if groups.theirs is not None and hasattr(core, "_get_default_group"):
        default = core._get_default_group
        core._get_default_group = lambda: groups.world if not groups.is_inside() and groups.is_apart() else default()
    return groups
