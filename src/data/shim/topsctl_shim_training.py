"""Around the model: parallel wrappers, batch norm over all ranks, mixed precision, steps of optimizers, checkpoints, data loaders."""

import contextlib
import functools
import inspect
import sys
import types

import torch
import torch.distributed as dist

from topsctl_shim import CannotMap

_lacking = []


def install(cards):
    """What torch_gcu lacks, which this does without."""
    _install_parallel(cards)
    _install_batch_norm(cards)
    _install_amp(cards)
    _install_steps(cards)
    loader = torch.utils.data.DataLoader
    made = loader.__init__

    @functools.wraps(made)
    def without_pinning(self, *arguments, **options):
        bound = inspect.signature(made).bind(self, *arguments, **options)
        bound.arguments.pop("pin_memory", None)
        bound.arguments.pop("pin_memory_device", None)
        made(*bound.args, **bound.kwargs)
    loader.__init__ = without_pinning
    torch.set_default_tensor_type = _without_default_types(torch.set_default_tensor_type)
    return _lacking


def _without_default_types(original):
    def set_default_tensor_type(kind):
        if getattr(kind, "__module__", None) == "torch.cuda" or str(kind).startswith("torch.cuda."):
            raise CannotMap("torch.set_default_tensor_type({})".format(kind), "a default type is the host's")
        return original(kind)
    return set_default_tensor_type


def _install_parallel(cards):
    """One class under all its names, so that it can be asked for and derived from."""
    own = torch.nn.parallel.DistributedDataParallel
    try:
        from torch_gcu.nn.parallel import DistributedDataParallel as base
    except ImportError:
        base = own
    known = inspect.signature(base.__init__).parameters
    takes_all = any(each.kind is each.VAR_KEYWORD for each in known.values())
    by_default = inspect.signature(own.__init__).parameters

    class DistributedDataParallel(base):
        __doc__ = base.__doc__

        def __init__(self, module, device_ids=None, output_device=None, dim=0, **options):
            for name in [] if takes_all else [name for name in options if name not in known]:
                if name not in by_default or options[name] != by_default[name].default:
                    raise CannotMap("DistributedDataParallel({}=...)".format(name), "that of torch_gcu has no such option")
                del options[name]
            if dim != 0:
                options["dim"] = dim
            # torch's own knows CUDA's devices alone; a module on one card needs none of them.
            if base is not own:
                options.update(device_ids=device_ids, output_device=output_device)
            super(DistributedDataParallel, self).__init__(module, **options)
            self._topsctl_card = cards.device(cards.index(device_ids[0])) if device_ids else None

        def forward(self, *inputs, **options):
            if self._topsctl_card is not None:
                inputs, options = _on_card(inputs, self._topsctl_card), _on_card(options, self._topsctl_card)
            return super(DistributedDataParallel, self).forward(*inputs, **options)

    torch.nn.parallel.DistributedDataParallel = DistributedDataParallel
    _shadow(torch.nn.parallel, "distributed", DistributedDataParallel)
    if hasattr(torch.nn.parallel, "DataParallel"):
        _install_data_parallel(cards)


def _on_card(value, device):
    """As DistributedDataParallel does it for what it is given on the host."""
    if isinstance(value, torch.Tensor):
        return value.to(device) if value.device.type == "cpu" else value
    if isinstance(value, dict):
        return type(value)((key, _on_card(each, device)) for key, each in value.items()) if value else value
    if type(value) in (list, tuple):
        return type(value)(_on_card(each, device) for each in value)
    return value


def _shadow(package, name, replaced):
    """The module as others import it. The class in it goes on by its own name: it calls its base with it."""
    module = getattr(package, name)
    shown = types.ModuleType(module.__name__, module.__doc__)
    shown.__dict__.update(vars(module), **{replaced.__name__: replaced})
    setattr(package, name, shown)
    sys.modules[module.__name__] = shown


def _install_data_parallel(cards):
    own = torch.nn.DataParallel

    class DataParallel(own):
        """On one card: one process drives one."""

        def __init__(self, module, device_ids=None, output_device=None, dim=0):
            if device_ids is not None and len(device_ids) > 1:
                raise CannotMap("torch.nn.DataParallel", "one process drives one card: start a process for each")
            torch.nn.Module.__init__(self)
            self.module, self.device_ids, self.dim = module.to(cards.device()), [cards.current], dim

        def forward(self, *inputs, **options):
            return self.module(*inputs, **options)
    torch.nn.DataParallel = torch.nn.parallel.DataParallel = DataParallel


class _SumOfAll(torch.autograd.Function):
    """The sum over the ranks; its gradient is the sum of theirs."""

    @staticmethod
    def forward(context, values, group):
        context.group = group
        total = values.clone()
        dist.all_reduce(total, group=group)
        return total

    @staticmethod
    def backward(context, gradient):
        total = gradient.clone().contiguous()
        dist.all_reduce(total, group=context.group)
        return total, None


