"""The digest of a whole tree, path by path, and a readable difference between two of them."""

import fnmatch
import hashlib
import os
import re
import stat
from typing import NamedTuple, Optional

KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "link", stat.S_IFCHR: "char",
         stat.S_IFBLK: "block", stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket"}


class Entry(NamedTuple):
    """What is compared of one path; None where it says nothing (size and links of a directory are the kernel's)."""
    type: str
    mode: int
    uid: int
    gid: int
    size: Optional[int]
    mtime_ns: Optional[int]
    rdev: Optional[int]
    target: Optional[str]
    sha256: Optional[str]
    xattrs: tuple
    nlink: Optional[int]


class Digest(dict):
    """path -> Entry in path order; paths are relative to the root and start with '/'."""

    def diff(self, after, ignore=()):
        """Lines that say what is different in `after`; `ignore` names fields such as 'mtime_ns'. Empty if nothing."""
        lines = []
        for path in sorted(self.keys() | after.keys()):
            old, new = self.get(path), after.get(path)
            if old is None:
                lines.append(f"+ {path} ({new.type})")
            elif new is None:
                lines.append(f"- {path} ({old.type})")
            elif old != new:
                changes = [_change(name, getattr(old, name), getattr(new, name)) for name in Entry._fields
                           if name not in ignore and getattr(old, name) != getattr(new, name)]
                if changes:
                    lines.append(f"~ {path}: {', '.join(changes)}")
        return lines


def tree_digest(root, exclude=(), hash_cache=None, cache_before_ns=0):
    """Reads a tree. `exclude` holds patterns of absolute paths ('/var/lib/topsctl', '/tmp/topsrider_*'); what matches
    is left out with all below it, and the times of the folder it is in are not compared, for making it changes them.
    Content hashes are kept in `hash_cache` for files not changed since `cache_before_ns`."""
    reader = _Reader(os.fspath(root), tuple(exclude), hash_cache, cache_before_ns)
    reader.read("/", os.lstat(root))
    return Digest(sorted(reader.entries.items()))


class _Reader:
    def __init__(self, root, exclude, hash_cache, cache_before_ns):
        self.root = root.rstrip("/")
        self.exclude = re.compile("|".join(map(fnmatch.translate, exclude)) or r"(?!)")
        self.above_excluded = {os.path.dirname(pattern) for pattern in exclude}
        self.hash_cache = hash_cache
        self.cache_before_ns = cache_before_ns
        self.entries = {}

    def read(self, top, info):
        pending = [(top, info)]
        while pending:
            path, info = pending.pop()
            is_dir = stat.S_ISDIR(info.st_mode)
            holds_excluded = False
            if is_dir:
                with os.scandir(self.root + path) as children:
                    for child in children:
                        inside = path.rstrip("/") + "/" + child.name
                        if self.exclude.match(inside):
                            holds_excluded = True
                        else:
                            pending.append((inside, child.stat(follow_symlinks=False)))
                holds_excluded = holds_excluded or path in self.above_excluded
            self.entries[path] = self._entry(self.root + path, info, is_dir, holds_excluded)

    def _entry(self, path, info, is_dir, holds_excluded):
        kind = KINDS[stat.S_IFMT(info.st_mode)]
        return Entry(
            type=kind, mode=stat.S_IMODE(info.st_mode), uid=info.st_uid, gid=info.st_gid,
            size=None if is_dir else info.st_size,
            mtime_ns=None if holds_excluded else info.st_mtime_ns,
            rdev=info.st_rdev if kind in ("char", "block") else None,
            target=os.readlink(path) if kind == "link" else None,
            sha256=self._content(path, info) if kind == "file" else None,
            xattrs=_xattrs(path),
            nlink=None if is_dir else info.st_nlink)

    def _content(self, path, info):
        key = (info.st_dev, info.st_ino, info.st_mtime_ns, info.st_ctime_ns, info.st_size)
        cacheable = self.hash_cache is not None and info.st_ctime_ns < self.cache_before_ns
        if cacheable:
            # Two overlays have different device numbers over the same files.
            key = (path[len(self.root):], *key[1:])
            if key in self.hash_cache:
                return self.hash_cache[key]
        with open(path, "rb") as file:
            value = _sha256(file)
        if cacheable:
            self.hash_cache[key] = value
        return value


def _sha256(file):
    total = hashlib.sha256()
    while block := file.read(1 << 20):
        total.update(block)
    return total.hexdigest()


def _xattrs(path):
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError:
        return ()
    return tuple(sorted((name, os.getxattr(path, name, follow_symlinks=False)) for name in names))


def _change(name, old, new):
    if name == "mode":
        return f"mode {old:04o} -> {new:04o}"
    if name == "sha256":
        return f"content {_short(old)} -> {_short(new)}"
    return f"{name} {old} -> {new}"


def _short(value):
    return value[:12] if value else value
