"""Runs a topsctl binary with a known environment and holds what came of it."""

import json
import os
import subprocess
from dataclasses import dataclass

SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0:exitcode=99",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=99",
}


@dataclass(frozen=True)
class Outcome:
    """One finished run of topsctl."""
    argv: tuple
    code: int
    out: str
    err: str

    @property
    def json(self):
        """The parsed standard output; an AssertionError with all that was printed when it is not one JSON document."""
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise AssertionError(f"stdout is not JSON: {error}\n{self}") from error

    def __str__(self):
        return f"$ {' '.join(self.argv)}\nexit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def run_topsctl(binary, argv, home, env=None, cwd=None, input=None, timeout=120, user=None):
    """Runs binary with argv; a value of None in env removes the variable; `user` is the id of another user and group.

    Throws subprocess.TimeoutExpired.
    """
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home),
                   "LANG": "C.UTF-8", "COLUMNS": "100", "TERM": "dumb", **SANITIZERS, **(env or {})}
    command = [os.fspath(binary), *(os.fspath(part) for part in argv)]
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, errors="surrogateescape", timeout=timeout, check=False,
        env={key: value for key, value in environment.items() if value is not None},
        **({} if user is None else {"user": user, "group": user, "extra_groups": []}),
        **({"stdin": subprocess.DEVNULL} if input is None else {"input": input}))
    return Outcome(("topsctl", *command[1:]), done.returncode, done.stdout, done.stderr)
