"""Hosts that take files and run nothing: SFTP that is forced, a shell that ends at once, a jail. They are refused, and a slow shell is not."""

import os

import pytest

from hosts.fleet_host import CONFIG
from hosts.users import USERS, User
from hosts.workstation import DESTINATION, Workstation, missing_at

NO_SHELL = "/usr/sbin/nologin"
JAIL = "/srv/jail"
SLOW_SHELL = "/usr/local/bin/slow-sh"
LATE_SHELL = "/usr/local/bin/late-sh"  # its exit status comes long after the end of its output
OTHERS = (User("files", sudo=None), User("noshell", shell=NO_SHELL, sudo=None), User("jailed", shell=NO_SHELL, sudo=None),
          User("slow", shell=SLOW_SHELL, sudo=None), User("late", shell=LATE_SHELL, sudo=None))
RULES = ["Match User files", "    ForceCommand internal-sftp",
         "Match User jailed", "    ForceCommand internal-sftp", f"    ChrootDirectory {JAIL}"]


@pytest.fixture
def make_station(make_fleet, topsctl_release, schema):
    """make_station() -> Workstation with one host, which has the users above and serves SFTP without a program."""
    def make():
        station = Workstation(make_fleet(1, users=USERS + OTHERS, sshd_config=RULES), topsctl_release, schema)
        host, = station.hosts
        config = host.path(CONFIG)
        config.write_text(config.read_text().replace("Subsystem sftp /usr/lib/openssh/sftp-server",
                                                     "Subsystem sftp internal-sftp"))
        host.path(SLOW_SHELL).write_text('#!/bin/sh\nsleep 4\nexec /bin/sh "$@"\n')
        host.path(LATE_SHELL).write_text("#!/bin/sh\necho no programs here\nexec >&- 2>&-\nsleep 1\nexit 1\n")
        for shell in (SLOW_SHELL, LATE_SHELL):
            host.path(shell).chmod(0o755)
        upload = host.path(f"{JAIL}/upload")
        upload.mkdir(parents=True)
        owner = host.path("/home/jailed").stat().st_uid
        os.chown(upload, owner, owner)
        host.stop_sshd()
        host.start_sshd()
        return station
    return make


@pytest.fixture
def station(make_station):
    return make_station()


@pytest.mark.parametrize("user", ["files", "noshell", "jailed", "late"])
def test_a_host_that_runs_nothing_is_refused(station, packages, user):
    host, = station.hosts
    for words in (("transfer", packages, f"{user}@h1"), ("deploy", packages, f"{user}@h1"), ("transfer", packages, f"{user}@h1/box")):
        refused = station.json(*words, code=4)
        error = refused["targets"][0]["error"]
        assert error["code"] == "host_unfit" and "cannot run programs" in error["message"] and error["hint"], refused
    outcome = station.topsctl("history", "--target", f"{user}@h1")
    assert outcome.code == 4 and "cannot run programs" in outcome.out + outcome.err, outcome
    assert not host.path(DESTINATION).exists()


def test_a_shell_that_is_slow_still_runs_programs(station, packages):
    host, = station.hosts
    document = station.json("transfer", packages, "slow@h1")
    target, = document["targets"]
    assert missing_at(host.root, DESTINATION, target, packages) == []
