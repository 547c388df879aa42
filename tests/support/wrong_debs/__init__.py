"""Debs that are made wrong in one way each, and near misses that are sound, by the rule of dpkg's that they try."""

from . import archives, control, data, members
from .parts import CASES
from .stricter import STRICTER

__all__ = ["CASES", "STRICTER", "archives", "control", "data", "members"]
