# torch_gcu.utils.data.distributed of the test double: torch's own sampler under the vendor's name.

from torch.utils.data.distributed import DistributedSampler  # noqa: F401
