# torch_gcu.utils of the test double: holds utils.data only.

from . import data  # noqa: F401
