"""Checkpoints: torch.load puts on the card what was on a CUDA device or on another rank's card, and honours map_location."""

import functools
import threading

import torch

CARDS = ("cuda", "gcu", "xla", "privateuseone")
_loading = threading.local()


def _as_cuda(place):
    """The name that a program written for CUDA has for a place in a file."""
    kind, _, index = place.partition(":")
    return "cuda:" + (index or "0") if kind in CARDS else place


class _Plan(object):
    """Where the contents of one file go."""

    def __init__(self, cards, map_location):
        self.cards, self.wanted, self.places = cards, map_location, {}
        if isinstance(map_location, (str, torch.device)):
            self.wanted = str(map_location)

    def target(self, place):
        """'cpu', 'cuda', 'cuda:N', or another name that torch knows; of a place that is named as CUDA does."""
        if self.wanted is None:
            return place
        if isinstance(self.wanted, dict):
            return str(self.wanted.get(place, self.wanted.get(place.partition(":")[0], place)))
        return self.wanted

    def storage(self, storage, place):
        """For torch.load: all stays on the host at first, as torch knows no card to read to."""
        place = _as_cuda(place)
        if callable(self.wanted):
            return self.wanted(storage, place)
        target = self.target(place)
        if target.partition(":")[0] == "cuda":
            self.places[storage.data_ptr()] = target
            return storage
        return storage if target == "cpu" else None

    def tensor(self, tensor, place):
        """For a tensor of a card that was written as numbers."""
        target = "cpu" if callable(self.wanted) else self.target(_as_cuda(place))
        return tensor.to(self.cards.mapped(target))

    def moved(self, value):
        """What was on a device, in containers of any depth."""
        if isinstance(value, torch.nn.Parameter):
            value.data = self.moved(value.data)
            return value
        if isinstance(value, torch.Tensor):
            target = self.places.get(_address(value))
            return value if target is None else value.to(self.cards.mapped(target)).requires_grad_(value.requires_grad)
        if isinstance(value, dict):
            for key in list(value):
                value[key] = self.moved(value[key])
            return value
        if isinstance(value, list):
            value[:] = [self.moved(each) for each in value]
            return value
        if type(value) is tuple:
            return tuple(self.moved(each) for each in value)
        if isinstance(value, torch.nn.Module):
            return value.to(self.cards.mapped(next(iter(self.places.values()))))
        return value


def _address(tensor):
    """Of its storage; None: it has none, as a card's."""
    if tensor.device.type != "cpu" or tensor.is_sparse or tensor.numel() == 0:
        return None
    return (tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()).data_ptr()


def install(cards):
    load, utils = torch.load, torch._utils

    @functools.wraps(load)
    def to_cards(f, map_location=None, *arguments, **options):
        plan = _Plan(cards, map_location)
        before = getattr(_loading, "plan", None)
        _loading.plan = plan
        try:
            loaded = load(f, plan.storage, *arguments, **options)
        finally:
            _loading.plan = before
        return plan.moved(loaded) if plan.places else loaded
    torch.load = torch.serialization.load = to_cards

    def by_plan(original):
        @functools.wraps(original)
        def rebuilt(data, dtype, device, requires_grad):
            plan = getattr(_loading, "plan", None)
            if plan is None:
                return original(data, dtype, device, requires_grad)
            made = plan.tensor(torch.from_numpy(data).to(dtype=dtype), device)
            made.requires_grad = requires_grad
            return made
        return rebuilt
    for name in ("_rebuild_device_tensor_from_numpy", "_rebuild_xla_tensor"):
        if hasattr(utils, name):
            setattr(utils, name, by_plan(getattr(utils, name)))
