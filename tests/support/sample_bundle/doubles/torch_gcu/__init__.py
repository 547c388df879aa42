# Test double of torch_gcu: the API of the vendor's package on the CPU; it is no Enflame software.

import torch  # noqa: F401  (the vendor's package imports it too)

from . import mode, nn, utils  # noqa: F401
from ._build import PERSONALITY, VERSION as __version__  # noqa: F401
from .devices import device_count, is_available  # noqa: F401

if mode.STRICT:
    from . import cards
    cards.install(device_count())
if PERSONALITY == "s60":
    from . import s60
    s60.install()
else:
    from .devices import gcu_device  # noqa: F401
