# Loads topsctl's shim into every Python that has this directory on PYTHONPATH, and the sitecustomize that it hides.

import os
import sys


def _run_the_hidden_one():
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in sys.path:
        path = os.path.join(folder or os.curdir, "sitecustomize.py")
        if os.path.dirname(os.path.abspath(path)) == here or not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec")
        exec(code, {"__name__": "sitecustomize", "__file__": path})
        return


if os.environ.get("TOPSCTL_SHIM"):
    import topsctl_shim  # noqa: F401
_run_the_hidden_one()
