"""The host that faults strike: an older generation with an administrator's changes."""

import datetime
import os

from faults import nasty
from faults.nasty import edit_locally
from hosts.operations import OLD_STACK

# The nasty package takes the place of a file of another one, which it diverts in its preinst, and has a pipe.
ACCEPTED = ["--accept", "file-conflict", "--accept", "device-file", "--write-set", "auto"]


def observe():
    """From now on the scripts of the packages do what no text tells."""
    nasty.hidden.append(nasty.HIDDEN)


TIME_OF_NEW = int(datetime.datetime(2024, 1, 30, tzinfo=datetime.timezone.utc).timestamp())


def make_old(operator, bundle):
    """Installs the older generation's bundle on the operator's host, and changes what an administrator might."""
    report = operator.json("install", bundle, "--stack", OLD_STACK, *ACCEPTED)
    assert report["outcome"] == "committed", report
    host = operator.host
    edited = host.path("/etc/tops-sdk/sdk.conf")
    edited.write_text(edited.read_text() + "# a local edit\n")
    library = host.path("/usr/lib/libeccl.so")
    os.chmod(library, 0o4755)
    os.setxattr(library, "user.note", b"mine")
    if host.path("/opt/nasty").exists():
        edit_locally(host)
    owned = host.run(["dpkg-query", "-L", "tops-eccl", "topsfactor"], check=True).stdout.split()
    files = [path for path in owned if host.path(path).is_file() and not host.path(path).is_symlink()]
    for path in files:
        # Times of the newer packages: files that stay the same are then replaced by the very same.
        os.utime(host.path(path), (TIME_OF_NEW, TIME_OF_NEW))
    os.chown(host.path(files[0]), 1000, 1000)
    os.link(host.path(files[1]), host.path("/opt/second-name"))
    host.path(files[2]).unlink()
    host.run(["dpkg-divert", "--local", "--rename", "--divert", f"{files[3]}.mine", "--add", files[3]], check=True)
