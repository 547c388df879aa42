"""Debs that are sound, however unusual: every one is accepted, read to the end, and found without fault."""

import subprocess
import tarfile

from .case import case
from .debs import Deb
from .formats import TAR_END, ar, compressed, pax_entry, tar_entry, tar_header

PACKAGE = (("tops-demo", "2.5.136-1"),)


def plain(**fields):
    return (Deb(**fields).file("/opt/tops/bin/demo", "#!/bin/sh\nexit 0\n", 0o755)
            .file("/opt/tops/share/text", "a text\n").link("/usr/bin/demo", "/opt/tops/bin/demo"))


def by_dpkg(compression):
    @case(f"deb-{compression}", packages=PACKAGE)
    def build(shop):
        plain().build(shop.folder, shop.scratch / shop.folder.name, f"-Z{compression}", "--uniform-compression")


def by_hand(name, compression, control_compression):
    @case(name, packages=PACKAGE)
    def build(shop):
        plain().write(shop.folder, compression, control_compression=control_compression)


for one in ("none", "gzip", "xz", "zstd"):
    by_dpkg(one)
for one in ("bzip2", "lzma"):
    by_hand(f"deb-{one}", one, "gzip")
for one in ("none", "xz", "zstd"):
    by_hand(f"deb-control-{one}", "gzip", one)


@case("deb-old-format", packages=PACKAGE)
def _(shop):
    plain().build(shop.folder, shop.scratch / shop.folder.name, "--deb-format=0.939000", "-Zgzip")


@case("deb-old-format-control-in-debian-folder", packages=PACKAGE)
def _(shop):
    deb = plain()
    control = compressed(deb.control_tar("DEBIAN/"), "gzip")
    data = compressed(deb.data_tar(), "gzip")
    (shop.folder / deb.file_name).write_bytes(b"0.939000\n%d\n" % len(control) + control + data)


@case("deb-names-with-slash", packages=PACKAGE)
def _(shop):
    deb = plain()
    place = shop.place("members")
    for name, data in deb.members():
        (place / name).write_bytes(data)
    subprocess.run(["ar", "rcD", shop.folder / deb.file_name, *(name for name, _ in deb.members())], cwd=place,
                   check=True)
    assert b"debian-binary/" in (shop.folder / deb.file_name).read_bytes()


@case("deb-signature-before-data", packages=PACKAGE)
def _(shop):
    deb = plain()
    members = deb.members()
    (shop.folder / deb.file_name).write_bytes(ar(members[:1] + [("_gpgbuilder", b"x")] + members[1:2]
                                                 + [("_gpgorigin", b"signature\n" * 7)] + members[2:]))


@case("deb-member-after-data", packages=PACKAGE)
def _(shop):
    deb = plain()
    (shop.folder / deb.file_name).write_bytes(ar(deb.members() + [("_gpgorigin", b"odd"), ("whatever", b"ignored")]))


@case("deb-odd-sizes", packages=PACKAGE)
def _(shop):
    # Each member but the first has an odd number of bytes and a byte of padding after it, the last one none.
    deb = plain()
    while True:
        members = deb.members("gzip")
        if all(len(data) % 2 for _, data in members[1:]):
            break
        deb.file(f"/opt/tops/share/more-{len(deb.entries)}", f"{len(deb.entries)}\n")
    (shop.folder / deb.file_name).write_bytes(ar(members)[:-1])


@case("deb-odd-byte-after-tar", packages=PACKAGE)
def _(shop):
    # dpkg does not look at what follows the end of the tar.
    deb = plain()
    deb.write(shop.folder, "none", data=deb.data_tar() + b"\0")


@case("deb-minor-format-version", packages=PACKAGE)
def _(shop):
    deb = plain()
    (shop.folder / deb.file_name).write_bytes(ar([("debian-binary", b"2.1\n"), *deb.members()[1:]]))


