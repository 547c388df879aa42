"""Sweeps of faults: an install or a rollback is struck at its n-th call that changes files, and the whole root compared."""

import dataclasses
import errno
import fnmatch
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from faults.nasty import make_nasty
from faults.old_host import ACCEPTED, make_old
from faults.tracer import build_nth
from hosts.crafted import without_md5sums
from hosts.host import Host
from hosts.operations import LOCKS, NOT_COMPARED, Operator
from support.bundles import make_bundle
from support.topsctl import run_topsctl

TIMEOUT = 600
# What differs from one install to the next, though both are whole: times, and what kernels make of folders.
NOT_THE_SAME_TWICE = ("mtime_ns", "nlink")
# ldconfig notes inodes and times of change in it.
OF_ONE_INSTALL = "~ /var/cache/ldconfig/aux-cache:"
# Names of topsctl's own among the host's files, which are there only while it works.
LITTER = "*/.topsctl-*"
ACTIONS = {"kill": "kill", "ENOSPC": f"error:{errno.ENOSPC}", "EIO": f"error:{errno.EIO}",
           "SIGINT": f"signal:{int(signal.SIGINT)}", "SIGTERM": f"signal:{int(signal.SIGTERM)}",
           "full": "full"}
# Of an install whose programs are observed: topsctl alone dies, or the process beside it that observes.
OBSERVED_ACTIONS = {"kill": "kill", "kill-topsctl": "kill:first", "kill-observer": "kill:topsctl-observe"}
# What a person must look at is no state that want of room leaves: a plain recover ends it.
NOT_OF = {"full": 7, "ENOSPC": 7}


@dataclasses.dataclass
class Point:
    """One strike and what came of it: the root is `old`, `new` or `neither`."""
    scenario: str
    action: str
    number: int
    exit: int
    state: str
    differing: list


@dataclasses.dataclass
class Whole:
    """A run that nothing strikes: its calls, those that made a journal's record durable, the root before and after."""
    count: int
    records: list
    before: object
    after: object

    def states(self):
        """The calls between which each journal state lies: the one that makes it durable, and the one after."""
        return sorted({number for record in self.records for number in (record, record + 1) if number <= self.count})


def spread(total, points):
    """That many numbers from 1 to total, evenly apart, each once."""
    number = min(points, total)
    return [1 + index * total // number for index in range(number)]


def litter_in(digest):
    return [f"+ {path} (litter)" for path in digest if fnmatch.fnmatchcase(path, LITTER)]


class Sweep:
    """A root with the older generation and local edits; every strike is on a host of its own laid over it."""

    not_kept = ()  # by the file systems of the hosts: fields of the digest
    within = ()  # words before topsctl

    def __init__(self, test_root, place, binary, scratch):
        self.place, self.binary, self.scratch = place, binary, Path(scratch)
        self.nth = build_nth(scratch)
        self.hash_cache = {}
        self.wholes = {}
        self.base = {"install": Host(test_root, place, "copy")}
        minor = self.base["install"].python_minor()
        self.bundles = {generation: make_bundle(self.scratch / generation, generation, [], None, minor, None, True)
                        for generation in ("2.4.87", "2.5.136")}
        for generation, bundle in self.bundles.items():
            make_nasty(bundle, generation)
        # Its topsfactor is installed anew every time.
        self.repeated = without_md5sums(self.bundles["2.5.136"], "topsfactor", self.scratch)
        make_old(Operator(self.base["install"], binary, self.topsctl), self.bundles["2.4.87"])
        self.base["rollback"] = Host(self.base["install"].root, place, "copy")
        new = Operator(self.base["rollback"], binary, self.topsctl)
        assert new.json("install", self.bundles["2.5.136"], *ACCEPTED)["outcome"] == "committed"
        for host in self.base.values():
            os.utime(host.root.parent)  # older than this is all of it, so that its digests are made once

    def close(self):
        for host in self.base.values():
            host.remove()

    def topsctl(self, argv, binary, **options):
        return run_topsctl(binary, argv, self.scratch, **options)

    def command(self, scenario, host):
        argv = {"install": ["install", self.bundles["2.5.136"], *ACCEPTED], "rollback": ["rollback"],
                "repeat": ["install", self.repeated, *ACCEPTED], "recover": ["recover"]}[scenario]
        return [*map(os.fspath, self.within), os.fspath(self.binary), *map(os.fspath, argv), "--root", os.fspath(host.root), "--json"]

    def run(self, scenario, host, number, action):
        """Runs a scenario struck at a number; (how many calls there were, exit status, which made journals durable)."""
        with tempfile.NamedTemporaryFile(dir=self.scratch) as output:
            subprocess.run([self.nth, output.name, str(number), {**ACTIONS, **OBSERVED_ACTIONS}[action], *self.command(scenario, host)],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           timeout=TIMEOUT, check=False, start_new_session=True,
                           env={"PATH": os.environ["PATH"], "HOME": os.fspath(self.scratch), "LANG": "C.UTF-8"})
            count, code, *records = map(int, Path(output.name).read_text().split())
        return count, code, records

    def whole(self, scenario):
        """A run that nothing strikes, made once."""
        if scenario not in self.wholes:
            self.wholes[scenario] = self._run_whole(scenario)
        return self.wholes[scenario]

    def _run_whole(self, scenario):
        host = self.new_host(scenario)
        try:
            before = host.digest(NOT_COMPARED)
            count, code, records = self.run(scenario, host, 0, "kill")
            assert code == 0, f"{scenario} that nothing strikes ended with {code}"
            return Whole(count, records, before, host.digest(NOT_COMPARED))
        finally:
            host.remove()

    def strike(self, scenario, number, action, whole, deaths=()):
        """One point: strikes, recovers, and compares. Before that, a recovery is killed at each of the numbers `deaths`."""
        host = self.new_host(scenario)
        try:
            code = self.run(scenario, host, number, action)[1]
            for death in deaths:
                self.run("recover", host, death, "kill")
            operator = Operator(host, self.binary, self.topsctl)
            recovered = operator.topsctl("recover", "--json")
            now = host.digest(NOT_COMPARED)
            old = self.differing(whole.before, now)
            new = [line for line in whole.after.diff(now, NOT_THE_SAME_TWICE)
                   if not line.startswith((*LOCKS, OF_ONE_INSTALL))]
            is_wrong = recovered.code != 0 or code == NOT_OF.get(action) or litter_in(now)
            state = "neither" if is_wrong else "old" if not old else "new" if not new else "neither"
            return Point(scenario, action, number, code, state,
                         [] if state != "neither" else (litter_in(now) or min(old, new, key=len)[:20] or [str(recovered)]))
        finally:
            host.remove()

    def calls_of_recovery(self, scenario, whole):
        """Of one after a kill when about everything has been changed."""
        host = self.new_host(scenario)
        try:
            self.run(scenario, host, whole.records[-1] - 1, "kill")
            return self.run("recover", host, 0, "kill")[0]
        finally:
            host.remove()

    def differing(self, before, now):
        """Lines for all that has changed since that run."""
        return [line for line in before.diff(now, self.not_kept) if not line.startswith(LOCKS)]

    def new_host(self, scenario):
        return Host(self.base[scenario].root, self.place, "overlay", self.hash_cache)
