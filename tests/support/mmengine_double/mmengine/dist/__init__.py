# mmengine.dist of the stand-in: its process group sets a CUDA device for every rank.

from .utils import get_comm_device, init_dist, is_distributed, sync_random_seed  # noqa: F401
