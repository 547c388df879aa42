"""Power cuts: while a command works in a mounted image, the image is cloned: what a disk holds if the power is cut then."""

import contextlib
import dataclasses
import os
import shlex
import subprocess
import time
import uuid
from pathlib import Path

from faults import nasty, old_host
from faults.images import MountedHost
from faults.old_host import make_old
from faults.sweep import spread
from faults.tracer import CARRY_OUT, LEAVE_OUT, build_nth, watched
from hosts import kernel
from hosts.operations import NOT_COMPARED, Operator
from support.bundles import make_bundle
from support.topsctl import run_topsctl

SYNCS = {74: "fsync", 75: "fdatasync", 162: "sync", 277: "sync_file_range", 306: "syncfs"}
# What the kernel writes of itself before the power goes, as it may at any time. `alone`: nothing but what its timers make it
# write; `names first`: names and attributes, ahead of what the files hold; `mixed`: by turns that, nothing, and all.
# sync_file_range asks the kernel to begin to write, and promises nothing: in all but `alone`, it does not begin.
WEATHERS = {"alone": ("nothing",), "names first": ("names",), "mixed": ("names", "names", "nothing", "all")}
BEGIN_TO_WRITE = 277
ANOTHER_START = Path(__file__).parent / "another-start"
BASELINE = "dpkg and pip"
DPKG = "dpkg --force-confdef --force-confold --install"
PIP = "python3 -m pip install --no-index --no-deps --no-cache-dir --disable-pip-version-check --force-reinstall"


@dataclasses.dataclass
class Cut:
    """One power cut and what came of it: the root is `old`, `new` or `neither`."""
    file_system: str
    scenario: str
    weather: str
    number: int
    call: str
    state: str = ""
    exit: int = 0
    differing: list = dataclasses.field(default_factory=list)
    repaired: str = ""  # of the baseline: the state after `dpkg --configure -a`
    repair_exit: int = 0


@dataclasses.dataclass
class Run:
    """What a command did in an image: how many calls that change files, how many of them to sync, and of these its own."""
    scenario: str
    calls: int
    syncs: int
    own_syncs: int
    code: int
    after: dict
    cuts: list  # of (Cut, image)


