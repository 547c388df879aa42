"""Sees to it that no test leaves a process running or anything mounted, and turns SIGTERM into an orderly end."""

import os
import signal
import time
from pathlib import Path

import pytest

from hosts import kernel


def children():
    """The living children of this process: pid -> command line."""
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue  # it ended while we looked
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            found[int(folder.name)] = command
    return found


def mounts(config):
    """The mount points of this process; none where it could not get a mount namespace of its own, see hosts/fixtures.py,
    for then it can mount nothing, but might see what others mount."""
    if config.no_private_mounts:
        return []
    return [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]


def left_running(expected=()):
    """The children that are not expected, after a moment for those that are just ending."""
    end_of_patience = time.monotonic() + 1
    while True:
        left = {pid: command for pid, command in children().items() if pid not in expected}
        if not left or time.monotonic() > end_of_patience:
            return left
        time.sleep(0.01)


def end(pids):
    """Kills processes, and then what became a child of ours because its parent was among them."""
    pids = set(pids)
    while pids:
        expected = set(children()) - pids
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        pids = set(children()) - expected


def reap_zombies():
    """Adopted orphans that have ended would otherwise stay in the process table."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


@pytest.fixture(autouse=True)
def nothing_left(request):
    """Fails the test that leaves a process or a mount, and ends what it left."""
    mounts_before, children_before = mounts(request.config), children()
    yield
    left = left_running(children_before)
    end(left)
    left_mounted = [place for place in mounts(request.config) if place not in mounts_before]
    for place in reversed(left_mounted):
        kernel.unmount(place, kernel.MNT_DETACH)
    assert not left, f"left running: {left}"
    assert not left_mounted, f"left mounted: {left_mounted}"


def pytest_configure(config):
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        def interrupt(_number, _frame):
            raise KeyboardInterrupt("terminated")
        signal.signal(signal.SIGTERM, interrupt)


def pytest_sessionstart(session):
    session.config.mounts_at_start = mounts(session.config)


def pytest_sessionfinish(session, exitstatus):
    mounted = [place for place in mounts(session.config) if place not in session.config.mounts_at_start]
    running = left_running()
    if mounted or running:
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        print(f"\nleft after the last test: mounted {mounted}, running {running}")
        end(running)
    reap_zombies()
