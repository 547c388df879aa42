"""The parts of a sound deb, and the list of cases that each replace one of them."""

import tarfile
from dataclasses import dataclass

from support.corpus.debs import entry, tar_of
from support.corpus.formats import TAR_END, ar_member, compressed, padded, tar_header

CONTROL = """Package: tops-demo
Version: 2.5.136-1
Architecture: amd64
Maintainer: topsctl test doubles <doubles@example.invalid>
Description: a deb made for a test
"""
NAME, MTIME, CHECKSUM, TYPE, MAGIC = (0, 100), (136, 12), (148, 8), (156, 1), (257, 8)
MODE, UID, GID, SIZE = (100, 8), (108, 8), (116, 8), (124, 12)
CASES = []


@dataclass(frozen=True)
class Case:
    rule: str  # the row of the table in docs
    name: str
    deb: bytes


def add(rule, name, deb):
    assert all((one.rule, one.name) != (rule, name) for one in CASES), name
    CASES.append(Case(rule, name, deb))


def folder(name):
    return tar_header(name, typeflag=b"5", mode=0o755)


def file(name, content=b"content\n", **more):
    return tar_header(name, len(content), **more) + padded(content)


def patched(block, field, value):
    """A header with another value in one of its fields, and the checksum that goes with it."""
    at, width = field
    block = block[:at] + value.ljust(width, b"\0")[:width] + block[at + width:]
    if field == CHECKSUM:
        return block
    blank = block[:148] + b" " * 8 + block[156:512]
    return block[:148] + b"%06o\0 " % sum(blank) + block[156:]


FOLDERS = folder("./") + folder("./opt/") + folder("./opt/tops-demo/")
FILES = FOLDERS + file("./opt/tops-demo/a")


def data_tar(*more, start=FILES, end=TAR_END):
    return start + b"".join(more) + end


def control_tar(text=CONTROL, **members):
    """The control archive with these members beside the control file."""
    entries = [(entry("./", tarfile.DIRTYPE, 0o755), b"")]
    for name, content in {"control": text, **members}.items():
        content = content if isinstance(content, bytes) else content.encode()
        entries.append((entry(f"./{name}", size=len(content)), content))
    return tar_of(entries)


def deb(control=None, data=None, version=b"2.0\n", form="none", between=b"", after=b""):
    """A deb of these archives, which are not compressed unless `form` says so."""
    suffix = {"none": "", "gzip": ".gz", "xz": ".xz"}[form]
    return (b"!<arch>\n" + ar_member("debian-binary", version)
            + ar_member("control.tar" + suffix, compressed(control_tar() if control is None else control, form))
            + between
            + ar_member("data.tar" + suffix, compressed(data_tar() if data is None else data, form)) + after)