class Images:
    """The images of one file system: the old root, and the new one that a rollback starts from."""

    def __init__(self, file_system, store, test_root, binary, scratch):
        self.file_system, self.store, self.binary, self.scratch = file_system, store, binary, Path(scratch)
        self.nth = build_nth(self.scratch)
        self.hash_cache, self.cache_before_ns = {}, 0
        self.base, self.before = {}, {}
        old = store.make(file_system)
        with self.host(old) as host:
            subprocess.run(["cp", "-a", "--", test_root, host.root], check=True)
            minor = host.python_minor()
            self.bundles = {generation: make_bundle(self.scratch / generation, generation, [], None, minor, None, True)
                            for generation in ("2.4.87", "2.5.136")}
            for generation, bundle in self.bundles.items() if nasty.hidden else ():
                nasty.make_nasty(bundle, generation)
            make_old(self.operator(host), self.bundles["2.4.87"])
        self.cache_before_ns = time.time_ns()
        self._make_base("install", old)
        self.base[BASELINE], self.before[BASELINE] = old, self.before["install"]

    def make_new(self):
        """Makes the root that a rollback starts from."""
        new = self.store.clone(self.base["install"])
        with self.host(new) as host:
            report = self.operator(host).json("install", self.bundles["2.5.136"], *old_host.ACCEPTED)
            assert report["outcome"] == "committed", report
        self._make_base("rollback", new)

    def _make_base(self, scenario, image):
        self.base[scenario] = image
        untouched = self.store.clone(image)
        with self.host(untouched) as host:
            self.before[scenario] = host.digest(NOT_COMPARED)
        untouched.unlink()

    @contextlib.contextmanager
    def host(self, image):
        """The host whose root is in an image."""
        with self.store.mounted(image, self.file_system) as folder:
            yield MountedHost(folder / "root", self.hash_cache, self.cache_before_ns)

    def operator(self, host):
        return Operator(host, self.binary, lambda argv, binary, **options:
                        run_topsctl(binary, argv, self.scratch, **options))

    def operator_after_start(self, host):
        """The same when the power has come back: what tells one start of the machine from another is another one's. A file's time
        that was never written is lost only then, and topsctl may count on that."""
        start, wrapper = self.scratch / "boot_id", self.scratch / "topsctl-after-start"
        if not wrapper.exists():
            start.write_text(f"{uuid.uuid4()}\n")
            made = self.scratch / f"topsctl-after-start.{os.getpid()}"
            made.write_text(f"#!/bin/sh\nexec {shlex.join(map(str, (ANOTHER_START, start, self.binary)))} \"$@\"\n")
            made.chmod(0o755)
            made.rename(wrapper)
        return Operator(host, wrapper, lambda argv, binary, **options: run_topsctl(binary, argv, self.scratch, **options))

    def run(self, scenario, weather="alone", numbers=(), syncs=(), omitted=()):
        """Runs a scenario and clones its image before the calls of these numbers, before and after the scenario's own syncs of
        these numbers, and at the end. System calls in `omitted` are left out as if they had done what they should."""
        image = self.store.clone(self.base[scenario])
        with self.host(image) as host:
            recorder = _Recorder(self, (scenario, weather), image, host.root.parent / "beside")
            recorder.numbers, recorder.syncs, recorder.omitted = set(numbers), set(syncs), set(omitted)
            with self._bundle_inside(host, scenario == BASELINE):
                code = watched(self.nth, self.scratch, self._command(scenario, host), recorder.answer)
            recorder.cut("end")
            after = host.digest(NOT_COMPARED)
        image.unlink()
        return Run(scenario, recorder.calls, recorder.all_syncs, recorder.own_syncs, code, after, recorder.cuts)

    def cuts(self, scenario, weather, points, known, omitted=()):
        """A run with about that many cuts: up to half of them at its own syncs, the others evenly spread over all calls."""
        at_syncs = spread(known.own_syncs, points // 4)
        return self.run(scenario, weather, spread(known.calls, points - 1 - 2 * len(at_syncs)), at_syncs, omitted)

    def _command(self, scenario, host):
        bundle = self.bundles["2.5.136"]
        if scenario == BASELINE:
            inside = {kind: [f"/mnt/{path.relative_to(bundle)}" for path in sorted(bundle.rglob(f"*.{kind}"))
                             if kind == "deb" or f"py{host.python_minor()}" in path.name] for kind in ("deb", "whl")}
            script = f"{DPKG} {' '.join(inside['deb'])} && {PIP} {' '.join(inside['whl'])}"
            return ["chroot", host.root, "sh", "-c", script]
        argv = ["install", bundle, *old_host.ACCEPTED] if scenario == "install" else ["rollback"]
        return [self.binary, *argv, "--root", host.root, "--json"]

    @contextlib.contextmanager
    def _bundle_inside(self, host, wanted):
        if not wanted:
            yield
            return
        kernel.mount(self.bundles["2.5.136"], host.path("/mnt"), None, kernel.MS_BIND)
        try:
            yield
        finally:
            kernel.unmount(host.path("/mnt"))


class _Recorder:
    """Clones an image while something works in it."""

    def __init__(self, images, names, image, beside):
        self.images, self.names, self.image, self.beside = images, names, image, beside
        self.numbers, self.syncs, self.omitted = set(), set(), set()
        self.calls, self.all_syncs, self.own_syncs, self.cuts = 0, 0, 0, []
        self.is_after_sync = False

    def answer(self, number, call, is_own):
        self.calls = number
        self.all_syncs += call in SYNCS
        is_own_sync = call in SYNCS and bool(is_own)
        self.own_syncs += is_own_sync
        at_sync = is_own_sync and self.own_syncs in self.syncs
        if number in self.numbers or at_sync or self.is_after_sync:
            self.cut(("after a sync, before " if self.is_after_sync else "before ") + SYNCS.get(call, f"call {call}"))
        self.is_after_sync = at_sync
        is_left_out = call in self.omitted or (call == BEGIN_TO_WRITE and self.names[1] != "alone")
        return LEAVE_OUT if is_left_out else CARRY_OUT

    def cut(self, call):
        scenario, weather = self.names
        turns = WEATHERS[weather]
        self._press(turns[len(self.cuts) % len(turns)])
        self.cuts.append((Cut(self.images.file_system, scenario, weather, self.calls, call),
                          self.images.store.clone(self.image)))

    def _press(self, what):
        if what == "nothing":
            return
        with open(self.beside, "ab", buffering=0) as file:
            file.write(b".")
            if what == "all":
                kernel.sync_file_system(file.fileno())
            else:
                os.fsync(file.fileno())  # writes the journal of the file system, which knows no files
