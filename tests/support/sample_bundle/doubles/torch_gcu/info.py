# The console script torch_gcu_info of the test double: prints what this wheel is.

import json
import sys

from . import _build


def main():
    print(json.dumps({
        "notice": "test double, no Enflame software", "version": _build.VERSION,
        "generation": _build.GENERATION, "personality": _build.PERSONALITY,
        "built_for_python": _build.PYTHON_MINOR, "python": sys.executable}, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
