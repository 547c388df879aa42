"""Programs of tests/support that are one C++ file each: compiled into build/ when their source is newer."""

import fcntl
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build"


def compiled(name, *options):
    """The path of the program made of tests/support/NAME.cpp; with "-static" it runs in every host."""
    source, program = HERE / f"{name}.cpp", BUILD / name
    if _is_made(program, source):
        return program  # also for a user who may not write here
    BUILD.mkdir(exist_ok=True)
    with open(program.with_suffix(".lock"), "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_made(program, source):
            making = program.with_suffix(".new")
            subprocess.run(["g++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", *options, "-o", making, source],
                           check=True)
            making.rename(program)
    return program


def _is_made(program, source):
    return program.exists() and program.stat().st_mtime >= source.stat().st_mtime
