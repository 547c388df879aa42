# Tensors of the torch_gcu test double in strict mode: they say that they are on a card, compute on the CPU, and mix with no other device.

import ctypes

import torch
from torch.utils._pytree import tree_flatten, tree_map

TYPE = 9  # the number of xla among the types of devices
_kept = []


class CardTensor(torch.Tensor):
    """A tensor on a card, which holds one on the CPU."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, inner, device):
        made = torch.Tensor._make_wrapper_subclass(
            cls, inner.size(), strides=inner.stride(), storage_offset=inner.storage_offset(), dtype=inner.dtype,
            layout=inner.layout, device=device, requires_grad=False)
        made._inner = inner
        return made

    # torch has these for tensors of its own class alone.
    def tolist(self):
        return self._inner.tolist()

    def __repr__(self, **options):
        return "{}, device='{}')".format(repr(self._inner)[:-1], self.device)

    def __format__(self, spec):
        return format(self.item(), spec) if self.dim() == 0 else repr(self)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func.namespace == "c10d":
            # The group sees the cards' tensors themselves.
            guard = torch._C._DisableTorchDispatch()
            try:
                return func(*args, **kwargs)
            finally:
                del guard
        given = tree_flatten((args, kwargs))[0]
        device = _device_of(func, given)
        if kwargs.get("device") is not None:
            device = torch.device(kwargs["device"])
            kwargs = dict(kwargs, device=torch.device("cpu"))
        elif func in _COPIES and not isinstance(args[0], CardTensor):
            device = torch.device("cpu")
        known = {id(each._inner): each for each in given if isinstance(each, CardTensor)}
        made = func(*tree_map(inner_of, args), **tree_map(inner_of, kwargs))

        def shown(value):
            if not isinstance(value, torch.Tensor) or device.type == "cpu":
                return value
            return known.get(id(value)) if id(value) in known else CardTensor(value, device)
        return tree_map(shown, made)


_COPIES = (torch.ops.aten.copy_.default, torch.ops.aten._to_copy.default)


def inner_of(value):
    return value._inner if isinstance(value, CardTensor) else value


def is_on_card(tensor):
    return isinstance(tensor, CardTensor)


def _device_of(func, given):
    """The one card of all tensors; numbers on the CPU may take part, as everywhere in torch."""
    devices = {each.device for each in given if isinstance(each, CardTensor)}
    if func in _COPIES:
        return next(each.device for each in given if isinstance(each, CardTensor))
    if len(devices) > 1:
        raise RuntimeError("Expected all tensors to be on the same device, but found {} (torch_gcu test double)".format(
            sorted(map(str, devices))))
    for each in given:
        if isinstance(each, torch.Tensor) and not isinstance(each, CardTensor) and each.dim() > 0:
            raise RuntimeError("Input tensor is not a Dtu node: {} (torch_gcu test double)".format(each.type()))
        if isinstance(each, torch.Generator):
            raise RuntimeError("Expected a generator of the card but found one of the CPU (torch_gcu test double)")
    return devices.pop()


def _register_device(number, count):
    """Makes torch's engine know the device type: the guard of the CPU, with another type and count."""
    path = next(line.split()[-1] for line in open("/proc/self/maps") if "/libc10" in line)
    registry = (ctypes.c_void_p * 20).in_dll(ctypes.CDLL(path), "_ZN3c104impl26device_guard_impl_registryE")
    methods = ctypes.cast(ctypes.cast(registry[0], ctypes.POINTER(ctypes.c_void_p))[0], ctypes.POINTER(ctypes.c_void_p))
    table = (ctypes.c_void_p * 19)(*[methods[index] for index in range(19)])
    answer = ctypes.CFUNCTYPE(ctypes.c_int8, ctypes.c_void_p)
    for index, value in ((0, number), (13, count)):  # type() and deviceCount()
        function = answer(lambda this, value=value: value)
        table[index] = ctypes.cast(function, ctypes.c_void_p).value
        _kept.append(function)
    guard = (ctypes.c_void_p * 1)(ctypes.addressof(table))
    _kept.extend((table, guard))
    registry[number] = ctypes.addressof(guard)


def _refuse_lacking_types(dtype):
    if dtype is torch.bfloat16:
        raise RuntimeError("BFloat16 is not supported (torch_gcu test double)")


def install(count):
    """Called once, when torch_gcu is imported in strict mode."""
    _register_device(TYPE, count)
    library = torch.library.Library("aten", "IMPL")
    _kept.append(library)

    def empty(size, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
        _refuse_lacking_types(dtype)
        return CardTensor(torch.empty(size, dtype=dtype), torch.device(device))

    def empty_strided(size, stride, dtype=None, layout=None, device=None, pin_memory=None):
        _refuse_lacking_types(dtype)
        return CardTensor(torch.empty_strided(size, stride, dtype=dtype), torch.device(device))

    def copy_from(source, target, non_blocking=False):
        inner_of(target).copy_(inner_of(source))
        return target
    library.impl("_copy_from", copy_from, "XLA")
    library.impl("empty.memory_format", empty, "XLA")
    library.impl("empty_strided", empty_strided, "XLA")
    parameter = torch.nn.parameter.Parameter

    def is_instance(cls, value):
        # torch 1.13 takes any parameter of another tensor class for each class of parameters.
        return type.__instancecheck__(cls, value) or (
            cls is parameter and isinstance(value, torch.Tensor) and getattr(value, "_is_param", False))
    type(parameter).__instancecheck__ = is_instance