def _install_batch_norm(cards):
    theirs = getattr(getattr(cards.api, "nn", None), "SyncBatchNorm", None)
    if theirs is not None:
        torch.nn.SyncBatchNorm = torch.nn.modules.SyncBatchNorm = torch.nn.modules.batchnorm.SyncBatchNorm = theirs
        return
    batch_norm = torch.nn.modules.batchnorm._BatchNorm

    def forward(self, inputs):
        """As torch's: the mean and the variance are those of all ranks together."""
        is_alone = not dist.is_initialized() or dist.get_world_size(self.process_group) == 1
        if is_alone or not (self.training or not self.track_running_stats):
            return batch_norm.forward(self, inputs)
        over = [0] + list(range(2, inputs.dim()))
        count = torch.full((1,), float(inputs.numel() // inputs.size(1))).to(inputs.device)
        local = torch.cat([inputs.sum(over), (inputs * inputs).sum(over), count.to(inputs.dtype)])
        total = _SumOfAll.apply(local, self.process_group)
        channels, number = inputs.size(1), total[-1]
        mean = total[:channels] / number
        variance = total[channels:-1] / number - mean * mean
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            share = 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
            with torch.no_grad():
                self.running_mean.mul_(1 - share).add_(share * mean)
                self.running_var.mul_(1 - share).add_(share * variance * number / (number - 1))
        shape = [1, channels] + [1] * (inputs.dim() - 2)
        out = (inputs - mean.view(shape)) / torch.sqrt(variance.view(shape) + self.eps)
        return out * self.weight.view(shape) + self.bias.view(shape) if self.affine else out
    torch.nn.SyncBatchNorm.forward = forward


def _install_amp(cards):
    theirs = None
    for owner in (getattr(cards.module, "amp", None), _imported("torch_gcu.amp")):
        theirs = theirs or owner
    autocast, scaler = getattr(theirs, "autocast", None), getattr(theirs, "GradScaler", None)
    if autocast is None:
        _lacking.append("autocast (computes in full precision)")
    if scaler is None:
        _lacking.append("GradScaler (does not scale)")
    # Before PyTorch 1.10 CUDA alone has it.
    own = getattr(torch, "autocast", torch.cuda.amp.autocast)

    class Autocast(contextlib.ContextDecorator):
        """torch.cuda.amp.autocast() and torch.autocast('cuda'): torch_gcu's, or nothing."""

        def __init__(self, enabled=True, dtype=None, cache_enabled=True):
            if enabled and dtype is torch.bfloat16:
                cards.require_bfloat16("autocast(dtype=torch.bfloat16)")
            self._enabled, self._entered = enabled, []

        def __enter__(self):
            entered = autocast(enabled=self._enabled) if autocast is not None else contextlib.suppress()
            entered.__enter__()
            self._entered.append(entered)
            return self

        def __exit__(self, *error):
            return bool(self._entered.pop().__exit__(*error))

    class Meta(type):
        def __instancecheck__(cls, made):
            return isinstance(made, (own, Autocast))

        def __call__(cls, device_type, *arguments, **options):
            if device_type not in ("cuda", "gcu", "xla", "privateuseone"):
                return own(device_type, *arguments, **options)
            bound = dict(zip(("dtype", "enabled", "cache_enabled"), arguments), **options)
            return Autocast(**{name: value for name, value in bound.items() if value is not None})

    general = Meta("autocast", (), {"__module__": "torch"})
    own_scaler = torch.cuda.amp.GradScaler

    class Unscaled(own_scaler):
        """What it is asked is answered, and nothing is scaled."""

        def __init__(self, *arguments, **options):
            options = dict(zip(("init_scale", "growth_factor", "backoff_factor", "growth_interval"), arguments), **options)
            options.pop("device", None)
            options["enabled"] = False
            super(Unscaled, self).__init__(**{name: value for name, value in options.items() if name in _SCALES})

    if hasattr(torch, "autocast"):
        torch.autocast = general
    for name in ("torch.amp", "torch.amp.autocast_mode", "torch.cuda.amp", "torch.cuda.amp.autocast_mode"):
        module = _imported(name)
        if module is not None and hasattr(module, "autocast"):
            module.autocast = Autocast if ".cuda" in name else general
    for name in ("torch.cuda.amp", "torch.cuda.amp.grad_scaler", "torch.amp", "torch.amp.grad_scaler"):
        module = _imported(name)
        if module is not None and hasattr(module, "GradScaler"):
            module.GradScaler = scaler or Unscaled


_SCALES = ("init_scale", "growth_factor", "backoff_factor", "growth_interval", "enabled")


def _imported(name):
    try:
        return __import__(name, fromlist=["*"])
    except ImportError:
        return None


def _install_steps(cards):
    """Work is lazy in the first generation: the step is where it is done, and torch_gcu has it."""
    theirs = getattr(cards.api, "optimizer_step", None)
    if theirs is None:
        return
    optimizer = torch.optim.Optimizer
    made, changed, stepping = optimizer.__init__, set(), set()

    def stepped(step):
        @functools.wraps(step)
        def by_torch_gcu(self, *arguments, **options):
            # It calls the optimizer's own.
            if arguments or options or id(self) in stepping:
                return step(self, *arguments, **options)
            stepping.add(id(self))
            try:
                return theirs(self)
            finally:
                stepping.discard(id(self))
        return by_torch_gcu

    @functools.wraps(made)
    def with_step(self, *arguments, **options):
        kind = type(self)
        if kind not in changed and "step" in vars(kind):
            changed.add(kind)
            kind.step = stepped(kind.step)
        made(self, *arguments, **options)
    optimizer.__init__ = with_step