def deep_tree():
    name = "/opt/tops/" + "/".join(["a-rather-long-folder-name"] * 6)
    return (Deb().file(f"{name}/file-" + "n" * 120, "x\n").link(f"{name}/link", "../" * 5 + "l" * 130)
            .file(f"{name}/{'m' * 90}.txt", "y\n"))


@case("deb-long-names", packages=PACKAGE)
def _(shop):
    deb = deep_tree()
    assert b"././@LongLink" in deb.data_tar()
    deb.write(shop.folder)


@case("deb-pax-headers", ("dpkg-refuses-package",), exit=5, problem_contains="pax header")
def _(shop):
    deb = deep_tree().file("/opt/tops/文件-é.txt", "z\n")
    deb.write(shop.folder, data=compressed(deb.data_tar(form=tarfile.PAX_FORMAT), "xz"))


@case("deb-ustar-prefix", packages=PACKAGE)
def _(shop):
    path = "/opt/tops/" + "/".join(["sixteen-letters-"] * 8)
    deb = Deb().file(f"{path}/file", "x\n")
    deb.write(shop.folder, data=compressed(deb.data_tar(form=tarfile.USTAR_FORMAT), "xz"))


@case("deb-v7-tar", packages=PACKAGE)
def _(shop):
    deb = plain()
    entries = b"".join(
        tar_entry(info.name + ("/" if info.isdir() and not info.name.endswith("/") else ""), data, magic=b"",
                  typeflag=b"2" if info.issym() else b"\0", link=info.linkname, mode=info.mode)
        for info, data in deb.entries)
    deb.write(shop.folder, data=compressed(entries + TAR_END, "gzip"), compression="gzip")


@case("deb-no-end-of-tar", packages=PACKAGE)
def _(shop):
    # dpkg takes the end of the file for the end of the archive.
    deb = plain()
    deb.write(shop.folder, data=compressed(_without_end(deb.data_tar()), "xz"))


def _without_end(tar):
    while tar[-512:] == b"\0" * 512:
        tar = tar[:-512]
    return tar


@case("deb-hard-links", packages=PACKAGE)
def _(shop):
    deb = Deb().file("/opt/tops/bin/one", b"program\n" * 100, 0o755)
    deb.hard_link("/opt/tops/bin/two", "/opt/tops/bin/one").hard_link("/opt/tops/bin/three", "/opt/tops/bin/two")
    deb.build(shop.folder, shop.scratch / shop.folder.name)


@case("deb-without-md5sums", info=("digest-list-missing",), packages=PACKAGE)
def _(shop):
    deb = plain()
    deb.has_md5sums = False
    deb.write(shop.folder)


@case("deb-least-fields", info=("digest-list-missing",), packages=(("tops-demo", "1"),))
def _(shop):
    deb = Deb(version="1")
    deb.fields = {"Package": "tops-demo", "Version": "1", "Architecture": "all", "Maintainer": "x <x@example.invalid>",
                  "Description": "least"}
    deb.has_md5sums = False
    deb.write(shop.folder)


@case("deb-folded-depends", packages=PACKAGE)
def _(shop):
    plain(Pre_Depends="dpkg (>= 1.15.6~)", Depends=(
        "libc6 (>= 2.27),\n libelf1 | libelf1t64 (>= 0.176-1.1~rc1+x),\n\tpython3:any (>= 3.6~),\n"
        " tops-eccl (= 1:2.5.136-1),\n foo:amd64 (<< 2:1.0) | foo-nox, bar (>> 0~)"),
          Provides="tops-sdk-abi (= 2.5), tops-virtual", Multi_Arch="foreign").write(shop.folder)


@case("deb-epoch-and-tilde", packages=(("tops-demo", "1:2.5.136~rc1+gcu-1.1"),))
def _(shop):
    plain(version="1:2.5.136~rc1+gcu-1.1").write(shop.folder)


