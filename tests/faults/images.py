"""Images of disks that cost nothing to copy: files on an XFS with reflinks, itself in a file, mounted as real file systems."""

import contextlib
import fcntl
import itertools
import os
import shutil
import subprocess
from pathlib import Path

from hosts import kernel
from hosts.digest import tree_digest
from hosts.host import Host
from hosts.storage import Storage

FICLONE = 0x40049409
SIZE_OF_STORE = 24 << 30  # of a sparse file
SIZE_OF_IMAGE = 3 << 30
# Sectors as large as any loop device asks for that reads and writes without a cache of its own.
MAKERS = {"ext4": ["mkfs.ext4", "-q", "-F"], "xfs": ["mkfs.xfs", "-q", "-s", "size=4096"]}
# Clones have the same identity, which XFS refuses to mount beside each other.
OPTIONS = {"ext4": "defaults", "xfs": "nouuid"}


class NoImages(Exception):
    """Images cannot be made here; the text says why."""


def _run(*argv):
    done = subprocess.run(list(map(os.fspath, argv)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoImages(f"{' '.join(map(str, argv))} returned {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip()


@contextlib.contextmanager
def _loop_device(file, *options):
    """A block device over a file, until what was mounted from it meanwhile is unmounted."""
    device = _run("losetup", "--find", "--show", *options, file)
    try:
        yield device
    finally:
        _run("losetup", "--detach", device)


class ImageStore:
    """Needs root and a mount namespace of one's own: mounts and loop devices vanish with it, however it ends."""

    def __init__(self, place):
        for program in ("mkfs.xfs", "mkfs.ext4", "losetup"):
            if shutil.which(program) is None:
                raise NoImages(f"{program} is missing; run `packaging/install-packages tests/packages`")
        self._storage = Storage(place)
        self._numbers = itertools.count(1)
        self.folder = self._storage.path / "images"
        try:
            self.folder.mkdir()
            disk = self._storage.path / "disk"
            self._make_sparse(disk, SIZE_OF_STORE)
            _run("mkfs.xfs", "-q", "-m", "reflink=1", disk)
            with _loop_device(disk) as device:
                _run("mount", device, self.folder)
        except BaseException:
            self.close()
            raise

    def close(self):
        """Unmounts all that is mounted from here, and removes it; may be called twice."""
        ours = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()
                if line.split()[1].startswith(f"{self._storage.path}/")]
        for target in reversed(ours):
            with contextlib.suppress(OSError):
                kernel.unmount(target, kernel.MNT_DETACH)
        self._storage.remove()

    def make(self, file_system):
        """A new image with an empty file system."""
        image = self._new()
        self._make_sparse(image, SIZE_OF_IMAGE)
        _run(*MAKERS[file_system], image)
        return image

    def clone(self, image):
        """What a disk holds if the power is cut now. Always a new file: loop devices keep pages of those they had."""
        copy = self._new()
        with open(image, "rb") as source, open(copy, "wb") as target:
            fcntl.ioctl(target, FICLONE, source.fileno())
        return copy

    @contextlib.contextmanager
    def mounted(self, image, file_system):
        """Mounts an image, which replays its journal; the folder in which it is."""
        target = self._storage.path / f"mounted-{image.name}"
        target.mkdir()
        # Without a cache of its own for each clone: what they share is in that of the store.
        with _loop_device(image, "--direct-io=on") as device:
            _run("mount", "-t", file_system, "-o", OPTIONS[file_system], device, target)
        try:
            yield target
        finally:
            kernel.unmount(target)
            target.rmdir()

    def _new(self):
        return self.folder / f"{os.getpid()}-{next(self._numbers)}"

    @staticmethod
    def _make_sparse(path, size):
        with open(path, "xb") as file:
            file.truncate(size)


class MountedHost(Host):
    """A host whose root is there already."""

    def __init__(self, root, hash_cache=None, cache_before_ns=0):
        self.root = Path(root)
        self._hash_cache = hash_cache
        self._cache_before_ns = cache_before_ns
        self._started = []

    def remove(self):
        raise NotImplementedError("the one who mounted it unmounts it")

    def digest(self, exclude=()):
        return tree_digest(self.root, exclude, self._hash_cache, self._cache_before_ns)
