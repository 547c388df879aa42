"""Running programs as nobody, where the tests run as root."""

import contextlib
import os
import pwd
import tempfile
from pathlib import Path

NOBODY = pwd.getpwnam("nobody")


def as_nobody(argv):
    """The command line that runs `argv` as nobody."""
    if os.geteuid() != 0:
        return [*map(os.fspath, argv)]
    return ["setpriv", f"--reuid={NOBODY.pw_uid}", f"--regid={NOBODY.pw_gid}", "--clear-groups", *map(os.fspath, argv)]


def give_to_nobody(folder):
    """Makes nobody the owner of all in the folder."""
    for path in (folder, *folder.rglob("*")):
        if os.geteuid() == 0:
            os.chown(path, NOBODY.pw_uid, NOBODY.pw_gid, follow_symlinks=False)


@contextlib.contextmanager
def open_folder():
    """A temporary folder that everybody may pass through; those of pytest are root's alone."""
    with tempfile.TemporaryDirectory(prefix="topsctl-open-") as name:
        os.chmod(name, 0o755)
        yield Path(name)
