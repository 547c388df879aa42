"""Archives that are small and claim to be huge: each ends with a finding, in bounded memory, and nothing is written."""

import os
import subprocess
import threading

from .case import case
from .debs import Deb
from .formats import (TAR_END, ar, compressed, octal, tar_entry, tar_header, zeros_file_tar, zeros_gzip, zeros_xz,
                      zeros_zstd)
from .wheels import Wheel, overlapping_zip

HUGE = 10 << 30
REFUSED = ("archive-bomb",)
STOPPED = ("archive-bomb|package-unreadable",)


def zeros(compression, make):
    @case(f"bomb-zeros-{compression}", REFUSED, may=("package-unreadable",), exit=(3, 5), bounded=True)
    def build(shop):
        Deb().write(shop.folder, compression, data=make(*zeros_file_tar("./opt", HUGE)))


zeros("xz", zeros_xz)
zeros("gzip", zeros_gzip)
zeros("zstd", zeros_zstd)


@case("bomb-zeros-in-control", STOPPED, exit=(3, 5), bounded=True)
def _(shop):
    deb = Deb()
    first, (_, _), data = deb.members()
    (shop.folder / deb.file_name).write_bytes(
        ar([first, ("control.tar.gz", zeros_gzip(*zeros_file_tar("./control", HUGE))), data]))


@case("bomb-control-field", STOPPED, exit=(3, 5), bounded=True)
def _(shop):
    # 200 MB in one field of the control file.
    deb = Deb().member("control", Deb().control_text() + "X-Long: " + "y" * (200 << 20) + "\n")
    deb.write(shop.folder)


@case("bomb-zeros-in-tar", ("archive-bomb|container-unreadable",), exit=(3, 5), bounded=True)
def _(shop):
    (shop.folder / "bundle.tar.xz").write_bytes(zeros_xz(*zeros_file_tar("./tops-demo_1_amd64.deb", HUGE)))


@case("bomb-zeros-in-wheel", STOPPED, exit=(3, 5), bounded=True)
def _(shop):
    wheel = Wheel()
    for index in range(16):
        wheel.file(f"torch_demo/zeros_{index}.bin", b"\0" * (64 << 20))
    wheel.write(shop.folder)


@case("bomb-overlapping-zip", ("archive-bomb|container-unreadable|duplicate-entry",), exit=(3, 5), bounded=True)
def _(shop):
    names = [f"demo_{index:05}-1.0-py3-none-any.whl" for index in range(20000)]
    (shop.folder / "bundle.zip").write_bytes(overlapping_zip(names, b"\0" * (16 << 20)))


@case("bomb-file-of-16-gib", STOPPED, exit=(3, 5), bounded=True)
def _(shop):
    head = tar_header("./", typeflag=b"5", mode=0o755) + tar_header("./opt", 16 << 30)
    Deb().write(shop.folder, data=compressed(head + b"x" * 4096, "xz"))


@case("bomb-file-of-8-exbibyte", STOPPED, exit=(3, 5), bounded=True)
def _(shop):
    head = tar_header("./", typeflag=b"5", mode=0o755) + tar_header("./opt", (1 << 63) - 1)
    Deb().write(shop.folder, data=compressed(head + b"x" * 4096, "xz"))


@case("bomb-negative-size", ("dpkg-refuses-package",), exit=5, bounded=True)
def _(shop):
    # Base-256 numbers can be negative.
    head = bytearray(tar_header("./opt", 0))
    head[124:136] = b"\xff" * 12
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    Deb().write(shop.folder, data=compressed(bytes(head) + TAR_END, "xz"))


@case("bomb-long-name", STOPPED, exit=(3, 5), bounded=True)
def _(shop):
    # A name of 256 MiB.
    name = b"./" + b"n" * (256 << 20)
    data = tar_header("././@LongLink", len(name), typeflag=b"L") + name + b"\0" * (-len(name) % 512)
    Deb().write(shop.folder, data=compressed(data + tar_entry("./x") + TAR_END, "xz"))


@case("bomb-long-pax-record", ("dpkg-refuses-package",), exit=5, bounded=True)
def _(shop):
    # dpkg takes no pax headers at all.
    body = b"path=" + b"n" * (256 << 20) + b"\n"
    body = b"%d " % (len(body) + 10) + body
    data = tar_entry("./PaxHeaders/x", body, typeflag=b"x")
    Deb().write(shop.folder, data=compressed(data + tar_entry("./x") + TAR_END, "xz"))


def many_entries(thousands):
    """A tar with that many thousand empty files, each with a name of its own, piece by piece."""
    # The checksum of a header depends on the sum of the digits alone: 28 pieces serve for all.
    pieces = {}
    for index in range(thousands):
        number = b"%04d" % index
        total = sum(number) - 4 * ord("0")
        if total not in pieces:
            pieces[total] = b"".join(_numbered(total, last) for last in range(1000))
        yield pieces[total].replace(b"PPPP", number)
    yield TAR_END


def _numbered(total, last):
    head = bytearray(tar_header(b"./PPPP%03d" % last))
    check = int(head[148:154], 8) - 4 * ord("P") + 4 * ord("0") + total
    head[148:156] = octal(check, 7) + b" "
    return bytes(head)


@case("bomb-three-million-entries", ("archive-bomb|package-unreadable",), exit=(3, 5), bounded=True)
def _(shop):
    packer = subprocess.Popen(["zstd", "-1", "-q", "-c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    data = _fed(packer, many_entries(3000))
    Deb().write(shop.folder, "zstd", data=data)


def _fed(packer, chunks):
    # What zstd has written must be read while it is fed, or both would wait for ever.
    out = []
    reader = threading.Thread(target=lambda: out.append(packer.stdout.read()))
    reader.start()
    for chunk in chunks:
        packer.stdin.write(chunk)
    packer.stdin.close()
    reader.join()
    assert packer.wait() == 0
    return out[0]


@case("bomb-million-zip-entries", STOPPED, exit=(3, 5), bounded=True)
def _(shop):
    wheel = Wheel()
    wheel.write(shop.folder, data=overlapping_zip([f"d/{index:07}" for index in range(1000000)], b""))


@case("bomb-thousand-tars-deep", ("container-unreadable|archive-bomb",), exit=(3, 5), bounded=True)
def _(shop):
    data = tar_entry("readme", b"the end") + TAR_END
    for _ in range(1000):
        data = tar_entry("inner.tar", data) + TAR_END
    (shop.folder / "outer.tar").write_bytes(data)


@case("bomb-hundred-gzips-deep", ("container-unreadable|archive-bomb",), exit=(3, 5), bounded=True)
def _(shop):
    data = tar_entry("readme", b"the end") + TAR_END
    for _ in range(100):
        data = compressed(tar_entry("inner.tar.gz", data) + TAR_END, "gzip")
    (shop.folder / "outer.tar.gz").write_bytes(data)


@case("folder-with-loops", packages=(("tops-demo", "2.5.136-1"),))
def _(shop):
    Deb().write(shop.folder)
    (shop.folder / "loop").symlink_to(".")
    (shop.folder / "one").symlink_to("two")
    (shop.folder / "two").symlink_to("one")
    (shop.folder / "inner").mkdir()
    (shop.folder / "inner" / "up").symlink_to("..")


@case("folder-with-pipe", packages=(("tops-demo", "2.5.136-1"),))
def _(shop):
    # Opening a pipe would wait for ever.
    Deb().write(shop.folder)
    os.mkfifo(shop.folder / "pipe.deb")
