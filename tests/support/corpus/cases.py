"""All cases of the corpus, by name, in the order in which they are written down."""

from . import (  # noqa: F401
    bad_debs, bad_wheels, bombs, containers, scripts, sound_debs, sound_wheels, target_debs, target_wheels)
from .case import CASES  # noqa: F401
