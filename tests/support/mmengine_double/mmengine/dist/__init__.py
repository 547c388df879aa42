# mmengine.dist of the stand-in: its process group sets a CUDA device for every rank.

from .utils import init_dist, is_distributed  # noqa: F401
