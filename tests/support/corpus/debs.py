"""Writes debs member by member, so that each of them can be as odd as a case wants it."""

import hashlib
import io
import os
import subprocess
import tarfile
from pathlib import PurePosixPath

from .formats import EPOCH, SUFFIX, ar, compressed

MAINTAINER = "topsctl test doubles <doubles@example.invalid>"


def tar_of(entries, form=tarfile.GNU_FORMAT, **options):
    """A tar with these (TarInfo, bytes) entries."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form, **options) as archive:
        for info, content in entries:
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def entry(path, kind=tarfile.REGTYPE, mode=0o644, size=0, link="", owner="root", number=0):
    info = tarfile.TarInfo(path)
    info.type, info.mode, info.size, info.linkname = kind, mode, size, link
    info.uid = info.gid = number
    info.uname = info.gname = owner
    info.mtime = EPOCH
    return info


class Deb:
    """One deb to be: control fields, files, scripts; what is not said is what dpkg-deb would write."""

    def __init__(self, name="tops-demo", version="2.5.136-1", architecture="amd64", **fields):
        self.fields = {"Package": name, "Version": version, "Architecture": architecture, "Maintainer": MAINTAINER,
                       **{key.replace("_", "-"): value for key, value in fields.items()},
                       "Description": "a deb made for a test\n It is a test double and holds nothing of a vendor's."}
        self.entries = [(entry("./", tarfile.DIRTYPE, 0o755), b"")]
        self.folders = {"."}
        self.control = {}
        self.md5sums = {}  # path without leading '/' -> digest
        self.has_md5sums = True

    @property
    def file_name(self):
        version = self.fields["Version"].partition(":")[2] or self.fields["Version"]
        return f"{self.fields['Package']}_{version}_{self.fields['Architecture']}.deb"

    def folder(self, path, mode=0o755):
        """This folder and those above it, each once."""
        for one in [*reversed(PurePosixPath(path).parents), PurePosixPath(path)]:
            if str(one) not in self.folders and str(one) != "/":
                self.folders.add(str(one))
                self.entries.append((entry(f"./{str(one).lstrip('/')}", tarfile.DIRTYPE, mode), b""))
        return self

    def file(self, path, content=b"content\n", mode=0o644, **more):
        content = content.encode() if isinstance(content, str) else content
        self.folder(PurePosixPath(path).parent)
        self.entries.append((entry("." + path, mode=mode, size=len(content), **more), content))
        self.md5sums[path.lstrip("/")] = hashlib.md5(content).hexdigest()
        return self

    def link(self, path, target):
        self.folder(PurePosixPath(path).parent)
        self.entries.append((entry("." + path, tarfile.SYMTYPE, 0o777, link=target), b""))
        return self

    def hard_link(self, path, target):
        self.folder(PurePosixPath(path).parent)
        self.entries.append((entry("." + path, tarfile.LNKTYPE, link="." + target), b""))
        self.md5sums[path.lstrip("/")] = self.md5sums[target.lstrip("/")]
        return self

    def raw(self, name, content=b"", **more):
        """An entry with just this name, whatever it is."""
        self.entries.append((entry(name, size=len(content), **more), content))
        return self

    def script(self, name, text):
        self.control[name] = (text.encode(), 0o755)
        return self

    def member(self, name, text, mode=0o644):
        self.control[name] = (text.encode() if isinstance(text, str) else text, mode)
        return self

    def control_text(self):
        return "".join(f"{key}: {value}\n" for key, value in self.fields.items())

    def control_tar(self, prefix="./"):
        members = {"control": (self.control_text().encode(), 0o644)}
        if self.has_md5sums:
            lines = "".join(f"{digest}  {path}\n" for path, digest in self.md5sums.items())
            members["md5sums"] = (lines.encode(), 0o644)
        members.update(self.control)
        entries = [(entry("./", tarfile.DIRTYPE, 0o755), b"")] if prefix == "./" else []
        return tar_of(entries + [(entry(prefix + name, mode=mode, size=len(data)), data)
                                 for name, (data, mode) in members.items()])

    def data_tar(self, **options):
        return tar_of(self.entries, **options)

    def members(self, compression="xz", control_compression="gzip", data=None):
        """(name, bytes) of the three members of the ar archive; `data` is a ready data archive."""
        return [("debian-binary", b"2.0\n"),
                ("control.tar" + SUFFIX[control_compression], compressed(self.control_tar(), control_compression)),
                ("data.tar" + SUFFIX[compression],
                 compressed(self.data_tar(), compression) if data is None else data)]

    def write(self, folder, compression="xz", name=None, **options):
        path = folder / (name or self.file_name)
        path.write_bytes(ar(self.members(compression, **options)))
        return path

    def build(self, folder, scratch, *options, name=None):
        """The deb as the real dpkg-deb writes it."""
        tree = scratch / "tree"
        with tarfile.open(fileobj=io.BytesIO(self.data_tar())) as archive:
            archive.extractall(tree)
        with tarfile.open(fileobj=io.BytesIO(self.control_tar())) as archive:
            archive.extractall(tree / "DEBIAN")
        for place, _, _ in os.walk(tree):
            os.utime(place, (EPOCH, EPOCH))
        path = folder / (name or self.file_name)
        subprocess.run(["dpkg-deb", "--root-owner-group", *options, "--build", tree, path], check=True,
                       stdout=subprocess.DEVNULL,
                       env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH), "LC_ALL": "C.UTF-8"})
        return path
