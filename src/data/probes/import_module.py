# Imports the module named in argv[1] and says what it is, as JSON on descriptor 3.
import importlib
import json
import os
import sys


def main():
    name = sys.argv[1]
    answer = {"module": name, "ok": False, "file": "", "version": "", "error": ""}
    try:
        module = importlib.import_module(name)
        answer["ok"] = True
        answer["file"] = str(getattr(module, "__file__", "") or "")
        answer["version"] = str(getattr(module, "__version__", "") or "")
    except BaseException as error:
        answer["error"] = "%s: %s" % (type(error).__name__, error)
    with os.fdopen(3, "w") as out:
        json.dump(answer, out)


main()
