# torch_gcu.nn.parallel of the test double: data parallelism that takes card numbers and computes on the CPU.

import torch


class DistributedDataParallel(torch.nn.parallel.DistributedDataParallel):
    """Accepts device_ids and output_device, which torch's own refuses for a module on the CPU."""

    def __init__(self, module, device_ids=None, output_device=None, **options):
        super(DistributedDataParallel, self).__init__(module, **options)
