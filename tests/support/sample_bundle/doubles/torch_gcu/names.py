# The device's name 'gcu' in the s60 double's strict mode, wherever torch takes a device. This torch calls the type itself xla.

import functools

import torch

FACTORIES = ("arange", "as_tensor", "empty", "empty_like", "eye", "full", "full_like", "linspace", "ones", "ones_like", "rand",
             "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "tensor", "zeros", "zeros_like")
NEW = ("new_empty", "new_full", "new_ones", "new_tensor", "new_zeros")


def install(current):
    """`current` gives the number of the card that 'gcu' alone means."""
    own = torch.device

    def known(device):
        if isinstance(device, str) and device.split(":")[0] == "gcu":
            return own("xla", int(device[4:]) if ":" in device else current())
        return device

    class Meta(type):
        def __instancecheck__(cls, value):
            return isinstance(value, own)

        def __call__(cls, *arguments, **options):
            if len(arguments) == 2 and arguments[0] == "gcu":
                return own("xla", arguments[1])
            return own(*[known(each) for each in arguments], **{name: known(value) for name, value in options.items()})

    torch.device = Meta("device", (), {"__module__": "torch"})

    def with_name(original):
        @functools.wraps(original)
        def made(*arguments, **options):
            if "device" in options:
                options["device"] = known(options["device"])
            return original(*arguments, **options)
        return made

    def moving(original):
        @functools.wraps(original)
        def moved(self, *arguments, **options):
            if "device" in options:
                options["device"] = known(options["device"])
            return original(self, *[known(each) for each in arguments], **options)
        return moved
    for name in FACTORIES:
        setattr(torch, name, with_name(getattr(torch, name)))
    for name in NEW:
        setattr(torch.Tensor, name, with_name(getattr(torch.Tensor, name)))
    for kind in (torch.Tensor, torch.nn.Module):
        kind.to = moving(kind.to)
        kind.gcu = lambda self, device=None, **options: self.to(
            own("xla", current() if device is None else own(known(device)).index if isinstance(device, str) else device))
