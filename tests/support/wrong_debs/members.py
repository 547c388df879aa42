"""What of a deb is no tar: the ar container, the member debian-binary, the compression of the archives."""

import bz2
import gzip
import lzma
import zlib

from support.corpus.formats import ar_member, compressed

from .parts import add, control_tar, data_tar, deb

MAGIC = b"!<arch>\n"
VERSION = ar_member("debian-binary", b"2.0\n")
CONTROL = ar_member("control.tar", control_tar())
DATA = ar_member("data.tar", data_tar())
SOUND = MAGIC + VERSION + CONTROL + DATA


def with_header(member, at, value):
    return member[:at] + value + member[at + len(value):]


def container():
    rule = "ar container"
    add(rule, "sound", SOUND)
    for name, magic in {"no-magic": b"", "thin": b"!<thin>\n", "carriage-return": b"!<arch>\r\n",
                        "upper-case": b"!<ARCH>\n", "magic-twice": MAGIC * 2}.items():
        add(rule, f"magic-{name}", magic + VERSION + CONTROL + DATA)
    for name, at, value in (("end-mark", 58, b"~\n"), ("size-blank", 48, b" " * 10), ("size-letters", 48, b"12a4      "),
                            ("size-negative", 48, b"-4        "), ("size-hexadecimal", 48, b"0x200     "),
                            ("size-too-small", 48, b"512       "), ("size-beyond-end", 48, b"9999999999"),
                            ("size-zero", 48, b"0         "), ("size-plus", 48, b"+10240    "),
                            ("time-letters", 16, b"abcdef      "), ("mode-letters", 40, b"rw-r--r-"),
                            ("owner-letters", 28, b"root  ")):
        add(rule, f"header-of-data-{name}", MAGIC + VERSION + CONTROL + with_header(DATA, at, value))
        add(rule, f"header-of-control-{name}", MAGIC + VERSION + with_header(CONTROL, at, value) + DATA)
    for name, rest in {
            "data-before-control": VERSION + DATA + CONTROL, "no-control": VERSION + DATA, "no-data": VERSION + CONTROL,
            "no-version": CONTROL + DATA, "version-last": CONTROL + DATA + VERSION, "nothing": b"",
            "control-twice": VERSION + CONTROL + CONTROL + DATA, "data-twice": VERSION + CONTROL + DATA + DATA,
            "version-twice": VERSION + VERSION + CONTROL + DATA,
            "unknown-before-control": VERSION + ar_member("extra", b"x\n") + CONTROL + DATA,
            "unknown-before-data": VERSION + CONTROL + ar_member("extra", b"x\n") + DATA,
            "unknown-after-data": VERSION + CONTROL + DATA + ar_member("extra", b"x\n"),
            "underscore-first": ar_member("_extra", b"x\n") + VERSION + CONTROL + DATA,
            "underscore-before-control": VERSION + ar_member("_extra", b"x\n") + CONTROL + DATA,
            "underscore-before-data": VERSION + CONTROL + ar_member("_extra", b"x\n") + DATA,
            "empty-control": VERSION + ar_member("control.tar", b"") + DATA,
            "empty-data": VERSION + CONTROL + ar_member("data.tar", b"")}.items():
        add(rule, f"members-{name}", MAGIC + rest)
    for name, first, second, third in (
            ("slashes", "debian-binary/", "control.tar/", "data.tar/"), ("upper-case", "Debian-Binary", "control.tar",
            "data.tar"),
            ("control-upper-case", "debian-binary", "CONTROL.TAR", "data.tar"), ("data-upper-case", "debian-binary",
            "control.tar", "Data.tar"),
            ("control-longer", "debian-binary", "control.tarx", "data.tar"), ("data-longer", "debian-binary",
            "control.tar", "data.tarball"),
            ("data-without-tar", "debian-binary", "control.tar", "data"), ("version-longer", "debian-binary2",
            "control.tar", "data.tar"),
            ("leading-blank", "debian-binary", " control.tar", "data.tar")):
        add(rule, f"names-{name}", MAGIC + ar_member(first, b"2.0\n") + ar_member(second,
        control_tar()) + ar_member(third, data_tar()))
    for name, tail in {"newline": b"\n", "zeros": b"\0" * 64, "text": b"garbage\n", "half-header": VERSION[:30],
                       "signature": ar_member("_gpgorigin", b"x" * 40)}.items():
        add(rule, f"after-data-{name}", SOUND + tail)
    for name, keep in {"in-magic": 5, "in-version-header": 40, "in-version": 70, "in-control-header": 90, "in-control": 600,
                       "in-data-header": len(SOUND) - len(DATA) + 30, "in-data": len(SOUND) - 700,
                       "last-byte": len(SOUND) - 1}.items():
        add(rule, f"cut-{name}", SOUND[:keep])


