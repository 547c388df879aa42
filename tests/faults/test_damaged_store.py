"""A transaction is killed, then its journal or its store is damaged: nothing ends well on a root that is neither old nor new."""

import contextlib
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from faults.damages import journal_damages, store_damages
from faults.old_host import ACCEPTED
from faults.sweep import NOT_THE_SAME_TWICE, OF_ONE_INSTALL
from hosts.host import Host
from hosts.operations import LOCKS, NOT_COMPARED, Operator

POINTS = {"kept": "install", "applying": "install", "verifying": "install", "restoring": "rollback"}
# Every so many of the damages of a point; all of them, more than 100, with TOPSCTL_DAMAGES=all.
SHARES = {"kept": 15, "applying": 11, "verifying": 15, "restoring": 13}
LEAST_DAMAGES = {"kept": 21, "applying": 33, "verifying": 34, "restoring": 48}


class Again(Host):
    """Another host that is as an overlay host is now."""

    volatile = True

    def __init__(self, host, place, hash_cache):
        self.layers = host.root.parent
        super().__init__(host.lower, place, "overlay", hash_cache)

    def _mount(self):
        # At once: the index below work has further names of files of the upper layer.
        subprocess.run(["cp", "-a", "--reflink=auto", "--", self.layers / "upper", self.layers / "work", self.root.parent],
                       check=True)
        with contextlib.suppress(OSError):  # which upper layer it belongs to
            os.removexattr(self.root.parent / "work/index", "trusted.overlay.upper")
        super()._mount()


class Killed:
    """A root whose transaction was killed; every damage is on an overlay of its own over it."""

    def __init__(self, sweep, point):
        self.sweep, self.scenario = sweep, POINTS[point]
        self.whole = sweep.whole(self.scenario)
        self.host = sweep.new_host(self.scenario)
        assert sweep.run(self.scenario, self.host, self.number(point), "kill")[1] == 137
        self.folder = max((self.host.path("/var/lib/topsctl/transactions")).iterdir(), key=lambda path: int(path.name))

    def number(self, point):
        records = self.whole.records
        middle = {"kept": lambda: records[1] + 1, "applying": lambda: (records[2] + records[3]) // 2,
                  "verifying": lambda: (records[3] + records[4]) // 2, "restoring": lambda: (records[0] + records[1]) // 2}
        return middle[point]()

    def damages(self):
        return {**{f"journal: {name}": make for name, make in journal_damages(self.folder).items()},
                **{f"store: {name}": make for name, make in store_damages(self.folder, self.host.root).items()}}

    def damaged(self, make):
        host = Again(self.host, self.sweep.place, self.sweep.hash_cache)
        make(host.path("/var/lib/topsctl/transactions") / self.folder.name)
        return host

    def is_old_or_new(self, host):
        now = host.digest(NOT_COMPARED)
        old = [line for line in self.whole.before.diff(now) if not line.startswith(LOCKS)]
        new = [line for line in self.whole.after.diff(now, NOT_THE_SAME_TWICE)
               if not line.startswith((*LOCKS, OF_ONE_INSTALL))]
        return [] if not old or not new else min(old, new, key=len)[:10]

    def faults_of(self, make, *commands):
        """What is wrong after the commands, each of which is asked only if the one before it refused."""
        host = self.damaged(make)
        try:
            operator = Operator(host, self.sweep.binary, self.sweep.topsctl)
            for command in commands:
                done = operator.topsctl(*command, "--json")
                if done.code == 0:
                    return self.is_old_or_new(host)
                error = done.json["error"]
                if done.code not in (4, 7, 8) or not error or not (error["hint"] or error["message"]):
                    return [f"{command[0]}: {done}"]
            return []
        finally:
            host.remove()


@pytest.mark.parametrize("point", POINTS)
def test_no_damage_ends_well_on_a_root_that_is_neither_old_nor_new(sweep, point):
    killed = Killed(sweep, point)
    install = ("install", sweep.bundles["2.5.136"], *ACCEPTED)

    def faults_of(numbered):
        number, make = numbered
        found = killed.faults_of(make, ("recover",), ("recover", "--from-store"))
        if number % 8 == 0:
            found += killed.faults_of(make, ("rollback",))
        if number % 8 == 1 and killed.scenario == "install":
            found += killed.faults_of(make, install)
        return found

    try:
        damages = killed.damages()
        assert len(damages) >= LEAST_DAMAGES[point]
        if os.environ.get("TOPSCTL_DAMAGES") != "all":
            damages = dict(list(damages.items())[::SHARES[point]])
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = dict(zip(damages, pool.map(faults_of, enumerate(damages.values()))))
        assert {name: found for name, found in faults.items() if found} == {}
    finally:
        killed.host.remove()
