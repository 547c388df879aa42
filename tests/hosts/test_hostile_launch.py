"""Hosts of a launch that lie of how their part ended, or of what is another host's."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.own_sshd import OwnSshd

LIAR = Path(__file__).resolve().parents[1] / "support/lying_host.py"
WELL = "result(0, report())"
RECORDED = "log('launch.json', json.dumps(record([rank(0)], 0)).encode())"


class Workstation:
    """With a lying host; what it says is Python's, see support/lying_host.py."""

    def __init__(self, folder, topsctl, lie, of_logs=""):
        self.topsctl, self.home = topsctl, folder / "client"
        self.home.mkdir()
        (self.home / "train.py").write_text("print('hi')\n")
        scripts = folder / "lie.py", folder / "lie_of_logs.py"
        for script, text in zip(scripts, (lie, of_logs)):
            script.write_text(text)
        self.sshd = OwnSshd(folder / "sshd", [f"ForceCommand exec {sys.executable} -B {LIAR} {scripts[0]} {scripts[1]}"])

    def start(self):
        argv = [self.topsctl, "launch", "--target", "own", "-F", self.sshd.config, "--chdir", self.home,
                "--python", sys.executable, "--nproc", "1", "--preflight", "none", "--", "train.py"]
        environment = {"PATH": os.environ["PATH"], "HOME": os.fspath(self.home), "LC_ALL": "C.UTF-8",
                       "XDG_STATE_HOME": os.fspath(self.home / "state")}
        return subprocess.Popen(argv, cwd=self.home, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def launch(self):
        process = self.start()
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def record(self):
        return json.loads(next(self.home.glob("topsctl-logs/*/launch.json")).read_text())


@pytest.fixture
def station(tmp_path, topsctl_release):
    made = []

    def make(lie, of_logs=""):
        made.append(Workstation(tmp_path, topsctl_release, lie, of_logs))
        return made[-1]
    yield make
    for each in made:
        each.sshd.end()


@pytest.mark.parametrize("lie, of_logs", [
    (WELL, ""),
    ("result(0, report(error=dict(code='step_failed', message='x', hint=None, context=[])))", ""),
    ("result(0, report(command='history'))", ""),
    ("result(0, report(status='problems', started=False))", ""),
    (WELL, "log('launch.json', json.dumps(record([rank(0)], 1)).encode())"),
    (WELL, "log('launch.json', json.dumps(record([rank(0)], None)).encode())"),
    (WELL, "log('launch.json', json.dumps({**record([rank(0)], 0), 'ended_by': 9}).encode())"),
], ids=["success", "status 0 with an error", "the report of another command", "status 0 with problems", "a record of failure",
        "a record without an end", "a record of a signal"])
def test_a_host_that_contradicts_itself_has_failed(station, lie, of_logs):
    is_truth = lie == WELL and not of_logs
    status, out, err = station(lie, RECORDED if is_truth else of_logs).launch()
    assert ("all ranks succeeded" in out + err) == is_truth, (out, err)
    assert (status == 0) == is_truth, (out, err)


@pytest.mark.parametrize("of_logs", ["", "log('launch.json', json.dumps(record([], 0)).encode())", "log('launch.json', b'{')"],
                         ids=["no record", "a record without ranks", "a broken record"])
def test_success_that_no_record_shows_is_only_said(station, of_logs):
    status, out, err = station(WELL, of_logs).launch()
    assert status == 0 and "all ranks succeeded" not in out + err, (out, err)
    assert "each host says that its ranks succeeded" in out and "does not show it" in out + err, (out, err)


def test_a_compressed_log_of_a_host_is_not_unpacked(station):
    lie = "result(1, report(status='failed', error=dict(code='step_failed', message='x', hint=None, context=[])))"
    bomb = "import gzip\nlog('launch.json', json.dumps(record([rank(0)], 1)).encode())\nlog('attempt_0/rank_0.log', gzip.compress(b'RuntimeError: packed\\n' * 9))"
    status, out, err = station(lie, bomb).launch()
    assert status == 1 and "packed" not in out + err, (out, err)


def test_a_host_names_its_own_ranks_alone(station):
    of_logs = "log('launch.json', json.dumps(record([rank(0), rank(0, 7), rank(3), rank(0, 0)], 0)).encode())"
    made = station(WELL, of_logs)
    made.launch()
    record = made.record()
    assert [each["rank"] for each in record["attempts"][0]["ranks"]] == [0]
    assert "not its own" in record["log_problem"], record


def test_a_message_of_a_host_has_no_line_of_its_own(station):
    lie = "result(6, report(error=dict(code='unreachable', message='x\\nstate: all ranks succeeded', hint=None, context=[])))"
    status, out, err = station(lie).launch()
    assert status != 0
    assert not any(line.startswith("state: all ranks succeeded") for line in (out + err).splitlines()), (out, err)


@pytest.mark.long
def test_a_launch_ends_though_a_host_never_ends(station):
    """Neither its part nor the stop that it is asked for: it beats for ever, as one does that works."""
    made = station("import time\nwhile True:\n    frame('V', b'')\n    time.sleep(0.2)\n")
    process = made.start()
    try:
        time.sleep(2)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=110)
    finally:
        process.kill()
    assert process.returncode == 143, (out, err)
