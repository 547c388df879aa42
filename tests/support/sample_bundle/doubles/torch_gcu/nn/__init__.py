# torch_gcu.nn of the test double: holds nn.parallel only.

from . import parallel  # noqa: F401
