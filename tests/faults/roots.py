"""Kinds of roots: overlays on one and on two file systems, folders that are mounts of their own, full and read-only ones."""

import contextlib
import os
import subprocess

from faults.old_host import ACCEPTED
from faults.sweep import Sweep, Whole, litter_in
from hosts import kernel
from hosts.host import Host
from hosts.operations import NOT_COMPARED, Operator
from hosts.storage import mount_overlay

# Of a root that is laid over the base: its upper layer is on a file system of its own, or beside the base (None).
OVERLAYS = {"overlay on one file system": None, "overlay on ext4 and tmpfs": "tmpfs", "overlay on ext4 and XFS": "xfs"}
APART = {"/var": "ext4", "/usr": "overlay", "/opt": "tmpfs", "/etc": "tmpfs"}
READ_ONLY, SEPARATE = "read-only /usr", "separate /var, /usr, /opt and /etc"
# folder, and what is left free of it.
FULL = {"no space on /var": ("/var", "size", 1 << 20), "no space on /opt": ("/opt", "size", 64 << 10),
        "no inodes on /var": ("/var", "nr_inodes", 8), "no inodes on /opt": ("/opt", "nr_inodes", 8)}
CHANGING = (*OVERLAYS, SEPARATE)


class Root(Host):
    """A root of one of the kinds over a base, which is never written to."""

    def __init__(self, kind, base, place, hash_cache, store):
        self.kind_of_root, self.store = kind, store
        super().__init__(base, place, "overlay", hash_cache)

    def _mount(self):
        with contextlib.ExitStack() as mounts:  # unmounts what there is if the rest cannot be mounted
            self.mounts = mounts
            upper = OVERLAYS.get(self.kind_of_root)
            home = self._file_system(upper) if upper else self._storage.path
            mount_overlay(self.lower, home, index=self.kind_of_root not in OVERLAYS, target=self.root)
            mounts.callback(kernel.unmount, self.root, kernel.MNT_DETACH)
            self._mount_below()
            self.mounts = mounts.pop_all()

    def _unmount(self):
        self.mounts.close()

    def _mount_below(self):
        if self.kind_of_root == READ_ONLY:
            usr = self.path("/usr")
            kernel.mount(usr, usr, None, kernel.MS_BIND)
            kernel.mount(None, usr, None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY)
        elif self.kind_of_root == SEPARATE:
            for folder, file_system in APART.items():
                self._put_apart(folder, file_system)
        elif self.kind_of_root in FULL:
            folder, limit, left = FULL[self.kind_of_root]
            self._put_apart(folder, "tmpfs")
            self._fill(self.path(folder), limit, left)

    def _file_system(self, kind):
        """A new and empty file system; where it is mounted."""
        if kind != "tmpfs":
            return self.mounts.enter_context(self.store.mounted(self.store.make(kind), kind))
        folder = self._storage.path / "tmpfs"
        folder.mkdir()
        kernel.mount("tmpfs", folder, "tmpfs", 0, "mode=0755")
        self.mounts.callback(kernel.unmount, folder, kernel.MNT_DETACH)
        return folder

    def _put_apart(self, folder, file_system):
        target = self.path(folder)
        if file_system == "overlay":
            home = self._storage.path / folder.strip("/")
            home.mkdir()
            mount_overlay(self.lower / folder.strip("/"), home, target=target)
            return
        if file_system == "tmpfs":
            kernel.mount("tmpfs", target, "tmpfs")
        else:
            made = self._file_system(file_system)
            (made / "lost+found").rmdir()
            kernel.mount(made, target, None, kernel.MS_BIND)
        subprocess.run(["cp", "-a", "--", f"{self.lower}{folder}/.", target], check=True)

    @staticmethod
    def _fill(folder, limit, left):
        """Leaves so many bytes or inodes."""
        free = os.statvfs(folder)
        used = (free.f_blocks - free.f_bfree) * free.f_frsize if limit == "size" else free.f_files - free.f_ffree
        kernel.mount(None, folder, None, kernel.MS_REMOUNT, f"{limit}={used + left}")


class Roots(Sweep):
    """The strikes of a sweep on roots of one kind."""

    def __init__(self, sweep, kind, store=None):  # its base, bundles and tools
        self.__dict__.update(vars(sweep), wholes={}, kind=kind, store=store)
        # Without an index, as live systems are mounted, an overlay parts the names of a file when one of them is written;
        # and a file of the base has a name in what is a mount of its own here.
        self.not_kept = ("nlink",) if kind in CHANGING else ()

    def new_host(self, scenario):
        return Root(self.kind, self.base[scenario].root, self.place, self.hash_cache, self.store)

    def round_trip(self):
        """An install that nothing strikes, and its rollback: what differs in the end, and litter of either."""
        host = self.new_host("install")
        try:
            before = host.digest(NOT_COMPARED)
            count, code, records = self.run("install", host, 0, "kill")
            assert code == 0, f"install on {self.kind} ended with {code}"
            self.wholes["install"] = Whole(count, records, before, host.digest(NOT_COMPARED))
            rolled_back = Operator(host, self.binary, self.topsctl).topsctl("rollback", "--json")
            now = host.digest(NOT_COMPARED)
            return [*([str(rolled_back)] if rolled_back.code != 0 else []), *self.differing(before, now),
                    *litter_in(self.wholes["install"].after), *litter_in(now)]
        finally:
            host.remove()

    def refused(self, *options):
        """An install that cannot be done: what it said, and what differs after it, and after `topsctl recover`."""
        host = self.new_host("install")
        try:
            before = host.digest(NOT_COMPARED)
            operator = Operator(host, self.binary, self.topsctl)
            said = operator.topsctl("install", self.bundles["2.5.136"], *ACCEPTED, *options)
            at_once = self.differing(before, host.digest(NOT_COMPARED))
            recovered = operator.topsctl("recover", "--json")
            return said, [*at_once, *([str(recovered)] if recovered.code != 0 else []),
                          *self.differing(before, host.digest(NOT_COMPARED))]
        finally:
            host.remove()
