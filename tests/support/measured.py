#!/usr/bin/python3
"""Runs a program and measures it: wall time, CPU time of it and its children, and peak memory of the largest one."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    code: int  # negative: the signal that ended it
    wall: float  # seconds
    cpu: float  # seconds, user and system, children included
    peak: int  # bytes of resident memory
    out: bytes = b""
    err: bytes = b""
    timed_out: bool = False


def measured(command, cwd=None, env=None, keep_output=True, timeout=None):
    """Runs a command to its end; `timeout` only guards against a hang and is no measure.

    A small process in between starts the command and waits for it: a child's peak memory counts that of its parent at
    the moment of the fork, and the caller may be large. Peaks below those 10 MiB are therefore not seen.
    """
    sink = subprocess.PIPE if keep_output else subprocess.DEVNULL
    with tempfile.TemporaryFile() as answer:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", __file__, str(answer.fileno()), json.dumps(
                {"command": [os.fspath(part) for part in command], "env": env, "timeout": timeout})],
            cwd=cwd, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, pass_fds=[answer.fileno()])
        out, err = process.communicate()
        answer.seek(0)
        told = answer.read()
    if process.returncode != 0 or not told:
        raise OSError(f"'{command[0]}' could not be run: {(err or b'').decode(errors='replace')[-500:]}")
    return Measured(**json.loads(told), out=out or b"", err=err or b"")


def _run(command, env, timeout):
    """Runs the command as the only child of this process; gives the fields of Measured."""
    begin = time.monotonic()
    process = subprocess.Popen(command, env=env)
    hung = threading.Event()

    def end_it():
        hung.set()
        os.kill(process.pid, 9)

    guard = threading.Timer(timeout, end_it) if timeout else None
    if guard:
        guard.start()
    # wait4 and not wait: it tells what this one child used.
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    if guard:
        guard.cancel()
    return {"code": os.waitstatus_to_exitcode(status), "wall": wall, "cpu": usage.ru_utime + usage.ru_stime,
            "peak": usage.ru_maxrss << 10, "timed_out": hung.is_set()}


if __name__ == "__main__":
    with os.fdopen(int(sys.argv[1]), "w", closefd=False) as report:
        json.dump(_run(**json.loads(sys.argv[2])), report)
