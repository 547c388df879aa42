"""A stand-in: the call chain of MMEngine's init_dist, and no more."""
from .utils import init_dist
