# A module of the torch_gcu test double that 2.5.136 no longer has.


def sync_lazy_params(module):
    """Does nothing: the double has no lazy parameters."""
    return module
