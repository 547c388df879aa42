"""Proves that nothing stays mounted, running or on disk, however a test run ends; each way in a run of its own."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from hosts.storage import sweep

TESTS = Path(__file__).resolve().parent.parent

STORY = """
import os, subprocess, sys, time
import pytest

def busy(host):
    child = host.start(["sh", "-c", "sleep 1000 & echo ready; sleep 1000"])
    assert child.stdout.readline() == "ready\\n"
    return child

def announce():
    open(os.environ["READY"], "w").close()

def test_passes(host):
    busy(host)

def test_fails(host):
    busy(host)
    assert False

@pytest.fixture
def broken_setup(make_host):
    busy(make_host())
    raise RuntimeError("setup fails after the host was made")

def test_setup_fails(broken_setup):
    pass

def test_interrupted(host):
    busy(host)
    raise KeyboardInterrupt

def test_waits(host):
    child = busy(host)
    announce()
    child.wait()

def test_waits_and_runs_outside(host):
    subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000"])
    test_waits(host)

def test_leaves_a_daemon():
    subprocess.run(["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 &"])

def test_leaves_a_mount_outside(tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", tmp_path], check=True)

def test_leaves_a_mount(host):
    place = host.path("/mnt")
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], check=True)
"""


class SubRun:
    """One run of pytest in a process of its own, recognisable by a mark in the environment of all it starts."""

    def __init__(self, folder, place, name):
        self.mark = f"TOPSCTL_TEST_MARK={uuid.uuid4()}"
        self.place = place
        self.ready = folder / "ready"
        (folder / "test_story.py").write_text(STORY)
        key, value = self.mark.split("=")
        environment = {**os.environ, "PYTHONPATH": str(TESTS), "TOPSCTL_TEST_TMPDIR": str(place), key: value,
                       "READY": str(self.ready)}
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "hosts.fixtures",
             "-p", "support.leftovers", "-c", "/dev/null", "--rootdir", str(folder),
             f"--basetemp={folder / 'tmp'}", f"test_story.py::{name}"],
            cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            # What runs in the background ignores SIGINT, and so would all that it starts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def finish(self, timeout=60):
        output = self.process.communicate(timeout=timeout)[0]
        return self.process.returncode, output

    def wait_until_busy(self):
        end = time.monotonic() + 60
        while not self.ready.exists():
            assert self.process.poll() is None and time.monotonic() < end, "the run never got ready"
            time.sleep(0.02)

    def left_running(self):
        """Every process of the machine that came from this run; it is given a moment, for SIGKILL takes effect late."""
        end = time.monotonic() + 5
        while (found := self._processes()) and time.monotonic() < end:
            time.sleep(0.02)
        return found

    def _processes(self):
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes()
                mounted = (folder / "mountinfo").read_text()
            except OSError:
                continue
            if self.mark.encode() in environment.split(b"\0"):
                found.append(int(folder.name))
            # Processes inside of a host have its environment, but see its mount.
            elif str(self.place) in mounted:
                found.append(int(folder.name))
        return found

    def assert_nothing_left(self):
        assert self.left_running() == []
        assert str(self.place) not in Path("/proc/self/mountinfo").read_text()
        assert list(self.place.iterdir()) == []


@pytest.fixture
def sub_run(test_root, host_place, tmp_path):
    place = host_place / f"leftovers-{uuid.uuid4()}"
    place.mkdir()
    started = []

    def start(name):
        started.append(SubRun(tmp_path, place, name))
        return started[-1]

    yield start
    for run in started:
        run.process.kill()
        run.process.communicate()
    sweep(place)
    place.rmdir()


@pytest.mark.parametrize("name, outcome", [
    ("test_passes", "1 passed"),
    ("test_fails", "1 failed"),
    ("test_setup_fails", "1 error"),
    ("test_interrupted", "KeyboardInterrupt"),
])
def test_a_run_that_ends_by_itself_leaves_nothing(sub_run, name, outcome):
    run = sub_run(name)
    code, output = run.finish()
    assert outcome in output and (code == 0) == ("passed" in outcome), output
    run.assert_nothing_left()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_stop_leaves_nothing(sub_run, number):
    run = sub_run("test_waits_and_runs_outside")
    run.wait_until_busy()
    run.process.send_signal(number)
    code, output = run.finish()
    assert code != 0 and "KeyboardInterrupt" in output, output
    run.assert_nothing_left()


def test_a_killed_run_leaves_no_mount_and_no_host_running_and_the_next_sweeps_its_folder(sub_run):
    run = sub_run("test_waits")
    run.wait_until_busy()
    run.process.kill()
    run.finish()
    assert run.left_running() == []
    assert len(list(run.place.iterdir())) == 1
    assert sweep(run.place) == 1
    run.assert_nothing_left()


def test_a_process_left_outside_of_any_host_fails_the_test_and_is_ended(sub_run):
    run = sub_run("test_leaves_a_daemon")
    code, output = run.finish()
    assert code != 0 and "left running" in output, output
    run.assert_nothing_left()


def test_a_mount_left_outside_of_any_host_fails_the_test_and_is_ended(sub_run):
    run = sub_run("test_leaves_a_mount_outside")
    code, output = run.finish()
    assert code == 1 and "left mounted" in output, output
    run.assert_nothing_left()


def test_a_mount_made_in_a_host_goes_with_it(sub_run):
    run = sub_run("test_leaves_a_mount")
    code, output = run.finish()
    assert code == 0, output
    run.assert_nothing_left()


def test_what_others_mount_is_not_seen_by_a_test(host_namespace):
    own = os.readlink("/proc/self/ns/mnt")
    assert os.getppid() == 0 or own != os.readlink(f"/proc/{os.getppid()}/ns/mnt")
