"""What a device is: cuda and cuda:N, wherever torch takes a device, become a card."""

import functools
import os

import torch

from topsctl_shim import CannotMap, announce

FACTORIES = ("arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty", "empty_like", "empty_strided", "eye",
             "full", "full_like", "hamming_window", "hann_window", "kaiser_window", "linspace", "logspace", "normal", "ones",
             "ones_like", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "range", "scalar_tensor",
             "sparse_coo_tensor", "tensor", "tril_indices", "triu_indices", "zeros", "zeros_like", "Generator")
BFLOAT16 = torch.bfloat16
DTYPE = torch.dtype
NEW = ("new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros")


class Cards(object):
    """The cards of this process by torch_gcu's API."""

    def __init__(self, torch_gcu, generation):
        self.api = torch_gcu
        self.module = getattr(torch, "gcu", None)  # of later releases
        self.generation = generation
        self._current = None
        self.said = "gcu:N" if self._has_names() else "gcu_device(N)"

    def _has_names(self):
        return not hasattr(self.api, "gcu_device")

    @property
    def current(self):
        """The index: as it was set, else the rank's own."""
        if self._current is None:
            # A rank that sees one card has it as its first.
            self._current = int(os.environ.get("LOCAL_RANK", "0")) if self.count() > 1 else 0
        return self._current

    @current.setter
    def current(self, index):
        self._current = index
        if self.module is not None and hasattr(self.module, "set_device"):
            self.module.set_device(index)
        else:
            self.device(index)

    def device(self, index=None):
        """What torch computes on: the device of torch_gcu, or its name."""
        index = self.current if index is None else index
        announce()
        return "gcu:{}".format(index) if self._has_names() else _device_of(self.api, index)

    def call(self, name, *arguments):
        """Of torch.gcu or torch_gcu, whichever has it. (whether one has, its result)"""
        for owner in (self.module, self.api):
            function = getattr(owner, name, None)
            if function is not None:
                return True, function(*arguments)
        return False, None

    def is_available(self):
        return self.required_count("torch.cuda.is_available") > 0

    def count(self):
        return int(self.call("device_count")[1] or 0)

    def required_count(self, what):
        """A program that sees no card would go on by itself on the CPU."""
        count = self.count() if self.call("is_available")[1] else 0
        if count < 1:
            raise CannotMap(what, "torch_gcu finds no card on this host")
        return count

    def has_bfloat16(self):
        if os.environ.get("TOPSCTL_SHIM_BFLOAT16"):
            return os.environ["TOPSCTL_SHIM_BFLOAT16"] == "1"
        return bool(self.call("is_bf16_supported")[1])

    def require_bfloat16(self, what):
        if not self.has_bfloat16():
            raise CannotMap(what, "torch_gcu does not say that it computes in bfloat16; TOPSCTL_SHIM_BFLOAT16=1 says so")

    def mapped(self, device):
        """The card, where the device is CUDA's; else as it is."""
        if isinstance(device, torch.device):
            return self.device(device.index) if device.type == "cuda" else device
        if isinstance(device, str) and device[:4] == "cuda" and (len(device) == 4 or device[4] == ":"):
            return self.device(int(device[5:]) if len(device) > 5 else None)
        # A number alone is a device of CUDA to torch.
        return self.device(device) if type(device) is int else device

    def index(self, device):
        """Of a device, a name, a number or nothing."""
        if device is None:
            return self.current
        if isinstance(device, int):
            return self.current if device < 0 else device
        index = torch.device(device).index if not isinstance(device, torch.device) else device.index
        return self.current if index is None else index

    def is_card(self, device):
        """Of what mapped() gave."""
        kind = device.type if isinstance(device, torch.device) else str(device).partition(":")[0]
        return kind in ("gcu", "xla", "privateuseone")

    def is_on_card(self, tensor):
        return tensor.device.type not in ("cpu", "meta")


@functools.lru_cache(maxsize=None)
def _device_of(api, index):
    return api.gcu_device(index)


def _with_device(original, cards):
    """Only where a device is named is there anything to do."""
    def with_device(arguments, options):
        device = options["device"] = cards.mapped(options["device"])
        if options.get("dtype") is torch.bfloat16 and cards.is_card(device):
            cards.require_bfloat16("torch.{}(dtype=torch.bfloat16)".format(original.__name__))
        if options.get("generator") is not None and cards.is_card(device):
            return _drawn_on_host(original, device, arguments, options)
        return original(*arguments, **options)

    # This is called often: as few steps and names as can be.
    @functools.wraps(original)
    def made(*arguments, **options):
        if not options:
            return original(*arguments)
        if "device" not in options:
            return original(*arguments, **options)
        return with_device(arguments, options)
    return made


def _drawn_on_host(original, device, arguments, options):
    """A card has no generators that a program could hold; numbers of the host's go to the card."""
    if options["generator"].device.type != "cpu":
        return original(*arguments, **options)
    return original(*arguments, **dict(options, device="cpu")).to(device)


