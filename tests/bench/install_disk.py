"""A disk for the benchmark of installs: an ext4 as mkfs makes it, with its journal, as servers have it and whatever is below."""

import contextlib
import os
import subprocess
from pathlib import Path

from hosts import kernel

SIZE = 12 << 30


@contextlib.contextmanager
def mounted_disk(place, size=SIZE):
    """A folder on an empty ext4 of `size` bytes in a file of `place`, mounted with its defaults. Needs root and a mount namespace of one's own."""
    image = Path(place) / "disk"
    folder = Path(place) / "mounted"
    image.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        # All blocks are there before anything is measured, and none is given back to the disk below.
        with open(image, "xb") as file:
            os.posix_fallocate(file.fileno(), 0, size)
        _run("mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", image)
        device = _run("losetup", "--find", "--show", "--direct-io=on", image)
        try:
            _run("mount", "-t", "ext4", device, folder)
        finally:
            _run("losetup", "--detach", device)  # when it is unmounted
        try:
            yield folder
        finally:
            kernel.unmount(folder)
    finally:
        image.unlink(missing_ok=True)
        folder.rmdir()


def _run(*argv):
    done = subprocess.run(list(map(os.fspath, argv)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, argv))} returned {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip()
