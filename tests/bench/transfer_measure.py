"""What a transfer takes: wall time, CPU of both ends, and the most memory of a process."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Measured:
    """Seconds: of the clock, and of all the machine's cores."""
    wall: float
    cpu: float


def machine_cpu(host):
    """CPU seconds that this machine has spent, on whatever, once the host has no connection any more: that of one process
    could be asked for, but not that of those whose parent had ended before them."""
    for _ in range(200):
        if not any(each.command.startswith("sshd: ") and "[listener]" not in each.command for each in host.processes()):
            break
        time.sleep(0.01)
    user, nice, system, _, _, irq, softirq = map(int, Path("/proc/stat").read_text().split()[1:8])
    return (user + nice + system + irq + softirq) / TICK


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
