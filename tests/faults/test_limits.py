"""An install, and its restore, with few descriptors: old or new, and nothing that a plain recover does not end."""

import os
import subprocess

import pytest

from faults.sweep import TIMEOUT
from hosts.operations import LOCKS, NOT_COMPARED, Operator

# Without it root cannot raise its own limit; many containers have none either.
NOT_RAISED = ["setpriv", "--bounding-set", "-sys_resource", "--inh-caps", "-sys_resource"]


def limited(sweep, host, descriptors, *around):
    argv = ["prlimit", f"--nofile={descriptors}:{descriptors}", *around, *sweep.command("install", host)]
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=TIMEOUT, check=False,
                          env={"PATH": os.environ["PATH"], "HOME": os.fspath(sweep.scratch), "LANG": "C.UTF-8"})


def differs_from(digest, host):
    return [line for line in digest.diff(host.digest(NOT_COMPARED)) if not line.startswith(LOCKS)]


@pytest.mark.parametrize("descriptors", [12, 16, 20, 28])
def test_a_limit_that_stays_leaves_old_or_new_or_what_recover_ends(sweep, descriptors):
    before = sweep.whole("install").before
    host = sweep.new_host("install")
    try:
        done = limited(sweep, host, descriptors, *NOT_RAISED)
        assert done.returncode in (0, 1, 3, 4, 8, 10), done.stdout[-2000:]
        recovered = Operator(host, sweep.binary, sweep.topsctl).topsctl("recover", "--json")
        assert recovered.code == 0, recovered
        if done.returncode != 0:
            assert differs_from(before, host) == [], done.stdout[-2000:]
    finally:
        host.remove()
