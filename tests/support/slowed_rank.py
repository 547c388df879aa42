"""A rank of a running benchmark that gets only a share of its processor."""

import contextlib
import os
import signal
import threading
import time
from pathlib import Path


def rank_process(rank, home):
    """The process of a rank of the benchmark that has this HOME."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            pid = int(entry.name)
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if b"python" in words[0] and any(b"topsctl_benchmark.py" in word for word in words) and b"-m" not in words[:4]:
                if {f"RANK={rank}".encode(), f"HOME={home}".encode()} <= set((entry / "environ").read_bytes().split(b"\0")):
                    return pid
    return None


@contextlib.contextmanager
def slowed(rank, home, share):
    """As cpulimit does: the process of a rank is stopped for most of each tenth of a second."""
    ends = threading.Event()

    def hinder():
        pid = None
        while not ends.is_set():
            pid = pid or rank_process(rank, home)
            if pid is None:
                time.sleep(0.05)
                continue
            try:
                os.kill(pid, signal.SIGSTOP)
                time.sleep(0.1 * (1 - share))
                os.kill(pid, signal.SIGCONT)
                time.sleep(0.1 * share)
            except ProcessLookupError:
                return
    thread = threading.Thread(target=hinder)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()
