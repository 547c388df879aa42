"""Another user of the machine, who may write into a folder of the stack, attacks a rollback that root runs."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from hosts.operations import PREDICTED, Operator

NOBODY = 65534
# Works below the descriptor it was given: exchanges a folder for a link, and plants links in the place of files that are
# not whole yet, until its input ends. Says how often.
ATTACKER = r"""
import ctypes, os, select, sys
libc = ctypes.CDLL(None, use_errno=True)
shared = int(sys.argv[1])
turns = 0
print("ready", flush=True)
while not select.select([0], [], [], 0)[0]:
    libc.syscall(316, shared, b"d", shared, b"link", 2)  # renameat2, RENAME_EXCHANGE
    for folder in ("d", "link"):
        try:
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=shared)
        except OSError:
            continue
        names = os.listdir(opened)
        os.close(opened)
        for name in names:
            if name.startswith(".topsctl-"):
                try:
                    os.unlink(f"{folder}/{name}", dir_fd=shared)
                    os.symlink("../../../usr/victim/tool", f"{folder}/{name}", dir_fd=shared)
                except OSError:
                    pass
    turns += 1
print(turns)
"""


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl, PREDICTED)


class Attack:
    """As nobody, for whom the way to the host's root is closed but for the folder it may write to."""

    def __init__(self, folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self._folder = folder
        self._process = subprocess.Popen([sys.executable, "-c", ATTACKER, str(descriptor)], user=NOBODY, group=NOBODY,
                                         extra_groups=[], pass_fds=[descriptor], cwd="/", stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)
        os.close(descriptor)
        assert self._process.stdout.readline() == "ready\n"

    def end(self):
        """The number of its turns; the folder stands in its place again."""
        turns = int(self._process.communicate("\n", timeout=60)[0])
        if (self._folder / "d").is_symlink():
            (self._folder / "d").rename(self._folder / "other")
            (self._folder / "link").rename(self._folder / "d")
            (self._folder / "other").rename(self._folder / "link")
        return turns


def test_a_user_who_moves_folders_during_a_rollback_gains_nothing(operator, host, with_eccl):
    victim = host.path("/usr/victim")
    victim.mkdir()
    for name in ("tool", "new", "precious"):
        (victim / name).write_text("victim")
        (victim / name).chmod(0o600)
    shared = host.path("/opt/shared")
    (shared / "d").mkdir(parents=True)
    (shared / "d" / "tool").write_text("#!/bin/sh\n")
    (shared / "d" / "tool").chmod(0o6755)
    bundle = with_eccl("chmod 0777 /opt/shared /opt/shared/d",
                       files=[f"/opt/shared/d/{name}" for name in ("tool", "new", "precious")])
    before = operator.digest()
    operator.json("install", bundle, "--accept", "script-makes-world-writable")
    (shared / "link").symlink_to("../../usr/victim")
    os.chown(shared / "link", NOBODY, NOBODY, follow_symlinks=False)
    attack = Attack(shared)
    time.sleep(0.2)
    operator.topsctl("rollback", "--force")
    for _ in range(3):
        operator.topsctl("recover")
    assert attack.end() > 100
    for name in ("tool", "new", "precious"):
        status = (victim / name).stat()
        assert (victim / name).read_text() == "victim" and status.st_mode & 0o7777 == 0o600, name
        assert (status.st_uid, status.st_gid) == (0, 0), name
    # Without the attacker all is as before, whatever the attack has hindered.
    if (shared / "link").is_dir() and not (shared / "link").is_symlink():
        shutil.rmtree(shared / "link")  # the rollback has made the folder anew in the place of the link
    else:
        (shared / "link").unlink()
    operator.topsctl("recover")
    changed_by_us = "~ /opt/shared: mtime_ns"
    assert [line for line in operator.changes_since(before) if not line.startswith(changed_by_us)] == []