@case("deb-fields-in-other-case", packages=PACKAGE)
def _(shop):
    # Field names have no case (policy 5.1); blanks around the value do not count.
    deb = plain()
    text = deb.control_text().replace("Package: ", "PACKAGE:\t ").replace("Version: ", "version:").replace(
        "Architecture: amd64", "Architecture:   amd64  ")
    deb.member("control", text).write(shop.folder)


@case("deb-conffiles", packages=PACKAGE)
def _(shop):
    # A conffile is not in md5sums: that is usual and no fault.
    deb = plain().file("/etc/tops/demo.conf", "level = 1\n")
    del deb.md5sums["etc/tops/demo.conf"]
    deb.member("conffiles", "/etc/tops/demo.conf\n").write(shop.folder)


@case("deb-no-files", packages=PACKAGE)
def _(shop):
    Deb().write(shop.folder)


@case("deb-usual-links", packages=PACKAGE, absent=("link-escapes",))
def _(shop):
    (plain().link("/usr/share/tops/a", "../../lib/tops").link("/usr/share/tops/b", "/usr/lib/tops")
     .link("/usr/share/tops/dangling", "not-there").link("/usr/share/tops/top", "../../..")).write(shop.folder)


@case("deb-names-without-dot", packages=PACKAGE)
def _(shop):
    deb = plain()
    for info, _ in deb.entries:
        info.name = info.name.removeprefix("./") or "./"
    deb.write(shop.folder)


@case("deb-owners-and-numbers", packages=PACKAGE)
def _(shop):
    deb = plain().file("/opt/tops/share/owned", "x\n", owner="", number=12345)
    deb.file("/opt/tops/share/named", "x\n", owner="www-data", number=33).write(shop.folder)


@case("deb-library", packages=PACKAGE)
def _(shop):
    library = shop.native.library("libtops_demo.so.2", [("libc.so.6", "GLIBC_2.27")])
    (Deb(Depends="libc6 (>= 2.27)").file("/usr/lib/libtops_demo.so.2", library)
     .link("/usr/lib/libtops_demo.so", "libtops_demo.so.2")).write(shop.folder)


@case("deb-services-and-rules", packages=PACKAGE,
      info=("adds-service", "adds-udev-rule", "adds-loader-path", "adds-module-option"))
def _(shop):
    (Deb().file("/lib/systemd/system/tops.service", "[Service]\nExecStart=/opt/tops/bin/demo\n")
     .file("/lib/udev/rules.d/60-tops.rules", 'KERNEL=="gcu*", MODE="0660"\n')
     .file("/etc/ld.so.conf.d/tops.conf", "/opt/tops/lib\n")
     .file("/etc/modprobe.d/tops.conf", "options enflame x=1\n")).write(shop.folder)


@case("deb-harmless-scripts", packages=PACKAGE, absent=("script-*",))
def _(shop):
    (plain().script("postinst", '#!/bin/sh\nset -e\ncase "$1" in\nconfigure)\n    ldconfig\n    ;;\nesac\nexit 0\n')
     .script("prerm", "#!/bin/sh\nset -e\n# rm -rf / is what this does not do\nexit 0\n")
     .script("postrm", '#!/bin/sh\nset -e\nif [ "$1" = purge ]; then\n    rm -f /opt/tops/demo.log\nfi\n')
     .member("triggers", "activate-noawait ldconfig\n")).write(shop.folder)


@case("deb-name-says-another-version", packages=PACKAGE)
def _(shop):
    # The name is only a name: what is inside counts.
    plain().write(shop.folder, name="tops-other_9.9_arm64.deb")


@case("deb-without-suffix", packages=PACKAGE)
def _(shop):
    plain().write(shop.folder, name="a deb by its content")


@case("deb-pax-comment", ("dpkg-refuses-package",), exit=5, problem_contains="pax header")
def _(shop):
    deb = plain()
    head = pax_entry({"comment": "made by a test", "mtime": "1706572800.25"}, tar_header("./", typeflag=b"5", mode=0o755))
    deb.write(shop.folder, data=compressed(head + deb.data_tar()[512:], "xz"))
