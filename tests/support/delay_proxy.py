"""A long line on the loopback, without root: a double that terminates TCP, so that only what a program itself waits for
is seen (the windows of SSH channels, round trips), not the windows of TCP."""

import contextlib
import subprocess

from hosts import kernel
from support.compiled import compiled


class DelayProxy:
    """`port` leads to the target's port on the loopback; what goes either way takes half the `rtt_ms` longer."""

    def __init__(self, target_port, rtt_ms):
        self._process = subprocess.Popen([compiled("delay_proxy"), str(round(rtt_ms * 500)), str(target_port)],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                         preexec_fn=kernel.die_with_parent)
        self.port = int(self._process.stdout.readline())

    def cut(self):
        """From here on nothing is forwarded, and nothing is closed."""
        self._tell("c", "cut\n")

    def heal(self):
        """What was kept back is forwarded now."""
        self._tell("h", "whole\n")

    def _tell(self, order, answer):
        self._process.stdin.write(order)
        self._process.stdin.flush()
        assert self._process.stdout.readline() == answer

    def end(self):
        """Every connection breaks."""
        self._process.kill()
        self._process.communicate()


@contextlib.contextmanager
def delay_proxy(target_port, rtt_ms):
    proxy = DelayProxy(target_port, rtt_ms)
    try:
        yield proxy
    finally:
        proxy.end()
