"""What a transfer takes: wall time, CPU of both ends, and the most memory of a process."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Measured:
    """Seconds: of the clock, and of CPU here and there."""
    wall: float
    near: float
    far: float


def far_cpu(host):
    """CPU seconds of the host's sshd and of all that it has waited for: its connections, and what ran in them."""
    for _ in range(200):
        processes = host.processes()
        if not any(each.command.startswith("sshd: ") and "[listener]" not in each.command for each in processes):
            break
        time.sleep(0.01)  # a connection is counted when it has ended
    listener = next(each for each in processes if "[listener]" in each.command)
    fields = Path(f"/proc/{listener.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[11:15]) / TICK


def peak_memory(bench):
    """MiB: the most that the client and that one receiver took for the file that lies ready."""
    bench.clean_far()
    process = bench.fleet.client.start(bench.commands()["topsctl"])
    near = far = 0
    while process.poll() is None:
        near = max(near, _peak(process.pid))
        for each in bench.host.processes():
            if each.command.endswith("topsctl receive"):
                far = max(far, _peak(each.pid))
        time.sleep(0.02)
    process.communicate()
    return near // 1024, far // 1024


def _peak(pid):
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0
