"""An install whose controlling terminal goes away at a chosen call: it must come to its end, with a report to fetch."""

import contextlib
import dataclasses
import os
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from faults.sweep import LOCKS, NOT_THE_SAME_TWICE, OF_ONE_INSTALL, TIMEOUT, Point
from hosts.operations import NOT_COMPARED, Operator

# The terminal's session is led by topsctl itself, as by `ssh -t host topsctl`, or by a shell that waits for it.
LEADERS = {"topsctl": [], "shell": ["sh", "-c", '"$@"; exit $?', "sh"]}


@dataclasses.dataclass
class Loss(Point):
    """A point, and the documents that can be fetched afterwards."""
    reports: list


def lose_terminal(sweep, scenario, number, leader, before, after, schema):
    """Runs the scenario on a terminal that is closed at that call, and asks for the report as a new connection would."""
    host = sweep.new_host(scenario)
    try:
        code = _run_until_lost(sweep, [*sweep.command(scenario, host)[:-1], "--yes"], number, leader)
        operator = Operator(host, sweep.binary, sweep.topsctl)
        id = operator.json("history")["transactions"][-1]["id"]
        shown = operator.json("history", "show", str(id))
        schema(shown, "history")
        now = host.digest(NOT_COMPARED)
        old = [line for line in before.diff(now) if not line.startswith(LOCKS)]
        new = [line for line in after.diff(now, NOT_THE_SAME_TWICE) if not line.startswith((*LOCKS, OF_ONE_INSTALL))]
        state = "old" if not old else "new" if not new else "neither"
        return Loss(scenario, f"terminal lost, led by {leader}", number, code, state,
                    [] if state != "neither" else min(old, new, key=len)[:20], shown["reports"])
    finally:
        host.remove()


def is_complete(loss):
    """Whether the last report was left by the command itself and tells the state that the root is in."""
    report = loss.reports[-1] if loss.reports else {"rebuilt": True}
    if report["rebuilt"] or not report["phases"] or not report["steps"]:
        return False
    ends_new = report["outcome"] == ("committed" if loss.scenario == "install" else "rolled_back")
    return loss.state == ("new" if ends_new else "old")


def _run_until_lost(sweep, command, number, leader):
    """The exit status as a shell has it; 0 for a number means that the terminal stays."""
    master, slave = os.openpty()
    with tempfile.NamedTemporaryFile(dir=sweep.scratch) as output:
        tracer = subprocess.Popen(
            [sweep.nth, output.name, str(number), "pause", "setsid", "--ctty", *LEADERS[leader], *command],
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={"PATH": os.environ["PATH"], "HOME": os.fspath(sweep.scratch), "LANG": "C.UTF-8", "TERM": "xterm"})
        # What waits for an answer never comes to that call.
        limit = threading.Timer(TIMEOUT, tracer.kill)
        limit.start()
        try:
            os.close(slave)
            reader = _drain_in_background(master)
            pid, status = os.waitpid(tracer.pid, os.WUNTRACED)
            assert os.WIFSTOPPED(status), f"call {number} never came, status {status}"
            os.kill(reader, signal.SIGKILL)
            os.waitpid(reader, 0)
            os.close(master)  # hangs up: SIGHUP for the terminal's session, EIO for who writes
            os.kill(pid, signal.SIGCONT)
            tracer.wait(TIMEOUT)
        finally:
            limit.cancel()
            with contextlib.suppress(ProcessLookupError):
                tracer.kill()
            tracer.wait()
        return int(Path(output.name).read_text().split()[1])


def _drain_in_background(master):
    """A process that takes what is written to the terminal, as an SSH server does."""
    reader = os.fork()
    if reader == 0:
        try:
            while os.read(master, 65536):
                pass
        finally:
            os._exit(0)
    return reader
