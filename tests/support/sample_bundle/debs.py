# Debian packages: stages a tree, writes its control files and has dpkg-deb build it reproducibly.

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from .files import settle, write, write_filler

FILLER_FILE = 16 << 20
# The fastest level: the bulk of a package is filler that no level makes smaller.
COMPRESSION = {"gzip": ["-Zgzip", "-z1"], "xz": ["-Zxz", "-z1"], "none": ["-Znone"]}
MAINTAINER = "topsctl test doubles <doubles@example.invalid>"
DISCLAIMER = "Test double made for the tests of topsctl. It is no Enflame software and does no computing."


class DebTree:
    """The files of one package below a staging folder; paths are absolute paths of the target."""

    def __init__(self, folder, name, version, epoch):
        self.folder = Path(folder)
        self.name = name
        self.version = version
        self.epoch = epoch
        self.conffiles = []
        self.scripts = {}
        self.folder.mkdir(parents=True)

    def _path(self, target):
        path = self.folder / target.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def text(self, target, content, mode=0o644):
        write(self._path(target), content, mode)

    def conffile(self, target, content):
        self.text(target, content)
        self.conffiles.append(target)

    def copy(self, target, source, mode=0o644):
        path = self._path(target)
        shutil.copyfile(str(source), str(path))
        path.chmod(mode)

    def symlink(self, target, points_to):
        os.symlink(points_to, str(self._path(target)))

    def directory(self, target):
        self._path(target).mkdir()

    def filler(self, folder, size):
        """`size` bytes of filler in files of at most 16 MiB below `folder`."""
        number = 0
        while size > 0:
            part = min(size, FILLER_FILE)
            path = self._path("{}/kernels_{:02}.bin".format(folder, number))
            write_filler(path, "{} {} {}".format(self.name, self.version, number), part)
            path.chmod(0o644)
            size -= part
            number += 1

    def _regular_files(self):
        for folder, folders, names in os.walk(str(self.folder)):
            folders.sort()
            if folder == str(self.folder) and "DEBIAN" in folders:
                folders.remove("DEBIAN")
            for name in sorted(names):
                path = Path(folder) / name
                if not path.is_symlink():
                    yield path

    def _installed_kib(self):
        files = sum(-(-path.stat().st_size // 1024) for path in self._regular_files())
        return files + sum(len(folders) for _, folders, _ in os.walk(str(self.folder)))

    def _md5sums(self):
        lines = []
        for path in self._regular_files():
            relative = path.relative_to(self.folder).as_posix()
            if "/" + relative in self.conffiles:
                continue
            digest = hashlib.md5()
            with open(str(path), "rb") as stream:
                for block in iter(lambda: stream.read(1 << 20), b""):
                    digest.update(block)
            lines.append("{}  {}\n".format(digest.hexdigest(), relative))
        return "".join(lines)

    def build(self, output, compression, depends, section, summary):
        """Write the control files and build the package at `output`."""
        fields = [("Package", self.name), ("Version", self.version), ("Architecture", "amd64"),
                  ("Maintainer", MAINTAINER), ("Installed-Size", self._installed_kib()),
                  ("Depends", depends), ("Section", section), ("Priority", "optional"),
                  ("Description", "{} (test double)\n {}".format(summary, DISCLAIMER))]
        control = "".join("{}: {}\n".format(*field) for field in fields if field[1] != "")
        md5sums = self._md5sums()
        write(self.folder / "DEBIAN/control", control)
        write(self.folder / "DEBIAN/md5sums", md5sums)
        if self.conffiles:
            write(self.folder / "DEBIAN/conffiles", "".join(path + "\n" for path in self.conffiles))
        for name, content in self.scripts.items():
            write(self.folder / "DEBIAN" / name, content, 0o755)
        settle(self.folder, self.epoch)
        output.parent.mkdir(parents=True, exist_ok=True)
        environment = dict(os.environ, SOURCE_DATE_EPOCH=str(self.epoch), LC_ALL="C.UTF-8")
        subprocess.run(["dpkg-deb", "--root-owner-group"] + COMPRESSION[compression]
                       + ["-b", str(self.folder), str(output)],
                       check=True, env=environment, stdout=subprocess.DEVNULL)
        output.chmod(0o644)
        shutil.rmtree(str(self.folder))


def truncate(path, fraction):
    """Cut a file to this fraction of its length."""
    os.truncate(str(path), int(path.stat().st_size * fraction))
