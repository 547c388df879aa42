"""Packages that take over whoever reads them: the process that reads can do nothing, and its end is told."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from hosts.operations import Operator
from support.compiled import compiled

NOBODY = 65534


@pytest.fixture(autouse=True)
def ahead_of_all_others():
    """Readers may live for some milliseconds: who looks for them must not wait for a processor. What it starts may."""
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    yield
    os.sched_setscheduler(0, policy, priority)


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture(scope="module")
def long_bundle(bundle, host_factory, tmp_path_factory):
    """Reading its payload takes long enough to be met at it."""
    probe = host_factory()
    minor = probe.python_minor()
    probe.remove()
    folder, tree = tmp_path_factory.mktemp("long") / "bundle", tmp_path_factory.mktemp("tree") / "eccl"
    shutil.copytree(bundle(python=minor, only_needed=True), folder)
    original, = folder.glob("distributed/tops-eccl*")
    subprocess.run(["dpkg-deb", "-R", original, tree], check=True, capture_output=True)
    (tree / "usr" / "lib" / "filler.bin").write_bytes(os.urandom(128 << 20))
    subprocess.run(["dpkg-deb", "-Znone", "-b", tree, original], check=True, capture_output=True)
    return folder


class Readers:
    """The confined processes of a topsctl that runs, one after another."""

    def __init__(self, process):
        self._process = process
        self._seen = set()

    def _children(self):
        try:
            return Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        except OSError:
            return []

    def next(self):
        """The number of the next one, and its status once it is confined."""
        while self._process.poll() is None:
            for child in self._children():
                if child in self._seen:
                    continue
                status, parent = status_of(child), status_of(self._process.pid)
                # With one filter more than topsctl itself has.
                if status and parent and int(status["Seccomp_filters"]) > int(parent["Seccomp_filters"]):
                    self._seen.add(child)
                    return int(child), status
        return None, None

    def next_of_payload(self):
        """The number of the one that reads the long payload. The first one may be gone before anybody sees it."""
        while (reader := self.next()[0]) is not None:
            time.sleep(0.05)
            if str(reader) in self._children():
                return reader
        return None


def status_of(process):
    """The fields of proc(5); none of one that is gone."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return {}
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def start(binary, *argv, **options):
    return subprocess.Popen([binary, *argv, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def ended(process, code):
    output, errors = process.communicate(timeout=300)
    assert process.returncode == code, (output, errors)
    return json.loads(output)


@pytest.mark.parametrize("place", ["", "4.15", "5.4 docker"])
def test_readers_have_no_rights(topsctl_release, long_bundle, place):
    within = [compiled("older_kernel", "-static"), *place.split()] if place else []
    process = start(*within, topsctl_release, "inspect", "--deep", long_bundle)
    reader, status = Readers(process).next()
    assert status["Uid"].split() == [str(NOBODY)] * 4 and status["Gid"].split() == [str(NOBODY)] * 4
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2" and int(status["CapEff"], 16) == 0
    assert not [each for each in os.listdir(f"/proc/{reader}/fd") if int(each) > 10]
    assert ended(process, 0)["warnings"] == []


def test_a_reader_that_crashes_ends_inspect_with_a_clear_error(topsctl_release, long_bundle, schema):
    process = start(topsctl_release, "inspect", "--deep", long_bundle)
    reader, _ = Readers(process).next()
    os.kill(reader, signal.SIGSEGV)
    report = ended(process, 3)
    schema(report, "inspect")
    assert report["error"]["code"] == "bad_bundle"
    assert "killed by signal 11 (Segmentation fault)" in report["error"]["message"]
    assert "defect of topsctl" in report["error"]["hint"]


@pytest.mark.parametrize("which", ["any", "of the payload"])
def test_a_reader_that_crashes_ends_an_install_that_has_changed_nothing(operator, long_bundle, schema, which):
    before = operator.digest()
    process = start(operator.binary, "install", long_bundle, "--root", operator.host.root)
    readers = Readers(process)
    reader = readers.next()[0] if which == "any" else readers.next_of_payload()
    os.kill(reader, signal.SIGSEGV)
    report = ended(process, 3)
    schema(report, "install")
    assert report["outcome"] is None and report["transaction"] is None
    assert "killed by signal 11" in report["error"]["message"]
    assert operator.changes_since(before) == []
    assert not list(operator.host.path("/var/lib/topsctl/stage").glob("*"))


def test_an_interrupt_leaves_no_reader(topsctl_release, long_bundle):
    process = start(topsctl_release, "inspect", "--deep", long_bundle)
    reader, _ = Readers(process).next()
    process.send_signal(signal.SIGINT)
    assert ended(process, 130)["error"]["code"] == "interrupted"
    assert not Path(f"/proc/{reader}").exists()


def test_a_killed_command_leaves_no_reader(topsctl_release, long_bundle):
    process = start(topsctl_release, "inspect", "--deep", long_bundle)
    reader, _ = Readers(process).next()
    process.kill()
    process.communicate()
    for _ in range(500):
        state = Path(f"/proc/{reader}/stat")
        if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] in "ZX":
            return
        time.sleep(0.01)
    pytest.fail("the reader is still there")


def test_the_report_is_the_same_without_a_sandbox(run_topsctl, topsctl_release, bundle):
    folder = bundle()
    for depth in ([], ["--fast"], ["--deep"]):
        reports = [run_topsctl(["inspect", folder, *depth, *options, "--json"], binary=topsctl_release)
                   for options in ([], ["--no-sandbox"])]
        assert reports[0].json == reports[1].json and reports[0].code == reports[1].code


def test_users_without_rights_have_the_sandbox_too(topsctl_release, bundle):
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        binary = shutil.copy(topsctl_release, place)
        folder = shutil.copytree(bundle(), Path(place) / "bundle")
        process = start(binary, "inspect", folder, user=NOBODY, group=NOBODY, extra_groups=[])
        assert ended(process, 0)["warnings"] == []


class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(Instruction))]


def refuse_filters():
    """For this process and its children: prctl(PR_SET_SECCOMP) fails, as on a kernel without filters."""
    prctl_number, set_seccomp, errno = 157, 22, 22
    text = (Instruction * 6)(Instruction(0x20, 0, 0, 0), Instruction(0x15, 0, 3, prctl_number), Instruction(0x20, 0, 0, 16),
                             Instruction(0x15, 0, 1, set_seccomp), Instruction(0x06, 0, 0, 0x00050000 | errno),
                             Instruction(0x06, 0, 0, 0x7fff0000))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(Program(6, text)), 0, 0) == 0


def test_a_machine_without_filters_is_told_of(topsctl_release, bundle, operator):
    report = ended(start(topsctl_release, "inspect", bundle(), preexec_fn=refuse_filters), 0)
    warning, = report["warnings"]
    assert warning.startswith("packages are read without the full sandbox: the kernel cannot filter system calls")
    assert ended(start(topsctl_release, "inspect", bundle(), "--no-sandbox", preexec_fn=refuse_filters), 0)["warnings"] == []
    fitting = bundle(python=operator.host.python_minor(), only_needed=True)
    report = ended(start(topsctl_release, "install", fitting, "--dry-run", "--root", operator.host.root,
                         preexec_fn=refuse_filters), 0)
    assert [each for each in report["warnings"] if "without the full sandbox" in each]
