"""The data archive: its headers and entries, as dpkg's own reader of tars takes them."""

from support.corpus.formats import TAR_END, base256, pax_entry

from .parts import (CHECKSUM, FILES, FOLDERS, GID, MAGIC, MODE, MTIME, SIZE, TYPE, UID, add, data_tar, deb, file, folder,
                    patched)

DEMO = "./opt/tops-demo/"


def of(*more, start=FILES):
    return deb(data=data_tar(*more, start=start))


def changed(field, value, name="b"):
    """A deb whose last file has another value in one field of its header."""
    whole = file(DEMO + name)
    return of(patched(whole[:512], field, value) + whole[512:])


def headers():
    rule = "data archive, headers"
    add(rule, "sound", of(file(DEMO + "b")))
    for kind in b"34567gxXNSMVAD\x01zZKL":
        body = b"" if kind in b"3456" else b"data\n"
        whole = file(DEMO + "b", body)
        add(rule, f"type {chr(kind)!a}", of(patched(whole[:512], TYPE, bytes([kind])) + whole[512:]))
    add(rule, "type nul", changed(TYPE, b"\0"))
    for name, field, value in (
            ("size letters", SIZE, b"0000000001x\0"), ("size digit 8", SIZE, b"00000000018\0"), ("size blank", SIZE,
            b" " * 12), ("size of nul", SIZE, b"\0" * 12),
            ("size leading blanks", SIZE, b"         10\0"), ("size without end", SIZE, b"000000000010"),
            ("size base 256", SIZE, base256(8, 12)), ("size negative base 256", SIZE, b"\xff" * 12),
            ("size base 256 huge", SIZE, b"\x80" + b"\xff" * 11), ("size minus", SIZE, b"-0000000010\0"),
            ("size nul and more", SIZE, b"0000010\0007 \0"),
            ("mtime letters", MTIME, b"yesterday\0\0\0"), ("mtime blank", MTIME, b" " * 12), ("mtime of nul", MTIME,
            b"\0" * 12), ("mtime base 256", MTIME, base256(5, 12)),
            ("mtime negative", MTIME, b"\xff" * 11 + b"\x01"), ("mtime minus", MTIME, b"-0000000010\0"), ("uid letters",
            UID, b"root\0\0\0\0"), ("uid blank", UID, b" " * 8),
            ("uid of nul", UID, b"\0" * 8), ("uid base 256", UID, base256(70000, 8)), ("uid base 256 huge", UID,
            b"\x80" + b"\xff" * 7), ("gid letters", GID, b"root\0\0\0\0"),
            ("gid blank", GID, b" " * 8), ("gid base 256", GID, base256(70000, 8)), ("mode letters", MODE, b"rw-r--r-"),
            ("mode blank", MODE, b" " * 8), ("mode of nul", MODE, b"\0" * 8),
            ("mode without end", MODE, b"00000644"), ("mode with file type", MODE, b"0100644\0"), ("checksum wrong",
            CHECKSUM, b"000001\0 "), ("checksum letters", CHECKSUM, b"wrong\0  "),
            ("checksum blank", CHECKSUM, b" " * 8), ("magic of none", MAGIC, b"\0" * 8), ("magic ustar", MAGIC,
            b"ustar\00000"), ("magic other", MAGIC, b"other\0\0\0")):
        add(rule, name, changed(field, value))
    for name, records in {"pax mtime": {"mtime": "1706572800.25"}, "pax path": {"path": DEMO + "by-pax"},
                          "pax comment": {"comment": "x"}, "pax xattr": {"SCHILY.xattr.user.x": "1"},
                          "pax size": {"size": "8"}}.items():
        add(rule, name, of(pax_entry(records, file(DEMO + "b"))))
    pax = pax_entry({"comment": "x"}, b"")
    add(rule, "pax global", of(patched(pax[:512], TYPE, b"g") + pax[512:], file(DEMO + "b")))
    add(rule, "pax first", deb(data=pax + data_tar()))


def ends():
    rule = "data archive, its end"
    whole = data_tar(file(DEMO + "b", b"x" * 700), end=b"")
    for name, tar in {"none": whole, "one block": whole + b"\0" * 512, "cut in header": whole[:-1536 + 200],
                      "cut in content": whole[:-700], "cut in padding": whole[:-100],
                      "cut at block": whole[:-512], "garbage behind": whole + TAR_END + b"x" * 1024,
                      "garbage after one block": whole + b"\0" * 512 + b"x" * 512,
                      "no block but garbage": whole + b"garbage".ljust(512, b"!"), "empty": b"\0" * 1024,
                      "nothing but one block": b"\0" * 512, "text": b"no tar at all " * 100,
                      "many blocks": whole + b"\0" * 20480, "odd size": whole + TAR_END + b"\0" * 7,
                      "zero block between": FILES + b"\0" * 512 + file(DEMO + "b") + TAR_END,
                      "half block": whole + b"\0" * 256}.items():
        add(rule, name, deb(data=tar))


