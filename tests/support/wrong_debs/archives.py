"""The control archive as a tar, which GNU tar unpacks for dpkg, and its members that are no fields."""

import hashlib
import tarfile

from support.corpus.debs import entry, tar_of
from support.corpus.formats import TAR_END, pax_entry

from .parts import CONTROL, GID, MAGIC, MODE, MTIME, SIZE, TYPE, UID, add, control_tar, data_tar, deb, file, folder, patched

TEXT = CONTROL.encode()
DIGEST = hashlib.md5(b"content\n").hexdigest().encode()


def archive():
    rule = "control archive"
    for name, tar in {
            "no-dots": file("control", TEXT), "no-folder": file("./control", TEXT),
            "in-DEBIAN": file("./DEBIAN/control", TEXT), "two-slashes": file(".//control", TEXT),
            "absolute": file("/control", TEXT), "without-control": file("./md5sums", b""),
            "control-twice": file("./control", b"no field\n") + file("./control", TEXT),
            "control-first-then-bad": file("./control", TEXT) + file("./control", b"no field\n"),
            "control-is-folder": folder("./control/"), "control-is-link": patched(file("./control", b"")[:512], TYPE, b"2"),
            "upper-case": file("./Control", TEXT),
            "pax-header": pax_entry({"mtime": "1.5"}, file("./control", TEXT)),
            "old-magic": file("./control", TEXT, magic=b"\0" * 8), "ustar": file("./control", TEXT, magic=b"ustar\00000"),
            "bad-checksum": b"./Control" + file("./control", TEXT)[9:],
            "folder-beside": file("./control", TEXT) + folder("./extra/"),
            "file-in-folder": file("./control", TEXT) + folder("./extra/") + file("./extra/a"),
            "unknown-member": file("./control", TEXT) + file("./surprise"),
            "long-member-name": file("./control", TEXT) + file("./" + "n" * 60),
            "member-of-97-letters": file("./control", TEXT) + file("./" + "n" * 97),
            "climbs-out": file("./control", TEXT) + file("../outside"),
            "mode-letters": patched(file("./control", TEXT)[:512], MODE, b"rwxrwxr\0") + file("./control", TEXT)[512:],
            "unreadable-mode": file("./control", TEXT, mode=0),
            "executable": file("./control", TEXT, mode=0o777)}.items():
        add(rule, name, deb(control=tar + TAR_END))
    for name, field, value in (("mode-blank", MODE, b" " * 8), ("mode-of-nul", MODE, b"\0" * 8), ("uid-letters", UID,
    b"root\0\0\0\0"), ("uid-blank", UID, b" " * 8),
                               ("uid-of-nul", UID, b"\0" * 8), ("gid-letters", GID, b"root\0\0\0\0"), ("mtime-letters",
                               MTIME, b"yesterday\0\0\0"), ("mtime-blank", MTIME, b" " * 12),
                               ("mtime-of-nul", MTIME, b"\0" * 12), ("size-letters", SIZE, b"0000000x\0\0\0\0"),
                               ("type-unknown", TYPE, b"Z"), ("type-7", TYPE, b"7"), ("magic-other", MAGIC,
                               b"other\0\0\0")):
        whole = file("./surprise")
        add(rule, f"beside-{name}", deb(control=file("./control", TEXT) + patched(whole[:512], field,
        value) + whole[512:] + TAR_END))
    for kind in b"2345S":  # at a pipe dpkg waits for ever
        add(rule, f"beside-of-type-{chr(kind)}", deb(control=file("./control", TEXT) + patched(file("./postinst", b"",
        link=b"control")[:512], TYPE, bytes([kind])) + TAR_END))
    whole = file("./control", TEXT)
    for name, tar in {"no-end": whole, "one-end-block": whole + b"\0" * 512, "cut-in-content": whole[:600],
                      "cut-in-header": whole[:300],
                      "empty-tar": TAR_END, "text": b"no tar at all\n" * 80,
                      "garbage-behind-end": whole + TAR_END + b"x" * 512}.items():
        add(rule, name, deb(control=tar))


def md5sums():
    rule = "md5sums"
    for name, text in {"none-of-it": b"", "letters": b"no digest  opt/tops-demo/a\n",
                       "no-newline": DIGEST + b"  opt/tops-demo/a",
                       "short": b"d41d8c  opt/tops-demo/a\n", "binary": bytes(range(256))}.items():
        add(rule, name, deb(control=control_tar(md5sums=text)))