def version():
    rule = "debian-binary"
    for name, text in {"2.1": b"2.1\n", "2.999": b"2.999\n", "3.0": b"3.0\n", "1.0": b"1.0\n", "0.939": b"0.939000\n",
                       "no-newline": b"2.0",
                       "no-minor": b"2\n", "dot-only": b"2.\n", "letters": b"two\n", "minor-letters": b"2.x\n",
                       "empty": b"",
                       "blank-line": b"\n", "more-lines": b"2.0\nmore\n", "leading-blank": b" 2.0\n",
                       "trailing-blank": b"2.0 \n",
                       "carriage-return": b"2.0\r\n", "negative": b"2.-1\n", "zeros": b"02.0\n", "letter-behind": b"2.0a\n",
                       "plus": b"+2.0\n", "three-numbers": b"2.0.1\n", "huge": b"2.99999999999999999999\n",
                       "nul": b"2.0\0\n"}.items():
        add(rule, name, deb(version=text))


def compression():
    rule = "compression"
    control, data = control_tar(), data_tar()

    def of(control_suffix, control_bytes, data_suffix, data_bytes):
        return (MAGIC + VERSION + ar_member("control.tar" + control_suffix, control_bytes)
                + ar_member("data.tar" + data_suffix, data_bytes))

    for form, suffix in (("gzip", ".gz"), ("xz", ".xz"), ("zstd", ".zst"), ("bzip2", ".bz2"), ("lzma", ".lzma")):
        add(rule, f"data-{form}", of("", control, suffix, compressed(data, form)))
        add(rule, f"control-{form}", of(suffix, compressed(control, form), "", data))
    for suffix in (".lz4", ".Z", ".GZ", ".gz2", ".", ".br"):
        add(rule, f"data-suffix{suffix}", of("", control, suffix, gzip.compress(data, mtime=0)))
        add(rule, f"control-suffix{suffix}", of(suffix, gzip.compress(control, mtime=0), "", data))
    packed = {".gz": gzip.compress(data, mtime=0), ".xz": lzma.compress(data, preset=1), ".bz2": bz2.compress(data)}
    for suffix, content in packed.items():
        middle = len(content) // 2
        add(rule, f"cut{suffix}", of("", control, suffix, content[:-5]))
        add(rule, f"half{suffix}", of("", control, suffix, content[:middle]))
        add(rule, f"flipped{suffix}", of("", control, suffix,
                                         content[:middle] + bytes([content[middle] ^ 0x55]) + content[middle + 1:]))
        add(rule, f"garbage-behind{suffix}", of("", control, suffix, content + b"garbage!"))
        add(rule, f"zeros-behind{suffix}", of("", control, suffix, content + b"\0" * 8))
        add(rule, f"plain-named{suffix}", of("", control, suffix, data))
        add(rule, f"empty-stream{suffix}", of("", control, suffix, b""))
    add(rule, "two-streams.gz", of("", control, ".gz", gzip.compress(data[:512], mtime=0) + gzip.compress(data[512:],
    mtime=0)))
    add(rule, "two-streams.xz", of("", control, ".xz", lzma.compress(data[:512]) + lzma.compress(data[512:])))
    add(rule, "two-streams.bz2", of("", control, ".bz2", bz2.compress(data[:512]) + bz2.compress(data[512:])))
    add(rule, "padding-between.xz", of("", control, ".xz",
                                       lzma.compress(data[:512]) + b"\0" * 8 + lzma.compress(data[512:])))
    add(rule, "padding-of-five.xz", of("", control, ".xz", packed[".xz"] + b"\0" * 5))
    add(rule, "gzip-named.xz", of("", control, ".xz", packed[".gz"]))
    add(rule, "xz-named.gz", of("", control, ".gz", packed[".xz"]))
    add(rule, "zlib-named.gz", of("", control, ".gz", zlib.compress(data)))
    add(rule, "gzip-without-suffix", of("", control, "", packed[".gz"]))


container()
version()
compression()
