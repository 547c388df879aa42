# A module of the torch_gcu test double that exists since 2.5.136: autocasting that changes nothing.

import contextlib


@contextlib.contextmanager
def autocast(enabled=True):
    yield