def conffiles():
    rule = "conffiles"
    path = "./opt/tops-demo/"
    shipped = data_tar(file(path + "conf"), file(path + "with space"))
    for name, text in {
            "sound": "/opt/tops-demo/conf\n", "empty": "", "no-newline": "/opt/tops-demo/conf",
            "relative": "opt/tops-demo/conf\n",
            "blank-line": "/opt/tops-demo/conf\n\n", "only-blank-line": "\n", "blanks-line": "/opt/tops-demo/conf\n   \n",
            "leading-blank": " /opt/tops-demo/conf\n", "trailing-blank": "/opt/tops-demo/conf  \n",
            "with-space": "/opt/tops-demo/with space\n",
            "twice": "/opt/tops-demo/conf\n/opt/tops-demo/conf\n", "not-shipped": "/opt/tops-demo/other\n",
            "folder": "/opt/tops-demo\n",
            "root": "/\n", "dotted": "/opt/./tops-demo/conf\n", "double-slash": "/opt//tops-demo/conf\n",
            "climbs": "/opt/../opt/tops-demo/conf\n",
            "flag": "remove-on-upgrade /opt/tops-demo/old\n", "flag-shipped": "remove-on-upgrade /opt/tops-demo/conf\n",
            "flag-without-name": "remove-on-upgrade\n", "flag-with-blank-only": "remove-on-upgrade \n",
            "flag-relative": "remove-on-upgrade opt/tops-demo/old\n", "flag-unknown": "keep-forever /opt/tops-demo/old\n",
            "flag-two-blanks": "remove-on-upgrade  /opt/tops-demo/old\n",
            "flag-tab": "remove-on-upgrade\t/opt/tops-demo/old\n",
            "flag-upper-case": "Remove-On-Upgrade /opt/tops-demo/old\n", "comment": "# a comment\n/opt/tops-demo/conf\n",
            "carriage-return": "/opt/tops-demo/conf\r\n", "tab-first": "\t/opt/tops-demo/conf\n",
            "long-name": "/opt/tops-demo/" + "n" * 1100 + "\n", "name-of-1000": "/opt/tops-demo/" + "n" * 985 + "\n",
            "nul": "/opt/tops-demo/conf\0x\n"}.items():
        add(rule, name, deb(control=control_tar(conffiles=text), data=shipped))
    add(rule, "symbolic-link", deb(control=control_tar(conffiles="/opt/tops-demo/conf\n"),
                                   data=tar_of([(entry("./", tarfile.DIRTYPE, 0o755), b""), (entry("./opt",
                                   tarfile.DIRTYPE, 0o755), b""),
                                                (entry("./opt/conf", tarfile.SYMTYPE, link="/opt/none"), b"")])))


def triggers():
    rule = "triggers"
    for name, text in {
            "sound": "interest-noawait tops-demo-trigger\n", "empty": "", "activate": "activate ldconfig\n",
            "activate-noawait": "activate-noawait ldconfig\n",
            "file": "interest /opt/tops-demo\n", "await": "interest-await tops-demo-trigger\nactivate-await ldconfig\n",
            "comment": "# a comment\n\n   \ninterest x1   # behind\n", "unknown-word": "interests tops-demo-trigger\n",
            "one-word": "interest\n",
            "one-word-and-blank": "interest \n", "three-words": "interest one two\n",
            "upper-case-word": "Interest tops-demo-trigger\n",
            "upper-case-name": "interest Tops-Demo\n", "file-slash-at-end": "interest /opt/tops-demo/\n",
            "file-two-slashes": "interest /opt//tops-demo\n",
            "root": "interest /\n", "name-with-slash": "interest opt/tops\n",
            "name-with-underscore": "interest tops_demo\n",
            "name-one-letter": "interest x\n", "name-with-colon": "interest tops:demo\n",
            "name-with-minus-first": "interest -tops\n",
            "name-not-ascii": "interest tops-démo\n", "activate-bad-name": "activate tops_demo\n",
            "activate-upper-case": "activate Tops-Demo\n",
            "no-newline": "interest tops-demo-trigger", "tab": "interest\ttops-demo-trigger\n",
            "leading-blank": "  interest tops-demo-trigger\n",
            "carriage-return": "interest tops-demo-trigger\r\n",
            "twice": "interest tops-demo-trigger\ninterest tops-demo-trigger\n",
            "activate-file": "activate /opt/tops-demo\n", "activate-root": "activate /\n",
            "file-dots": "interest /opt/../tops\n",
            "long-line": "interest " + "n" * 300 + "\n", "line-of-240": "interest " + "n" * 230 + "\n"}.items():
        add(rule, name, deb(control=control_tar(triggers=text)))


archive()
md5sums()
conffiles()
triggers()
