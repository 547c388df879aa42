"""Where the changes of a host live while a test runs: a fresh folder on a file system that can carry an overlay."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from hosts import kernel
from hosts.root_cache import remove_tree
from hosts.settings import cache_home

PREFIX = "topsctl-host-"


def storage_place(environment=os.environ):
    """The first folder in which an overlay can be mounted; TOPSCTL_TEST_TMPDIR is asked first."""
    own = environment.get("TOPSCTL_TEST_TMPDIR")
    candidates = [Path(own)] if own else [cache_home(environment) / "hosts", Path("/var/tmp"), Path("/tmp"),
                                          Path("/dev/shm")]
    reasons = []
    for place in candidates:
        place.mkdir(parents=True, exist_ok=True)
        try:
            with tempfile.TemporaryDirectory(prefix="topsctl-try-", dir=place) as trial:
                lower = Path(trial) / "lower"
                lower.mkdir()
                mount_overlay(lower, Path(trial))
                kernel.unmount(Path(trial) / "root")
            return place
        except OSError as error:
            reasons.append(f"{place}: {error}")
    raise OSError("cannot mount an overlay anywhere (set TOPSCTL_TEST_TMPDIR to a folder on ext4 or xfs): "
                  + "; ".join(reasons))


def mount_overlay(lower, home, volatile=False, index=True, target=None):
    """Mounts lower read-only below home/upper, the two seen as one at home/root or at the target; lower may be a row of
    layers, the uppermost first. A volatile one never waits for a disk: fsync there does nothing."""
    target = target or home / "root"
    lowers = [lower] if isinstance(lower, (str, os.PathLike)) else list(lower)
    for folder in (home / "upper", home / "work", target):
        folder.mkdir(exist_ok=True)
    # The root of an overlay shows the attributes of its upper layer.
    os.chown(home / "upper", os.stat(lowers[0]).st_uid, os.stat(lowers[0]).st_gid)
    shutil.copystat(lowers[0], home / "upper")
    for name in os.listxattr(home / "upper"):
        if name.startswith("trusted.overlay."):  # of a layer that was an upper one itself
            os.removexattr(home / "upper", name)
    # index=on keeps hard links whole when one of their names is changed, as on an ordinary file system.
    layers = f"lowerdir={':'.join(map(str, lowers))},upperdir={home / 'upper'},workdir={home / 'work'},index={'on' if index else 'off'}"
    kernel.mount("overlay", target, "overlay", 0, f"{layers},redirect_dir=off,metacopy=off{',volatile' if volatile else ''}")


class Storage:
    """A fresh folder, locked as long as its owner lives so that a later run can tell what was left behind."""

    def __init__(self, place):
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self):
        if self._lock is not None:
            remove_tree(self.path)
            os.close(self._lock)
            self._lock = None


def sweep(place):
    """Removes the folders whose owners were killed; the number of them."""
    count = 0
    for path in Path(place).glob(PREFIX + "*"):
        with contextlib.suppress(FileNotFoundError):
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(path)
                count += 1
            except BlockingIOError:
                pass  # its owner lives
            finally:
                os.close(handle)
    return count
