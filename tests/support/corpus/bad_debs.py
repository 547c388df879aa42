"""Debs that are damaged, hostile or wrong in themselves, whatever machine they go to."""

import tarfile

from .case import case
from .debs import Deb
from .formats import TAR_END, ar, ar_member, compressed, tar_entry, tar_header
from .native import for_machine
from .sound_debs import plain

UNREADABLE = ("package-unreadable",)
REFUSED = ("dpkg-refuses-package",)


def flipped(data, position):
    return data[:position] + bytes([data[position] ^ 0x10]) + data[position + 1:]


def cut(name, length_of):
    @case(f"deb-cut-{name}", UNREADABLE, exit=3)
    def build(shop):
        deb = plain().file("/opt/tops/share/noise", bytes(index * index % 251 for index in range(20000)))
        data = ar(deb.members())
        (shop.folder / deb.file_name).write_bytes(data[:length_of(data)])


cut("to-nothing", lambda data: 0)
cut("in-magic", lambda data: 5)
cut("in-first-header", lambda data: 40)
cut("in-control", lambda data: data.index(b"control.tar.gz") + 60 + 100)
cut("before-data", lambda data: data.index(b"data.tar.xz"))
cut("in-data-header", lambda data: data.index(b"data.tar.xz") + 30)
cut("in-data", lambda data: (data.index(b"data.tar.xz") + len(data)) // 2)
cut("by-one-byte", lambda data: len(data.rstrip(b"\n")) - 1)


@case("deb-empty-data-member", UNREADABLE, exit=3)
def _(shop):
    deb = plain()
    (shop.folder / deb.file_name).write_bytes(ar([*deb.members()[:2], ("data.tar.xz", b"")]))


@case("deb-cut-in-plain-tar", UNREADABLE, exit=3)
def _(shop):
    # The ar member is whole, the tar in it ends within a file.
    deb = Deb().file("/opt/tops/share/long", b"x" * 4096)
    deb.write(shop.folder, "none", data=body_of(deb)[:-1024])


def bit_flip(name, ids, exit, compression, marker, offset):
    @case(f"deb-bit-flip-in-{name}", ids, exit=exit)
    def build(shop):
        deb = plain().file("/opt/tops/share/noise", b"".join(b"%d;" % (index * index) for index in range(3000)))
        data = ar(deb.members(compression))
        (shop.folder / deb.file_name).write_bytes(flipped(data, data.index(marker) + offset))


bit_flip("xz-data", UNREADABLE, 3, "xz", b"data.tar.xz", 60 + 3000)
bit_flip("gzip-data", ("package-unreadable|digest-mismatch",), (3, 5), "gzip", b"data.tar.gz", 60 + 3000)
bit_flip("zstd-data", ("package-unreadable|digest-mismatch",), (3, 5), "zstd", b"data.tar.zst", 60 + 3000)
bit_flip("plain-data", ("digest-mismatch",), 5, "none", b"1000000;", 2)
bit_flip("tar-header", UNREADABLE, 3, "none", b"./opt/tops/share/noise", 3)
bit_flip("control", UNREADABLE, 3, "xz", b"control.tar.gz", 60 + 250)


@case("deb-unknown-member-before-data", REFUSED, exit=5)
def _(shop):
    deb = plain()
    members = deb.members()
    (shop.folder / deb.file_name).write_bytes(ar([*members[:2], ("extra.tar.gz", b"what is this"), *members[2:]]))


@case("deb-format-3", REFUSED, exit=5, problem_contains="3.0")
def _(shop):
    deb = plain()
    (shop.folder / deb.file_name).write_bytes(ar([("debian-binary", b"3.0\n"), *deb.members()[1:]]))


@case("deb-without-control", UNREADABLE, exit=3)
def _(shop):
    deb = plain()
    (shop.folder / deb.file_name).write_bytes(ar([deb.members()[0], deb.members()[2]]))


@case("deb-control-without-version", REFUSED, exit=5)
def _(shop):
    deb = plain()
    del deb.fields["Version"]
    deb.write(shop.folder, name="tops-demo_1_amd64.deb")


@case("deb-is-html", UNREADABLE, exit=3)
def _(shop):
    (shop.folder / "tops-demo_1_amd64.deb").write_text("<!DOCTYPE html>\n<title>404 Not Found</title>\n")


@case("deb-size-field-ten-digits", UNREADABLE, exit=3)
def _(shop):
    deb = plain()
    first, second, (name, data) = deb.members()
    (shop.folder / deb.file_name).write_bytes(ar([first, second]) + ar_member(name, data, size=9999999999))


@case("deb-size-field-negative", UNREADABLE, exit=3)
def _(shop):
    deb = plain()
    first, second, (name, data) = deb.members()
    (shop.folder / deb.file_name).write_bytes(ar([first, second]) + ar_member(name, data, size=-1))


@case("deb-sparse-entry", REFUSED, exit=5)
def _(shop):
    # dpkg refuses GNU sparse files: there is no telling how large they are.
    deb = plain()
    sparse = tar_header("./opt/tops/share/sparse", 512, typeflag=b"S") + b"x" * 512
    deb.write(shop.folder, data=with_entries(deb, sparse))


def body_of(deb):
    """The entries of the data archive without what ends it."""
    entries = deb.data_tar()
    while entries[-512:] == bytes(512):
        entries = entries[:-512]
    return entries


def with_entries(deb, *entries):
    return compressed(body_of(deb) + b"".join(entries) + TAR_END, "xz")


@case("deb-md5sums-differ", ("digest-mismatch",), exit=5, evidence=("opt/tops/share/text",))
def _(shop):
    deb = plain()
    deb.md5sums["opt/tops/share/text"] = "0" * 32
    deb.write(shop.folder)


@case("deb-listed-file-missing", ("listed-file-missing",), exit=5, evidence=("opt/tops/lib/libeccl.so",))
def _(shop):
    deb = plain()
    deb.md5sums["opt/tops/lib/libeccl.so"] = "0" * 32
    deb.write(shop.folder)


@case("deb-setuid-file", ("setuid-file",), evidence=("/opt/tops/bin/helper",))
def _(shop):
    plain().file("/opt/tops/bin/helper", b"#!/bin/sh\n", 0o4755).write(shop.folder)


@case("deb-setgid-file", ("setuid-file",), evidence=("/opt/tops/bin/helper",))
def _(shop):
    plain().file("/opt/tops/bin/helper", b"#!/bin/sh\n", 0o2755).write(shop.folder)


@case("deb-world-writable-file", ("world-writable-file",), evidence=("/opt/tops/share/free",))
def _(shop):
    plain().file("/opt/tops/share/free", b"x\n", 0o666).write(shop.folder)


@case("deb-library-open-to-others", ("library-open-to-others",), exit=5, evidence=("/opt/tops/lib/libfree.so",))
def _(shop):
    plain().file("/opt/tops/lib/libfree.so", shop.native.library("libfree.so"), 0o666).write(shop.folder)


@case("deb-libraries-below-a-sticky-directory", ("library-open-to-others",), exit=5, evidence=("/opt/tops/lib",))
def _(shop):
    plain().folder("/opt/tops/lib", 0o1777).file("/opt/tops/lib/libfree.so", shop.native.library("libfree.so")).write(shop.folder)


@case("deb-instructions-open-to-others", ("adds-loader-path", "adds-service", "library-open-to-others"), exit=5, evidence=("/etc/ld.so.conf.d/free.conf",))
def _(shop):
    deb = plain().file("/etc/ld.so.conf.d/free.conf", b"/opt/tops/lib\n", 0o666)
    deb.file("/lib/systemd/system/free.service", b"[Service]\nExecStart=/bin/true\n", 0o646)
    deb.file("/usr/lib/python3/dist-packages/free.py", b"", 0o666).write(shop.folder)


@case("deb-entry-climbs-out", ("entry-escapes",), exit=5, evidence=("etc/cron.d/x",))
def _(shop):
    plain().raw("../../etc/cron.d/x", b"* * * * * root true\n").write(shop.folder)


@case("deb-entry-climbs-out-inside", ("entry-escapes",), exit=5)
def _(shop):
    plain().raw("./opt/../../../etc/cron.d/x", b"* * * * * root true\n").write(shop.folder)


@case("deb-link-escapes", ("link-escapes",), exit=5, evidence=("opt/tops/up",))
def _(shop):
    deb = plain().raw("./opt/tops/up", kind=tarfile.SYMTYPE, link="../../../..")
    deb.raw("./opt/tops/up/etc/cron.d/x", b"* * * * * root true\n").write(shop.folder)


def hard_link(name, target, *before):
    @case(f"deb-hard-link-{name}", ("hard-link-outside",), exit=5, evidence=("opt/tops/shadow",))
    def build(shop):
        deb = plain()
        for path, more in before:
            deb.raw(path, **more)
        # dpkg would give /etc/shadow the entry's mode.
        deb.raw("./opt/tops/shadow", kind=tarfile.LNKTYPE, link=target, mode=0o666)
        deb.file("/opt/tops/z-later").write(shop.folder)


hard_link("escapes", "../../etc/shadow")
hard_link("to-the-host", "./etc/shadow")
hard_link("to-a-later-file", "./opt/tops/z-later")
hard_link("behind-a-link", "./opt/out/shadow", ("./opt/out", {"kind": tarfile.SYMTYPE, "link": "/etc"}))
hard_link("to-a-link", "./opt/out", ("./opt/out", {"kind": tarfile.SYMTYPE, "link": "/etc/shadow"}))
hard_link("to-itself", "./opt/tops/shadow")


@case("deb-duplicate-entry", ("duplicate-entry",), may=("digest-mismatch",), exit=5, evidence=("opt/tops/share/text",))
def _(shop):
    plain().raw("./opt/tops/share/text", b"another text\n").write(shop.folder)


@case("deb-duplicate-under-another-spelling", ("duplicate-entry",), may=("digest-mismatch",), exit=5)
def _(shop):
    plain().raw("./opt//tops/./share/text", b"another text\n").write(shop.folder)


@case("deb-character-device", ("device-file",), exit=5, evidence=("dev/gcu0",))
def _(shop):
    deb = plain().folder("/dev")
    device = tar_entry("./dev/gcu0", typeflag=b"3", device=(240, 0), mode=0o660)
    deb.write(shop.folder, data=with_entries(deb, device))


@case("deb-block-device", ("device-file",), exit=5)
def _(shop):
    deb = plain().folder("/dev")
    deb.write(shop.folder, data=with_entries(deb, tar_entry("./dev/sdz", typeflag=b"4", device=(8, 0))))


@case("deb-pipe", ("device-file",), exit=5, evidence=("run/pipe",))
def _(shop):
    plain().raw("./run/pipe", kind=tarfile.FIFOTYPE).write(shop.folder)


@case("deb-name-turned-around", ("bad-entry-name",), exit=5)
def _(shop):
    # A terminal shows "hs.gnp".
    plain().file("/opt/tops/share/\u202egnp.sh", b"x\n").write(shop.folder)


@case("deb-too-deep", UNREADABLE, exit=3, problem_contains="nested more than 128 directories")
def _(shop):
    plain().raw("./opt/" + "d/" * 900 + "file").write(shop.folder)


@case("deb-shadows-python", ("shadows-system-program",), exit=5, evidence=("/usr/local/bin/python3",))
def _(shop):
    plain().file("/usr/local/bin/python3", b"#!/bin/sh\n", 0o755).write(shop.folder)


@case("deb-shadows-dpkg", ("shadows-system-program",), exit=5, evidence=("/usr/local/sbin/dpkg",))
def _(shop):
    plain().file("/usr/local/sbin/dpkg", b"#!/bin/sh\n", 0o755).write(shop.folder)


@case("deb-unknown-entry-type", REFUSED, exit=5)
def _(shop):
    deb = plain()
    deb.write(shop.folder, data=with_entries(deb, tar_entry("./opt/tops/odd", typeflag=b"Z")))


@case("deb-name-with-control-characters", ("bad-entry-name",), exit=5)
def _(shop):
    plain().file("/opt/tops/share/\x1b[2J\x07name", b"x\n").write(shop.folder)


@case("deb-stub-library", ("library-not-elf",), exit=5, evidence=("libeccl.so",))
def _(shop):
    Deb("tops-eccl").file("/usr/lib/libeccl.so", b"0123456789abcdef").write(shop.folder)


@case("deb-library-cut-short", ("elf-damaged",), evidence=("libeccl.so",))
def _(shop):
    library = shop.native.library("libeccl.so")
    Deb("tops-eccl").file("/usr/lib/libeccl.so", library[:len(library) // 3]).write(shop.folder)


@case("deb-other-machine", ("elf-wrong-machine",), exit=5, evidence=("aarch64",))
def _(shop):
    library = for_machine(shop.native.library("libeccl.so"))
    Deb("tops-eccl").file("/usr/lib/libeccl.so", library).write(shop.folder)


@case("deb-library-in-arch-all", ("elf-in-arch-all",))
def _(shop):
    library = shop.native.library("libeccl.so")
    Deb("tops-eccl", architecture="all").file("/usr/lib/libeccl.so", library).write(shop.folder)


@case("deb-run-path-in-tmp", ("search-path-insecure",), evidence=("/tmp/build/lib",))
def _(shop):
    library = shop.native.library("libeccl.so", run_path="/tmp/build/lib")
    Deb("tops-eccl").file("/usr/lib/libeccl.so", library).write(shop.folder)


@case("deb-run-path-relative", ("search-path-insecure",), evidence=("../lib",))
def _(shop):
    library = shop.native.library("libeccl.so", run_path="../lib")
    Deb("tops-eccl").file("/usr/lib/libeccl.so", library).write(shop.folder)


@case("deb-run-path-of-origin", absent=("search-path-insecure",))
def _(shop):
    library = shop.native.library("libeccl.so", run_path="$ORIGIN/../lib")
    Deb("tops-eccl").file("/usr/lib/libeccl.so", library).write(shop.folder)


@case("deb-kernel-module", ("adds-kernel-module",))
def _(shop):
    plain().file("/lib/modules/5.4.0-100-generic/extra/enflame.ko", b"not really a module\n").write(shop.folder)
