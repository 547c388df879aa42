"""The tracer of system calls that change files: compiled, and run with a say in each call."""

import os
import socket
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("nth.c")
CARRY_OUT, LEAVE_OUT, FAIL = b"c", b"o", b"e"  # the answers; the last one is EIO
SYNCFS = 306


def build_nth(folder):
    """The tracer, compiled into the folder."""
    program = Path(folder) / "nth"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, SOURCE], check=True)
    return program


def watched(nth, scratch, command, answer):
    """Runs a command; `answer(number, system call, is the first process's)` decides about each call that changes files.
    Its exit status; what it said is in the file `said` of the folder `scratch`."""
    ours, theirs = socket.socketpair()
    argv = [nth, scratch / "counted", "0", f"ask:{theirs.fileno()}", *command]
    with ours, theirs, open(scratch / "said", "wb") as said:
        process = subprocess.Popen(list(map(os.fspath, argv)), stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                   pass_fds=[theirs.fileno()], start_new_session=True, cwd="/",
                                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": os.fspath(scratch),
                                        "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"})
        try:
            theirs.close()
            for line in ours.makefile("r", encoding="ascii"):
                ours.sendall(answer(*map(int, line.split())))
            return process.wait()
        finally:
            process.kill()
            process.wait()
