# Runs programs one after the other as one rank, each in a child that has torch already: ranks.py FOLDER PORT,PROGRAM[,ARGUMENT...] ...

import os
import runpy
import sys
import traceback

import torch  # noqa: F401
import torch.distributed  # noqa: F401


def run(words, port, folder):
    """In the child: the program as `python3 PROGRAM` would run it."""
    name = os.path.splitext(os.path.basename(words[0]))[0]
    out = os.open(os.path.join(folder, "{}.{}".format(name, os.environ["RANK"])), os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.environ["MASTER_PORT"] = port
    sys.argv = words
    sys.path[0] = os.path.dirname(words[0])
    runpy.run_path(words[0], run_name="__main__")


def main(folder, programs):
    failed = 0
    for program in programs:
        port, *words = program.split(",")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                run(words, port, folder)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        failed += os.waitpid(child, 0)[1] != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
