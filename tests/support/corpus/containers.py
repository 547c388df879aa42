"""Bundles in archives and self-extracting files, sound and damaged, one in the other."""

import os
import re
import shutil
import tarfile
import zipfile

from .bad_debs import flipped
from .case import case
from .debs import Deb
from .formats import TAR_END, lzw, tar_entry
from .sound_debs import plain
from .wheels import Wheel, zip_info

BOTH = (("tops-demo", "2.5.136-1"), ("torch_demo", "1.10.0"))
TARS = {"tar": (), "tar.gz": ("--use-compress-program=gzip -n",), "tar.xz": ("--xz",), "tar.zst": ("--zstd",),
        "tar.bz2": ("--bzip2",), "tar.lz4": ("--use-compress-program=lz4",), "tgz": ("--use-compress-program=gzip -n",)}


def fill(place):
    """A small bundle: a deb and a wheel in folders, a script, a text."""
    for name in ("sdk", "framework"):
        (place / name).mkdir()
    plain().write(place / "sdk")
    Wheel().write(place / "framework")
    (place / "install.sh").write_text("#!/bin/sh\ntouch /tmp/this-must-never-run\nexit 1\n")
    (place / "install.sh").chmod(0o755)
    (place / "EULA.txt").write_text("a text\n")
    return place


@case("folder", packages=BOTH)
def _(shop):
    fill(shop.folder)


@case("folder-hidden", packages=BOTH)
def _(shop):
    (shop.folder / ".hidden").mkdir()
    fill(shop.folder / ".hidden")
    (shop.folder / "readme").write_text("nothing here\n")


@case("folder-archived-versions", packages=(("tops-demo", "2.4.87-1"), *BOTH))
def _(shop):
    fill(shop.folder)
    (shop.folder / "sdk" / "archived_versions").mkdir()
    plain(version="2.4.87-1").write(shop.folder / "sdk" / "archived_versions")


def tarred(suffix, options):
    @case(f"container-{suffix}", packages=BOTH)
    def build(shop):
        shop.tar(fill(shop.place("content")), f"bundle.{suffix}", *options)


for one in TARS.items():
    tarred(*one)