def _moved_by(to, cards):
    def with_device(moving, arguments, options):
        if arguments:
            arguments = (cards.mapped(arguments[0]),) + arguments[1:]
        if "device" in options:
            options["device"] = cards.mapped(options["device"])
        if options.get("dtype") is BFLOAT16:
            _check_bfloat16(moving, arguments, options, cards)
        for each in arguments:  # no generator: it would cost more than the rest
            if each is BFLOAT16:
                _check_bfloat16(moving, arguments, options, cards)
        return to(moving, *arguments, **options)

    # This is called often: a type alone is asked for in few steps.
    @functools.wraps(to)
    def moved(self, *arguments, **options):
        if not options and len(arguments) == 1 and type(arguments[0]) is DTYPE and arguments[0] is not BFLOAT16:
            return to(self, arguments[0])
        return with_device(self, arguments, options)
    return moved


def _check_bfloat16(moving, arguments, options, cards):
    places = [options.get("device"), arguments[0] if arguments else None]
    if isinstance(moving, torch.Tensor):
        is_there = cards.is_on_card(moving)
    else:
        first = next(moving.parameters(), None)
        is_there = first is not None and cards.is_on_card(first)
    if is_there or any(isinstance(each, (str, torch.device)) and cards.is_card(each) for each in places):
        cards.require_bfloat16("to(torch.bfloat16)")


def _typed(cards, name):
    """torch.cuda.FloatTensor: makes tensors on the card, and is asked for by isinstance and type()."""
    on_cpu = getattr(torch, name)

    class Meta(type):
        def __instancecheck__(cls, tensor):
            return isinstance(tensor, torch.Tensor) and cards.is_on_card(tensor) and tensor.dtype == cls.dtype

        def __call__(cls, *arguments):
            return on_cpu(*arguments).to(cards.device())

    return Meta(name, (), {"dtype": on_cpu.dtype, "__module__": "torch.cuda"})


def install(cards):
    for name in FACTORIES:
        original = getattr(torch, name, None)
        if original is None or isinstance(original, type):
            continue
        setattr(torch, name, _with_device(original, cards))
    _install_generator(cards)
    tensor = torch.Tensor
    for name in NEW:
        if hasattr(tensor, name):
            setattr(tensor, name, _with_device(getattr(tensor, name), cards))
    tensor.to = _moved_by(tensor.to, cards)
    torch.nn.Module.to = _moved_by(torch.nn.Module.to, cards)

    def tensor_to_card(self, device=None, non_blocking=False, **options):
        return self.to(cards.device(cards.index(device)), non_blocking=non_blocking)

    def module_to_card(self, device=None):
        return self.to(cards.device(cards.index(device)))
    tensor.cuda, torch.nn.Module.cuda = tensor_to_card, module_to_card
    for kind in (tensor, torch.nn.Module):
        kind.bfloat16 = lambda self, **options: self.to(torch.bfloat16, **options)
    is_cuda = tensor.is_cuda
    tensor.is_cuda = property(lambda self: is_cuda.__get__(self) or cards.is_on_card(self))
    if hasattr(torch, "set_default_device"):
        default = torch.set_default_device
        torch.set_default_device = lambda device: default(cards.mapped(device))
    tensor.pin_memory = lambda self, *device: self
    tensor.is_pinned = lambda self, *device: False
    _install_types(cards)
    _install_packed_sequences(cards)


def _install_generator(cards):
    original = torch.Generator

    class Meta(type):
        def __instancecheck__(cls, made):
            return isinstance(made, original)

        def __call__(cls, device="cpu"):
            # A card without a generator of its own draws from the CPU's.
            try:
                return original(device=cards.mapped(device))
            except RuntimeError:
                return original()

    torch.Generator = Meta("Generator", (), {"__module__": "torch"})


def _install_types(cards):
    names = {}
    for name in ("Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double", "Bool", "BFloat16"):
        typed = _typed(cards, name + "Tensor")
        names[typed.dtype] = name + "Tensor"
        setattr(torch.cuda, name + "Tensor", typed)
    by_type = torch.Tensor.type

    def with_type(self, dtype=None, non_blocking=False, **options):
        if isinstance(dtype, str) and dtype.startswith("torch.cuda."):
            dtype = getattr(torch.cuda, dtype.rpartition(".")[2])
        if getattr(dtype, "__module__", None) == "torch.cuda":
            return self.to(cards.device(), dtype.dtype)
        if dtype is None:
            return "torch.cuda." + names[self.dtype] if cards.is_on_card(self) and self.dtype in names else by_type(self)
        return by_type(self, dtype, non_blocking, **options)
    torch.Tensor.type = with_type


def _install_packed_sequences(cards):
    packed = torch.nn.utils.rnn.PackedSequence
    packed.cuda = lambda self, *arguments, **options: self.to(cards.device())
