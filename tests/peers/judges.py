"""Asks topsctl's version probe and its peers the same questions, one a line, and gives their answers."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLAIN = frozenset(range(0x21, 0x7F)) - {ord("%")}
OPERATORS = {"-1": "lt", "0": "eq", "1": "gt"}


def escaped(text):
    """One word of a question: text or bytes, with blanks and all that is not printable as %XX."""
    data = text.encode() if isinstance(text, str) else text
    return "".join(chr(byte) if byte in PLAIN else f"%{byte:02X}" for byte in data)


def question(kind, *words):
    return " ".join([kind, *map(escaped, words)])


class Judge:
    """A program that answers each line with a line."""

    def __init__(self, *argv):
        self._argv = argv

    def answers(self, questions):
        done = subprocess.run(self._argv, input="".join(line + "\n" for line in questions), capture_output=True,
                              encoding="utf-8", errors="replace", check=False)
        assert done.returncode == 0, f"{self._argv[0]} ended with {done.returncode}: {done.stderr[-2000:]}"
        found = done.stdout.split("\n")[:-1]
        assert len(found) == len(questions), f"{self._argv[0]} gave {len(found)} answers to {len(questions)} questions"
        return found


def dpkg_library_judge(folder):
    """A judge made of dpkg's own code: libdpkg as Debian ships it, and a reader of questions."""
    program = folder / "dpkg_judge"
    flags = subprocess.run(["pkg-config", "--static", "--cflags", "--libs", "libdpkg"], capture_output=True, text=True,
                           check=True).stdout.split()
    subprocess.run(["cc", "-O2", "-w", "-o", program, HERE / "dpkg_judge.c", *flags], check=True)
    return Judge(program)


def dpkg_deps_judge():
    return Judge(HERE / "deps_judge.pl")


def dpkg_disagrees(pairs_and_orders):
    """Those of ((a, b), order) where `dpkg --compare-versions` does not confirm the order."""
    # A thread spends its time waiting for the program, so each processor gets one.
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        verdicts = pool.map(_is_confirmed, pairs_and_orders)
        return [case for case, confirmed in zip(pairs_and_orders, verdicts) if not confirmed]


def _is_confirmed(case):
    (a, b), order = case
    argv = ["/usr/bin/dpkg", "--compare-versions", a, OPERATORS[order], b]
    silent = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    _, status = os.waitpid(os.posix_spawn(argv[0], argv, os.environ, file_actions=silent), 0)
    return os.waitstatus_to_exitcode(status) == 0