def names():
    rule = "data archive, names"
    long = "n" * 90
    for name, tar in {
            "no dot": folder("opt/tops-demo/x/") + file("opt/tops-demo/x/b"), "absolute": file("/opt/tops-demo/b"),
            "two slashes": file("./opt//tops-demo/b"), "dot inside": file("./opt/./tops-demo/b"),
            "empty": file(""), "empty folder": folder(""), "slash": folder("/"), "dot": folder("."),
            "newline": file(DEMO + "a\nb"), "tab": file(DEMO + "a\tb"), "blank": file(DEMO + "a b"),
            "backslash": file(DEMO + "a\\b"), "not utf-8": file((DEMO + "x").encode() + b"\xff\xfe"),
            "escape": file(DEMO + "a\x1b[2Jb"), "100 bytes": file(DEMO + "n" * (100 - len(DEMO))),
            "of 255": _long(DEMO + "n" * 255), "of 256": _long(DEMO + "n" * 256), "of 250": _long(DEMO + "n" * 250),
            "of 246": _long(DEMO + "n" * 246),
            "long path": b"".join(_long(DEMO + f"{long}/" * depth, b"5") for depth in range(1,
            5)) + _long(DEMO + f"{long}/" * 4 + "b"),
            "ustar prefix": patched(file("tops-demo/b", magic=b"ustar\00000", prefix=b"./opt")[:512], MODE,
                                    b"0000644\0") + file("x")[512:],
            "file with slash": file(DEMO + "b/"), "file twice": file(DEMO + "a", b"other\n"), "folder twice": folder(DEMO),
            "file as folder": folder(DEMO + "a/"), "folder as file": file("./opt/tops-demo"),
            "below a file": file(DEMO + "a/b"), "dpkg-new": file(DEMO + "a.dpkg-new"),
            "dpkg-tmp": file(DEMO + "b.dpkg-tmp"),
            "climbs": file("./opt/tops-demo/../b"), "climbs out": file("../b"), "just dots": file(".."),
            "long name without entry": _long(DEMO + "n" * 120)[:1024],
            "long name empty": patched(file("././@LongLink", b"")[:512], TYPE, b"L") + file(DEMO + "b"),
            "long name without nul": _long(DEMO + "n" * 120, end=b""),
            "long name twice": _long(DEMO + "n" * 120)[:1024] + _long(DEMO + "m" * 120)}.items():
        add(rule, name, of(tar))
    rule = "data archive, folders"
    for name, start in {
            "none for the file": folder("./") + file("./opt/other/b"),
            "none for two levels": folder("./") + file("./opt/other/deep/b"),
            "none at all but of the system": file("./opt/b"),
            "after the file": folder("./") + file("./opt/other/b") + folder("./opt/other/"),
            "below a link": folder("./") + folder("./opt/") + _link("./opt/link", b"tops") + file("./opt/link/b"),
            "only the innermost": folder("./opt/other/deep/") + file("./opt/other/deep/b"),
            "none in usr share": folder("./usr/share/tops/") + file("./usr/share/tops/b"),
            "none for a folder": folder("./opt/other/deep/"), "none for a link": FOLDERS + _link("./opt/other/b", b"x"),
            "none for a pipe": FOLDERS + patched(file("./opt/other/b", b"")[:512], TYPE, b"6"),
            "none for a hard link": FILES + _link("./opt/other/b", b"./opt/tops-demo/a", b"1"),
            "without the root": FOLDERS[512:] + file(DEMO + "b"),
            "of a link first": folder("./opt/") + folder("./opt/real/")
            + _link("./opt/l", b"real") + folder("./opt/l/") + file("./opt/l/b"), "none in etc": file("./etc/tops/b"),
            "in lib multiarch": file("./usr/lib/x86_64-linux-gnu/b")}.items():
        add(rule, name, deb(data=start + TAR_END))
    rule = "data archive, links and devices"
    for name, tar in {
            "symbolic": _link(DEMO + "l", b"a"), "symbolic to nothing": _link(DEMO + "l", b"none"),
            "symbolic empty": _link(DEMO + "l", b""), "symbolic with size": _sized(_link(DEMO + "l", b"a")),
            "symbolic twice": _link(DEMO + "l", b"a") + _link(DEMO + "l", b"b"), "hard": _link(DEMO + "l",
            b"./opt/tops-demo/a", b"1"), "hard to nothing": _link(DEMO + "l", b"./opt/none", b"1"),
            "hard to later": _link(DEMO + "l", b"./opt/tops-demo/z", b"1") + file(DEMO + "z"),
            "hard to folder": _link(DEMO + "l", b"./opt/tops-demo", b"1"), "hard empty": _link(DEMO + "l", b"", b"1"),
            "hard to itself": _link(DEMO + "l", b"./opt/tops-demo/l", b"1"), "hard to symbolic": _link(DEMO + "s",
            b"a") + _link(DEMO + "l", b"./opt/tops-demo/s", b"1"), "hard with size":
            _sized(_link(DEMO + "l", b"./opt/tops-demo/a", b"1")), "hard without dot": _link(DEMO + "l",
            b"opt/tops-demo/a", b"1"), "hard absolute": _link(DEMO + "l", b"/opt/tops-demo/a", b"1"), "folder with size":
            _sized(folder(DEMO + "d/")), "pipe": patched(file(DEMO + "p", b"")[:512], TYPE, b"6"),
            "long link": _long(DEMO + "l", b"2", link="n" * 200)}.items():
        add(rule, name, of(tar))


def _link(name, target, kind=b"2"):
    return patched(file(name, b"", link=target)[:512], TYPE, kind)


def _sized(block):
    return patched(block, SIZE, b"00000000010\0")


def _long(name, kind=b"0", end=b"\0", link=None):
    """An entry whose name, or link, is in a GNU header before it."""
    text = (name if link is None else link).encode() + end
    head = patched(file("././@LongLink", text)[:512], TYPE, b"L" if link is None else b"K") + file("x", text)[512:]
    content = b"content\n" if kind == b"0" else b""
    shown = name if link is not None else name[:99] if len(name) > 99 else name
    whole = file(shown, content, link=b"" if link is None else link[:99].encode())
    return head + patched(whole[:512], TYPE, kind) + whole[512:]


headers()
ends()
names()
