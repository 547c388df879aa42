"""A host made of the very machine that runs the tests: its /usr below an overlay, its dpkg database, a fresh rest."""

import shutil
from pathlib import Path

import pytest

from hosts import kernel
from hosts.host import Host
from hosts.storage import mount_overlay

COPIED = ("/etc/passwd", "/etc/group", "/etc/os-release", "/etc/ld.so.cache", "/etc/alternatives", "/etc/python3",
          "/etc/python3.11", "/var/lib/dpkg/status")
MADE = ("dev", "proc", "tmp", "root", "opt", "run", "etc/profile.d", "var/lib/dpkg/info", "var/lib/dpkg/updates",
        "var/log", "var/tmp", "var/cache/ldconfig")
# Folders of /usr; headers of wheels go to /usr/include.
NOT_READ = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share", "src", "games",
            "include/[!p]*")
# The machine's own /usr/local may hold anything.
LOCAL = ("bin", "etc", "games", "include", "lib", "man", "sbin", "share", "src")


class ThisMachine(Host):
    """/usr is the machine's own, and what is written there goes to a folder of the host."""

    def __init__(self, place, skeleton):
        self._usr = None
        super().__init__(skeleton, place, "copy")
        home = self._storage.path / "usr"
        home.mkdir()
        mount_overlay(Path("/usr"), home)
        self._usr = self.path("/usr")
        kernel.mount(str(home / "root"), str(self._usr), "", kernel.MS_BIND)
        local = self._storage.path / "local"
        for name in LOCAL:
            (local / name).mkdir(parents=True)
        kernel.mount(str(local), str(self._usr / "local"), "", kernel.MS_BIND)

    def digest(self, exclude=()):
        """Without the gigabytes of the machine that no wheel is installed into."""
        return super().digest((*exclude, *(f"/usr/{name}" for name in NOT_READ)))

    def remove(self):
        if self._usr is not None:
            kernel.unmount(self._usr / "local", kernel.MNT_DETACH)
            kernel.unmount(self._usr, kernel.MNT_DETACH)
            kernel.unmount(self._storage.path / "usr" / "root", kernel.MNT_DETACH)
            self._usr = None
        super().remove()


def make_skeleton(folder):
    """What is not in /usr."""
    for name in MADE:
        (folder / name).mkdir(parents=True)
    (folder / "usr").mkdir()
    for name in ("bin", "sbin", "lib", "lib64"):
        if Path("/", name).is_symlink():
            (folder / name).symlink_to(f"usr/{name}")
    for path in map(Path, COPIED):
        target = folder / path.relative_to("/")
        if path.is_dir():
            shutil.copytree(path, target, symlinks=True)
        elif path.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
    (folder / "dev" / "null").touch()
    return folder


@pytest.fixture
def make_this_machine(host_place, tmp_path):
    """make_this_machine() -> ThisMachine, as many as a test wants; skips where the machine is no Debian of today."""
    if not Path("/lib").is_symlink() or not Path("/var/lib/dpkg/status").is_file():
        pytest.skip("this machine is no Debian whose programs are all in /usr")
    skeleton = make_skeleton(tmp_path / "skeleton")
    made = []

    def make():
        made.append(ThisMachine(host_place, skeleton))
        return made[-1]

    yield make
    for host in reversed(made):
        host.remove()
