"""While topsctl waits it sleeps: no system call returns before there is something to do, as strace sees it."""

import fcntl
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

WINDOW_S = 4  # a look each 200 ms would be twenty wake-ups
MOST_WAKE_UPS = 2

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root changes hosts")


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def record(state, **details):
    """A line of a journal."""
    payload = json.dumps({"state": state, "details": details}).encode()
    return b"%08x %08x %s\n" % (len(payload), crc32c(payload), payload)


def host_with(folder, *records):
    """A root with one transaction."""
    transaction = folder / "var/lib/topsctl/transactions/1"
    transaction.mkdir(parents=True)
    (folder / "var/lib/dpkg").mkdir()
    (folder / "var/lib/dpkg/status").touch()
    (transaction / "journal").write_bytes(b"".join(records))
    return folder


@dataclass
class Traced:
    """A program below strace, all of its processes together."""
    process: subprocess.Popen
    trace: Path

    def lines(self):
        return self.trace.read_text(errors="replace").splitlines()

    def is_waiting(self, marks):
        text = self.trace.read_text(errors="replace") if self.trace.exists() else ""
        return all(mark in text for mark in marks)

    def end(self):
        """Kills topsctl, and with it all that it started."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        for pid in children.read_text().split() if children.exists() else []:
            os.kill(int(pid), signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def traced(tmp_path):
    """traced(name, argv) -> it runs."""
    running = []

    def start(name, argv):
        trace = tmp_path / f"{name}.trace"
        # The leak checker of the sanitizers cannot work below a tracer.
        running.append(Traced(subprocess.Popen(
            ["strace", "-f", "-qq", "-o", trace, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}), trace))
        return running[-1]

    yield start
    for each in running:
        each.end()


def come_to_rest(programs, seconds=120):
    """Until each has done what its marks tell of, and none has called the kernel for a second; not for ever."""
    end, before, since = time.monotonic() + seconds, None, time.monotonic()
    while time.monotonic() < end:
        now = [each.trace.stat().st_size if each.is_waiting(marks) else -1 for each, marks in programs]
        if -1 in now or now != before:
            before, since = now, time.monotonic()
        elif time.monotonic() - since > 1:
            return
        time.sleep(0.1)


def test_waits_wake_up_for_events_only(topsctl_dev, repository, tmp_path, traced):
    probe = repository / "build/dev/tests/topsctl_wait_probe"
    own, dpkg, awaiting = (tmp_path / name for name in ("own", "dpkg", "awaiting"))
    for folder in (own, dpkg):
        host_with(folder, record("begun"))
    host_with(awaiting, record("begun"), record("committed", confirm_until="2099-01-01T00:00:00Z", installed_by={}))
    with open(own / "var/lib/topsctl/lock", "w") as own_lock, \
            open(dpkg / "var/lib/dpkg/lock-frontend", "w") as dpkg_lock:
        fcntl.flock(own_lock, fcntl.LOCK_EX)
        fcntl.lockf(dpkg_lock, fcntl.LOCK_EX)
        recover = [topsctl_dev, "recover", "--lock-timeout", "600", "--root"]
        programs = {
            "a program": (traced("run", [probe, "run", "/bin/sleep", "600"]), ["/sleep\", [", "ppoll(", " poll("]),
            "its own lock": (traced("own", [*recover, own]), ["LOCK_EX|LOCK_NB", "LOCK_EX", " poll("]),
            "dpkg's lock": (traced("dpkg", [*recover, dpkg]), ["F_OFD_SETLKW", " poll("]),
            "a confirmation": (traced("watch", [topsctl_dev, "recover", "--unless-confirmed", "1", "--root", awaiting]),
                               ["/journal\", IN_MODIFY", " poll("]),
        }
        come_to_rest(programs.values())
        for name, (each, marks) in programs.items():
            assert each.process.poll() is None and each.is_waiting(marks), (name, each.lines()[-20:])
        before = {name: len(each.lines()) for name, (each, _) in programs.items()}
        time.sleep(WINDOW_S)
        woken = {name: each.lines()[before[name]:] for name, (each, _) in programs.items()}
    assert {name: lines[:10] for name, lines in woken.items() if len(lines) > MOST_WAKE_UPS} == {}
