# torch_gcu.nn.parallel of the test double: data parallelism that takes card numbers.

import contextlib

import torch

from .. import mode


class _OverTorch(torch.nn.parallel.DistributedDataParallel):
    """Accepts device_ids and output_device, which torch's own refuses for a module on the CPU."""

    def __init__(self, module, device_ids=None, output_device=None, **options):
        super(_OverTorch, self).__init__(module, **options)


class _OverOwn(torch.nn.Module):
    """Over torch_gcu's own group, and no class of torch's: each gradient is the mean of all ranks."""

    def __init__(self, module, device_ids=None, output_device=None, broadcast_buffers=True, process_group=None,
                 find_unused_parameters=False, gradient_as_bucket_view=False, bucket_cap_mb=25):
        from .. import distributed
        super(_OverOwn, self).__init__()
        self.module, self.broadcast_buffers, self._dist, self._group = module, broadcast_buffers, distributed, process_group
        self.require_backward_grad_sync = True
        self.find_unused_parameters = find_unused_parameters
        with torch.no_grad():
            for each in list(module.parameters()) + list(module.buffers()):
                distributed.broadcast(each.detach(), 0)
        for each in module.parameters():
            if each.requires_grad:
                each.register_hook(lambda gradient, parameter=each: self._mean(gradient, parameter))

    def _mean(self, gradient, parameter):
        if not self.require_backward_grad_sync:
            return gradient
        kept = parameter.grad
        total = gradient.clone() if kept is None else gradient + kept
        self._dist.all_reduce(total, group=self._group)
        total = total / self._dist.get_world_size(self._group)
        return total if kept is None else total - kept

    @contextlib.contextmanager
    def no_sync(self):
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def forward(self, *inputs, **options):
        if self.broadcast_buffers and self.training:
            for each in self.module.buffers():
                self._dist.broadcast(each.detach(), 0)
        return self.module(*inputs, **options)


DistributedDataParallel = _OverOwn if mode.HAS_OWN_GROUP else _OverTorch
DistributedDataParallel.__name__ = DistributedDataParallel.__qualname__ = "DistributedDataParallel"
