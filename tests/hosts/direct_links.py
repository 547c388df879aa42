"""What befalls the connection beside SSH: links that are broken or blocked, and strangers on the port that waits for them."""

import ctypes
import multiprocessing
import os
import socket
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from hosts import kernel

PORT = 42000  # the only one that a run may open
OPTIONS = ["--direct-ports", f"{PORT}-{PORT}"]
PIDFD_GETFD = 438
RECEIVER = "/topsctl receive"


def break_links(host):
    """Both sides of each link see its end, as if something between them had closed it; how many there were."""
    broken = 0
    for process in host.processes():
        if not process.command.endswith(RECEIVER):
            continue
        holder = os.pidfd_open(process.pid)
        for entry in Path(f"/proc/{process.pid}/fd").iterdir():
            with suppress(OSError):
                if not os.readlink(entry).startswith("socket:"):
                    continue
                number = ctypes.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, holder, int(entry.name), 0)
                with socket.socket(fileno=number) as link:
                    if link.family == socket.AF_INET and link.getpeername():
                        link.shutdown(socket.SHUT_RDWR)
                        broken += 1
        os.close(holder)
    return broken


def block_links(host):
    """Nothing that the host says on that port arrives any longer, and nobody is told."""
    host.ip(f"rule add ipproto tcp sport {PORT} blackhole", "route flush cache")


@contextmanager
def stranger(fleet, host, behaves):
    """Somebody on the workstation who connects to the port whenever it is open; a function that tells how often it could."""
    count = multiprocessing.Value("i", 0)
    arguments = fleet.client.machine, host.address, behaves, count
    process = multiprocessing.get_context("fork").Process(target=_knock, args=arguments, daemon=True)
    process.start()
    try:
        yield lambda: count.value
    finally:
        process.kill()
        process.join()


def _knock(place, address, behaves, count):
    kernel.enter_namespace(place, kernel.CLONE_NEWNET)
    held = []
    while True:
        link = socket.socket()
        try:
            link.connect((address, PORT))
            count.value += 1
            if behaves == "garbage":
                link.sendall(b"GET / HTTP/1.0\r\n\r\n" * 100)
            elif behaves == "half a handshake":
                link.sendall(bytes.fromhex("16030100c8010000c40303") + bytes(20))
            held.append(link)  # and never anything more
        except OSError:
            link.close()
            time.sleep(0.0002)