def zipped(place, output, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(output, "w") as archive:
        for path in sorted(place.rglob("*")):
            if path.is_file():
                archive.writestr(zip_info(path.relative_to(place).as_posix(), compression), path.read_bytes())


@case("container-zip", packages=BOTH)
def _(shop):
    zipped(fill(shop.place("content")), shop.folder / "bundle.zip")


@case("container-zip-stored", packages=BOTH)
def _(shop):
    zipped(fill(shop.place("content")), shop.folder / "bundle.zip", zipfile.ZIP_STORED)


@case("container-tar-in-zip-in-tar", packages=BOTH)
def _(shop):
    inner, outer = shop.place("inner"), shop.place("outer")
    shutil.move(shop.tar(fill(shop.place("content")), "inner.tar.xz", "--xz"), inner)
    zipped(inner, outer / "middle.zip")
    shop.tar(outer, "bundle.tar.gz", *TARS["tar.gz"])


@case("container-tar-with-sparse-file", packages=BOTH)
def _(shop):
    place = fill(shop.place("content"))
    with open(place / "disk.img", "wb") as image:
        image.truncate(8 << 20)
        image.seek(4 << 20)
        image.write(b"data in the middle")
    shop.tar(place, "bundle.tar", "--sparse")


@case("container-tar-with-links", packages=BOTH)
def _(shop):
    place = fill(shop.place("content"))
    os.link(place / "EULA.txt", place / "NOTICE.txt")
    (place / "latest").symlink_to("sdk")
    (place / "away").symlink_to("/etc/passwd")
    shop.tar(place, "bundle.tar.gz", *TARS["tar.gz"])


@case("container-pax", packages=BOTH)
def _(shop):
    place = fill(shop.place("content"))
    (place / ("文" * 60 + ".txt")).write_text("x\n")
    shop.tar(place, "bundle.tar.xz", "--xz", "--format=pax", "--pax-option=delete=atime,delete=ctime")


RUNS = {"gzip": (), "xz": ("--xz",), "bzip2": ("--bzip2",), "zstd": ("--zstd",), "lz4": ("--lz4",),
        "base64": ("--base64",), "plain": ("--nocomp",),
        "sha256": ("--sha256",), "md5-and-crc-off": ("--nomd5", "--nocrc")}


def run(name, options):
    @case(f"run-{name}", packages=BOTH)
    def build(shop):
        shop.makeself(fill(shop.place("content")), "bundle.run", *options)


for one in RUNS.items():
    run(*one)


def repacked(shop, name, data):
    """Gives a .run whose payload is a plain tar another payload, whose compression it names."""
    path = sound_run(shop, "--nocomp", "--nomd5", "--nocrc")
    head, _, payload = path.read_bytes().partition(b"\neval $finish; exit $res\n")
    assert payload
    head = head.replace(b"Compression: none", b"Compression: " + name.encode())
    payload = data(payload)
    head = re.sub(rb'filesizes="\d+"', b'filesizes="%d"' % len(payload), head)
    path.write_bytes(head + b"\neval $finish; exit $res\n" + payload)
    return path


@case("run-compress", packages=BOTH)
def _(shop):
    repacked(shop, "compress", lzw)


@case("run-compress-of-version-2.0", packages=BOTH)
def _(shop):
    # Before 2.1 the header has no `skip`, and calls head(1) in the old way.
    path = repacked(shop, "compress", lzw)
    head, _, payload = path.read_bytes().partition(b"\neval $finish; exit $res\n")
    lines = head.count(b"\n") + 2
    head = re.sub(rb"using Makeself [0-9.]+", b"using Makeself 2.0.1", head)
    head = re.sub(rb'\nskip="\d+"', b'\nused=""', head)
    head = re.sub(rb'offset=`head -n "\$skip" "\$(\w+)"', rb'offset=`head -%d "$\1"' % lines, head)
    assert b"offset=`head -%d " % lines in head and b"\nskip=" not in head
    path.write_bytes(head + b"\neval $finish; exit $res\n" + payload)


@case("run-of-lzo", ("runfile-not-understood",), exit=3, problem_contains="compressed with lzo")
def _(shop):
    repacked(shop, "lzo", lambda payload: b"\x89LZO\0\r\n\x1a\n" + payload)


@case("container-tar-of-lzo", ("container-unreadable",), exit=3, problem_contains="compressed with lzo")
def _(shop):
    (shop.folder / "bundle.tar.lzo").write_bytes(b"\x89LZO\0\r\n\x1a\n" + bytes(2000))


@case("container-tar.Z", packages=BOTH)
def _(shop):
    tar = shop.tar(fill(shop.place("content")), "bundle.tar")
    (shop.folder / "bundle.tar.Z").write_bytes(lzw(tar.read_bytes()))
    tar.unlink()


@case("run-nested-twice", packages=BOTH)
def _(shop):
    inner = shop.makeself(fill(shop.place("innermost")), "inner.run")
    middle = shop.place("middle")
    shutil.move(inner, middle / "inner.run")
    (middle / "readme").write_text("x\n")
    inner = shop.makeself(middle, "middle.run", "--xz", start="./start.sh")
    outer = shop.place("outer")
    shutil.move(inner, outer / "middle.run")
    shop.makeself(outer, "bundle.run", "--nocomp")


@case("run-in-tar", packages=BOTH)
def _(shop):
    place = shop.place("outer")
    shutil.move(shop.makeself(fill(shop.place("content")), "inner.run"), place / "inner.run")
    shop.tar(place, "bundle.tar.xz", "--xz")


def sound_run(shop, *options):
    place = fill(shop.place("content"))
    (place / "noise").write_bytes(b"".join(b"%d;" % (i * i) for i in range(20000)))
    return shop.makeself(place, "bundle.run", *options)


@case("run-md5-wrong", ("runfile-checksum-wrong",), exit=5, packages=BOTH)
def _(shop):
    path = sound_run(shop)
    data = path.read_bytes()
    digest = re.search(rb'MD5="([0-9a-f]{32})"', data).group(1)
    path.write_bytes(data.replace(digest, b"0123456789abcdef" * 2))


@case("run-sha256-wrong", ("runfile-checksum-wrong",), exit=5, packages=BOTH)
def _(shop):
    path = sound_run(shop, "--sha256")
    data = path.read_bytes()
    digest = re.search(rb'SHA="([0-9a-f]{64})"', data).group(1)
    path.write_bytes(data.replace(digest, b"0123456789abcdef" * 4))


@case("run-payload-changed", ("runfile-checksum-wrong",), may=("digest-mismatch", "container-unreadable"), exit=(3, 5))
def _(shop):
    path = sound_run(shop, "--nocomp")
    data = path.read_bytes()
    path.write_bytes(flipped(data, data.index(b"1000000;") + 2))


@case("run-with-hostile-packages", ("device-file", "wheel-runs-at-start"), exit=5)
def _(shop):
    place = fill(shop.place("content"))
    plain(version="2.6-1").raw("./dev/gcu", kind=tarfile.CHRTYPE).write(place / "sdk")
    Wheel(version="2.0").file("sitecustomize.py").write(place / "framework")
    shop.makeself(place, "bundle.run")


@case("run-cut", ("container-unreadable",), may=("runfile-checksum-wrong", "package-unreadable"), exit=3)
def _(shop):
    path = sound_run(shop)
    os.truncate(path, path.stat().st_size * 9 // 10)


@case("run-cut-in-header", ("container-unreadable|runfile-not-understood",), exit=3)
def _(shop):
    os.truncate(sound_run(shop), 5000)


@case("run-encrypted", ("container-unreadable",), exit=3, problem_contains="encrypted")
def _(shop):
    sound_run(shop, "--ssl-encrypt", "--ssl-passwd", "secret")


@case("run-payload-offset-beyond-end", ("container-unreadable|runfile-not-understood",),
      may=("runfile-checksum-wrong",), exit=3)
def _(shop):
    path = sound_run(shop)
    data = path.read_bytes()
    path.write_bytes(re.sub(rb'filesizes="\d+"', b'filesizes="99999999999999999999"', data))


@case("container-cut", ("container-unreadable",), may=("package-unreadable",), exit=3)
def _(shop):
    place = fill(shop.place("content"))
    (place / "noise").write_bytes(b"".join(b"%d;" % (i * i) for i in range(20000)))
    path = shop.tar(place, "bundle.tar.gz", *TARS["tar.gz"])
    os.truncate(path, path.stat().st_size * 9 // 10)


@case("container-zip-cut", ("container-unreadable",), exit=3)
def _(shop):
    path = shop.folder / "bundle.zip"
    zipped(fill(shop.place("content")), path)
    os.truncate(path, path.stat().st_size * 9 // 10)


@case("container-with-damaged-deb", ("package-unreadable",), exit=3)
def _(shop):
    place = fill(shop.place("content"))
    deb = next((place / "sdk").iterdir())
    os.truncate(deb, deb.stat().st_size // 2)
    shop.tar(place, "bundle.tar")


@case("container-entry-climbs-out", ("entry-escapes|container-unreadable",), exit=(3, 5))
def _(shop):
    deb = plain()
    path = deb.write(shop.place("deb"))
    (shop.folder / "bundle.tar").write_bytes(
        tar_entry(deb.file_name, path.read_bytes()) + tar_entry("../../etc/cron.d/x", b"x\n") + TAR_END)


@case("run-of-another-tool", ("runfile-not-understood",), packages=BOTH)
def _(shop):
    fill(shop.folder)
    (shop.folder / "install.run").write_text("#!/bin/sh\necho a script that is no archive\nexit 0\n")


@case("run-of-another-tool-alone", ("runfile-not-understood",), exit=3)
def _(shop):
    (shop.folder / "install.run").write_text("#!/bin/sh\necho a script that is no archive\nexit 0\n")


@case("container-of-nothing", may=("container-unreadable",), exit=3)
def _(shop):
    (shop.folder / "bundle.tar").write_bytes(tar_entry("readme", b"no package\n") + TAR_END)


@case("two-debs-of-one-name", packages=(("tops-demo", "2.4.87-1"), ("tops-demo", "2.5.136-1")))
def _(shop):
    Deb(version="2.4.87-1").write(shop.folder)
    Deb().write(shop.folder)
