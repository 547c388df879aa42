"""Each command that topsctl tells somebody at a workstation to type, typed there, or on the host that it is told for."""

import re
import shutil

import pytest

from hosts.hints import Said, filled, objection, told
from hosts.test_hints import names  # noqa: F401, a fixture
from hosts.test_status import LIBRARY

LEAST = 12
ON_HOST = re.compile(r"^next, on (\w+): *(.*)$", re.MULTILINE)
TOLD_FOR = re.compile(r"`(topsctl [^`]+)` on \w+@(\w+)")
RUN_ON = re.compile(r"^ *(?:run|next) on \w+@(\w+): *(.*)$", re.MULTILINE)
OF_TARGETS = re.compile(r" --(?:target|hosts) | \w+@\w+|topsctl help| -h$")
FILL = {"BUNDLE": "bundle", "PROGRAM": "true"}
BEFORE = """
topsctl status --target root@h1
topsctl status --hosts fleet.txt
topsctl transfer bundle root@h2
topsctl deploy bundle --hosts flet.txt --dry-run
topsctl deploy bundle
topsctl deploy bundel root@h1 --dry-run
topsctl deploy bundle root@h1 --dryrun
topsctl rollback --target root@h1
topsctl rollback 7 --target root@h1
topsctl confirm 1 --target root@h1
topsctl history show 3 --target root@h1
topsctl verify --target root@h1 --level files
topsctl watch --target root@h1
topsctl doctor --target root@h1 --level files
topsctl install bundle --target root@h1
topsctl repair --target root@h1
"""
AFTER = """
topsctl status --hosts fleet.txt
topsctl status --target root@h1
topsctl verify --target root@h1 --level files
topsctl doctor --target root@h1 --level files
"""


class Desk:
    """Somebody at the workstation."""

    def __init__(self, station, topsctl, bundle):
        self.hosts = {host.name: host for host in station.hosts}
        self._client = station.fleet.client
        self._home = station.fleet.home
        programs = self._home / "bin"
        programs.mkdir()
        (programs / "topsctl").symlink_to(topsctl.resolve())
        shutil.copytree(bundle, self._home / "bundle")
        (self._home / "fleet.txt").write_text("root@h1\nroot@h3\n")
        for host in station.hosts:
            host.install_binary(topsctl)

    def type(self, line):
        done = self._client.run(["bash", "-c", line], cwd=self._home, timeout=300, env={
            "PATH": f"{self._home}/bin:{self._client.environment['PATH']}"})
        return Said(line, done.returncode, done.stdout + done.stderr)

    def type_on(self, host, line):
        done = self.hosts[host].run(["bash", "-c", line], timeout=300)
        return Said(line, done.returncode, done.stdout + done.stderr)

    def results(self, text, names):  # noqa: F811
        found = []
        for ask in text.strip().splitlines():
            asked = self.type(ask)
            elsewhere = {line: host for host, line in ON_HOST.findall(asked.text)}
            elsewhere |= dict(TOLD_FOR.findall(" ".join(asked.text.split())))
            elsewhere |= {line: host for host, line in RUN_ON.findall(asked.text)}
            for line in told(asked, names):
                text, left = filled(line, FILL)
                reason = f"nobody knows what to put for {left}" if left else ""
                if not reason and line not in elsewhere and not OF_TARGETS.search(line):
                    reason = "it is told as for the workstation"
                if not reason:
                    typed = self.type_on(elsewhere[line], text) if line in elsewhere else self.type(text)
                    reason = objection(asked, typed, lambda: self.type(ask))
                found.append((ask, line, reason))
        return found


@pytest.fixture
def desk(make_workstation, topsctl_release, packages):
    return Desk(make_workstation(3, each={1: {"known": False}}), topsctl_release, packages)


def test_what_is_told_of_a_fleet_works_when_it_is_typed(desk, names):  # noqa: F811
    found = desk.results(BEFORE, names)
    assert desk.type("topsctl deploy bundle root@h1").code == 0
    desk.hosts["h1"].path(LIBRARY).unlink()
    found += desk.results(AFTER, names)
    assert len(found) >= LEAST, found
    failed = [f"{ask}  told  {line}: {reason}" for ask, line, reason in found if reason]
    assert not failed, "\n".join(["", *failed])
