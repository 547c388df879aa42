"""Wheels that pip takes, each wrong or odd in one way: such as topsctl refuses all the same, and such as it takes too."""

import base64
import bz2
import hashlib
import io
import zipfile
from dataclasses import replace

from support.faulty_wheels import DIFFERS, ESCAPES, MALFORMED, TAKEN, UNREADABLE, Rule, metadata, numbered, of_wheel
from support.wheel_forge import DATA, INFO, METADATA, MODULE, NAME, WHEEL, packed

NOT_LISTED, NO_DIGEST, MISMATCH = ("file-not-listed",), ("digest-not-given",), ("digest-mismatch",)
AT_START, FOREIGN, SHADOWS = ("wheel-runs-at-start",), ("wheel-foreign-files",), ("shadows-system-program",)


def digest(algorithm, content, encode=lambda raw: base64.urlsafe_b64encode(raw).decode().rstrip("=")):
    return f"{algorithm}={encode(hashlib.new(algorithm, content).digest())}"


def of_line(change, name=MODULE):
    """Another line for one member: change(path, digest, size) -> line."""
    return lambda lines: [change(*line.rsplit(",", 2)) if line.startswith(name + ",") else line for line in lines]


def with_line(draft, change, name=MODULE):
    return draft.recorded(of_line(change, name))


def content_of(draft, name=MODULE):
    found, = [member.content for member in draft.members if member.name == name.encode()]
    return found


def with_digest(draft, algorithm, **how):
    text = digest(algorithm, content_of(draft), **how)
    return with_line(draft, lambda path, _, size: f"{path},{text},{size}")


def unlisted(draft, path, content="x = 1\n"):
    draft.add(path, content)
    return draft.recorded(lambda lines: [line for line in lines if not line.startswith(path + ",")])


def extra_line(draft, line):
    return draft.recorded(lambda lines: [*lines, line])


def twice(draft, path, content):
    return draft.add(path, content).recorded(lambda lines: lines[:-2] + lines[-1:])


def outside_commands(draft, name):
    return draft.commands(f"{name} = {NAME}:main\n")


def lzma_of_zip(content):
    """Raw LZMA behind the version and the properties, as zipfile writes it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x", content)
        size = archive.getinfo("x").compress_size
    return stream.getvalue()[31:31 + size]


COMMANDS = {
    **numbered(outside_commands, ["../evil", "../../evil", "../../../usr/bin/evil", "sub/evil", "./evil", "sub/../evil"]),
    "absolute": lambda d, outside: outside_commands(d, f"{outside}/evil"),
    "of-a-window": lambda d, o: d.commands(f"../../evil = {NAME}:main\n", "[gui_scripts]\n"),
}

LINKS = {
    "inside": lambda d, o: d.add(f"{NAME}/link.py", "__init__.py", mode=0o120777),
    "outside": lambda d, o: d.add(f"{NAME}/link.py", "../../../etc/passwd", mode=0o120777),
    "absolute": lambda d, o: d.add(f"{NAME}/link.py", "/etc/passwd", mode=0o120777),
    "in-scripts": lambda d, o: d.add(f"{DATA}/scripts/link", "/bin/sh", mode=0o120777),
    "device": lambda d, o: d.add(f"{NAME}/device", "", mode=0o020644),
    "block-device": lambda d, o: d.add(f"{NAME}/device", "", mode=0o060644),
    "pipe": lambda d, o: d.add(f"{NAME}/pipe", "", mode=0o010644),
    "socket": lambda d, o: d.add(f"{NAME}/socket", "", mode=0o140644),
}

ZIPS_OF_OURS = {
    "bytes-after-deflate": lambda d, o: d.replace(MODULE, data=packed(content_of(d)) + b"more"),
    "bzip2": lambda d, o: d.replace(MODULE, method=12, data=bz2.compress(content_of(d))),
    "lzma": lambda d, o: d.replace(MODULE, method=14, data=lzma_of_zip(content_of(d))),
    "wrong-count": lambda d, o: d.bytes_changed(lambda data: data[:-12] + b"\7\0" + data[-10:]),
    "129-directories-deep": lambda d, o: d.add(f"{NAME}/{'d/' * 129}x.py"),
}


STRICTER = {
    "command-outside": Rule("a command whose name is a path, such as `../../evil`", (*ESCAPES, *MALFORMED), COMMANDS,
                            why="newer pips write it there"),
    "command-name": Rule("a command with a blank or a control character in its name", MALFORMED,
                         numbered(outside_commands, ["a b", "a\tb", "a\x1bJ", "a\u202eb"]), why="pip gives it another name"),
    "climbs-within": Rule("a member with `..` in its name that stays within the package", ESCAPES,
                          numbered(lambda d, path: d.add(path), [f"{NAME}/../{NAME}/x.py", f"{NAME}/a/../x.py", "a/../x.py"]),
                          why="no tool writes such a name"),
    "not-listed": Rule("a file that RECORD does not list", (*NOT_LISTED, "listed-file-missing"), {
        **numbered(unlisted, [f"{NAME}/x.py", "x.py", f"{DATA}/data/share/x", f"{INFO}/LICENSE", f"{DATA}/scripts/x"]),
        "metadata": lambda d, o: d.recorded(lambda lines: [line for line in lines if "/METADATA" not in line]),
        "all": lambda d, o: d.recorded(lambda lines: []),
        "backslash": lambda d, o: with_line(d, lambda path, said, size: f"{NAME}\\__init__.py,{said},{size}"),
        "open-quote": lambda d, o: with_line(d, lambda path, said, size: f'"{path},{said},{size}'),
    }, why="nothing says what it should be"),
    "no-digest": Rule("a file without a digest in RECORD, or with a weak or an unknown one", NO_DIGEST, {
        "none": lambda d, o: with_line(d, lambda path, _, size: f"{path},,{size}"),
        "one-column": lambda d, o: with_line(d, lambda path, *_: path),
        "no-algorithm": lambda d, o: with_line(d, lambda path, said, size: f"{path},{said.partition('=')[2]},{size}"),
        **{name: lambda d, o, name=name: with_digest(d, name) for name in ("md5", "sha1", "sha224", "blake2b")},
        "unknown": lambda d, o: with_line(d, lambda path, _, size: f"{path},crc32=AAAA,{size}"),
    }, why="nothing says what it should be"),
    "digest-differs": Rule("a file that is not what its digest in RECORD says", MISMATCH, {
        "module": lambda d, o: with_line(d, lambda path, _, size: f"{path},{digest('sha256', b'other')},{size}"),
        "metadata": lambda d, o: with_line(d, lambda path, _, size: f"{path},{digest('sha256', b'other')},{size}",
                                           f"{INFO}/METADATA"),
        "sha512": lambda d, o: with_line(d, lambda path, _, size: f"{path},{digest('sha512', b'other')},{size}"),
        "hexadecimal": lambda d, o: with_digest(d, "sha256", encode=bytes.hex),
        "empty": lambda d, o: with_line(d, lambda path, _, size: f"{path},sha256=,{size}"),
        "cut": lambda d, o: with_line(d, lambda path, said, size: f"{path},{said[:-4]},{size}"),
        "of-two-lines": lambda d, o: extra_line(d, f"{MODULE},{digest('sha256', b'other')},5"),
        "of-a-script": lambda d, o: with_line(d.add(f"{DATA}/scripts/run", "#!python\n"),
                                              lambda path, _, size: f"{path},{digest('sha256', b'other')},{size}",
                                              f"{DATA}/scripts/run"),
    }, why="it was changed after it was made"),
    "listed-and-missing": Rule("a file of RECORD that is not in the wheel, or a line without a name", ("listed-file-missing", *UNREADABLE), {
        **numbered(extra_line, [f"{NAME}/gone.py,sha256=AAAA,4", f"{NAME}/gone.py,,", f"{NAME}/gone.py", "../gone.py,,"]),
        "no-name": lambda d, o: extra_line(d, ",sha256=AAAA,4"),
    }, why="the wheel is not whole"),
    "twice": Rule("two members for one place", (*MISMATCH, "duplicate-entry"), {
        "other-content": lambda d, o: twice(d, MODULE, "import os\n"),
        "same-content": lambda d, o: twice(d, MODULE, "def main():\n    pass\n"),
        "by-purelib": lambda d, o: d.add(f"{DATA}/purelib/{MODULE}", "import os\n"),
        "by-a-slash": lambda d, o: twice(d, MODULE.replace("/", "//"), "def main():\n    pass\n"),
        "metadata": lambda d, o: twice(d, f"{INFO}/METADATA", METADATA),
    }, why="which of them is meant?"),
    "no-file": Rule("a link, a device, a pipe or a socket", ("wheel-link", "device-file", "link-escapes"), LINKS,
                    why="pip writes a text in its place"),
    "bad-name": Rule("a member with a NUL, a control character, or one that turns text around",
                     ("bad-entry-name", *UNREADABLE, *NOT_LISTED, "listed-file-missing"),
                     numbered(lambda d, name: d.add(f"{NAME}/{name}"), ["a\x1b[2J.py", "\u202eyp.a", "a\0b.py", "a\nb.py", "a\x7f.py"]),
                     why="it is shown as another one than it is"),
    "zip-of-ours": Rule("a zip that topsctl does not read: bzip2, LZMA, bytes after the data of a member, a wrong count, "
                        "more than 128 directories", UNREADABLE, ZIPS_OF_OURS, why="no build tool writes it"),
    "other-name": Rule("another name in METADATA, or in that of the `.dist-info` directory", (*DIFFERS, *MALFORMED, *UNREADABLE), {
        **numbered(lambda d, name: metadata(d, METADATA.replace(f"Name: {NAME}", f"Name:{name}")),
                   ["", " numpy", " demo", " demo_parts_x"]),
        "directory-without-version": lambda d, o: d.moved(INFO, f"{NAME}.dist-info"),
    }, why="it passes for another package"),
    "at-start": Rule("code that every start of Python runs (`.pth`, `sitecustomize`)", AT_START, {
        **numbered(lambda d, path: d.add(path, "import os\n"), ["x.pth", "sitecustomize.py", "usercustomize.py",
                   "sitecustomize/__init__.py", f"{DATA}/purelib/x.pth", f"{DATA}/platlib/sitecustomize.py",
                   f"{DATA}/data/lib/python3/site-packages/x.pth"]),
    }, why="nobody asked for it"),
    "foreign": Rule("files or metadata of pip, setuptools, numpy or torch", (*FOREIGN, "wheel-second-distribution"),
                    numbered(lambda d, path: d.add(path), ["pip/__init__.py", "torch/x.py", "numpy.py", "_distutils_hack/x.py",
                             "torch-9.egg-info/PKG-INFO", "pkg_resources/x.py", f"{DATA}/platlib/setuptools/x.py"]),
                    why="it takes the place of theirs"),
    "system-program": Rule("a command that root and scripts call: `python3`, `dpkg`, `sh`", SHADOWS, {
        **numbered(lambda d, path: d.add(path, "#!/bin/sh\n"), [f"{DATA}/scripts/python3", f"{DATA}/scripts/dpkg", f"{DATA}/data/bin/sh"]),
        **{f"command-{name}": lambda d, o, name=name: outside_commands(d, name) for name in ("sudo", "pip3", "apt-get")},
    }, why="it would run in their stead"),
    "library": Rule("a library that is none", ("library-not-elf",),
                    numbered(lambda d, path: d.add(path, "text"), [f"{NAME}/libx.so", f"{NAME}/libeccl.so.1"]),
                    why="it cannot be loaded"),
}

SOUND = {
    "size-differs": Rule("a wrong size in RECORD", ("record-size-wrong",), numbered(
        lambda d, said: with_line(d, lambda path, text, _: f"{path},{text},{said}"), ["1", "999999999999", "0"])),
    "installers-own": Rule("INSTALLER, REQUESTED, `direct_url.json`, which an installer writes, or a signature of RECORD", (), {
        **numbered(lambda d, name: d.add(f"{INFO}/{name}", "poetry\n"), ["INSTALLER", "REQUESTED", "direct_url.json"]),
        "all": lambda d, o: [d.add(f"{INFO}/{name}", "x\n") for name in ("INSTALLER", "REQUESTED", "direct_url.json")],
        "signature": lambda d, o: unlisted(d, f"{INFO}/RECORD.jws", "{}"),
    }),
    "record-spelling": Rule("RECORD in another spelling: SHA-384 or 512, padding, two or four columns, quotes, other line ends, "
                            "`./`, `//`, the same line twice, without itself", (), {
        "sha384": lambda d, o: with_digest(d, "sha384"),
        "sha512": lambda d, o: with_digest(d, "sha512"),
        "upper-case": lambda d, o: with_line(d, lambda path, said, size: f"{path},{said.replace('sha256', 'SHA256')},{size}"),
        "padding": lambda d, o: with_line(d, lambda path, said, size: f"{path},{said}=,{size}"),
        "plain-base64": lambda d, o: with_digest(d, "sha256", encode=lambda raw: base64.b64encode(raw).decode()),
        "two-columns": lambda d, o: with_line(d, lambda path, said, _: f"{path},{said}"),
        "four-columns": lambda d, o: with_line(d, lambda path, said, size: f"{path},{said},{size},more"),
        **{f"size-{name}": lambda d, o, said=said: with_line(d, lambda path, text, _: f"{path},{text},{said}")
           for name, said in (("none", ""), ("in-words", "many"), ("negative", "-1"))},
        "quotes": lambda d, o: with_line(d, lambda path, said, size: f'"{path}","{said}","{size}"'),
        "quote-in-a-name": lambda d, o: d.add(f'{NAME}/a"b.py').record_bytes(
            lambda data: data.replace(f'"{NAME}/a""b.py"'.encode(), f'{NAME}/a"b.py'.encode())),
        "dos": lambda d, o: d.record_bytes(lambda data: data.replace(b"\n", b"\r\n")),
        "mac": lambda d, o: d.record_bytes(lambda data: data.replace(b"\n", b"\r")),
        "no-last-line-end": lambda d, o: d.record_bytes(lambda data: data.rstrip(b"\n")),
        "dot-slash": lambda d, o: with_line(d, lambda path, said, size: f"./{path},{said},{size}"),
        "two-slashes": lambda d, o: with_line(d, lambda path, said, size: f"{path.replace('/', '//')},{said},{size}"),
        "line-twice": lambda d, o: d.recorded(lambda lines: [lines[0], *lines]),
        "itself-with-a-digest": lambda d, o: d.recorded(lambda lines: lines[:-1] + [f"{INFO}/RECORD,sha256=AAAA,4"]),
        "without-itself": lambda d, o: d.recorded(lambda lines: lines[:-1]),
    }),
    "text-spelling": Rule("WHEEL or METADATA in another spelling: version 0.1 or 1.9, other line ends, no tags, unknown keys, text "
                          "after the keys", (), {
        **{f"wheel-{index}": lambda d, o, text=text: of_wheel(d, text) for index, text in enumerate((
            WHEEL.replace("1.0", "1.9"), WHEEL.replace("1.0", "1"), WHEEL.replace("1.0", "0.1"), WHEEL.replace("1.0", "1.0.0"),
            WHEEL.replace("Root-Is-Purelib: true\n", ""), WHEEL.replace("Tag: py3-none-any\n", ""),
            WHEEL.replace("\n", "\r\n"), WHEEL.replace("\n", "\r"), WHEEL.lower(), WHEEL + "Build: 1\nOther: x\n",
            WHEEL + "\nno key\n", WHEEL + "no key\n", WHEEL.replace("Version: ", "Version:")))},
        **{f"metadata-{index}": lambda d, o, text=text: metadata(d, text) for index, text in enumerate((
            METADATA.replace("\n", "\r\n"), METADATA.replace("\n", "\r"), METADATA.lower(), METADATA + "no key\n",
            METADATA + "\nName: prose\n", METADATA + "Name: second\n", METADATA.replace("2.1", "99.9"),
            METADATA.replace("Metadata-Version: 2.1\n", ""), METADATA.replace("Version: 1.0", "Version: 1.0.0"),
            METADATA.replace(NAME, "Demo.Parts"), METADATA + "Requires-Dist: not a requirement!\n",
            METADATA + "Summary\n  folded\n", METADATA + "Author: \u8bf4\n"))},
    }),
    "commands": Rule("entry points as the format has them, and commands that are there twice by other means", (), {
        **numbered(lambda d, text: d.commands(text), [
            "", f"a = {NAME}:main\n", f"a={NAME}:main.run\n", f"# remark\na = {NAME}:main\n",
            f"  a = {NAME}:main\n", f"a = {NAME}:main\r\nb = {NAME}:main\r\n", f"a = {NAME}:main\rb = {NAME}:main\r", f"a = {NAME}:main [x]\n",
            f"a = {NAME}:main [x,y]\n", f"a.b-c_d = {NAME}:main\n", f"A = {NAME}:main\na = {NAME}:main\n",
            f"a = {NAME}:main\n[gui_scripts]\na = {NAME}:main\n", f"\na = {NAME}:main\n\n[demo.plugins]\na = {NAME}\n"]),
        "empty-file": lambda d, o: d.commands("", ""),
        "a-script-too": lambda d, o: d.commands(f"a = {NAME}:main\n").add(f"{DATA}/scripts/a", "#!python\n"),
    }),
    "names": Rule("names that are long, not ASCII, or of another version, directories, data of another name, files in all places", (), {
        **numbered(lambda d, path: d.add(path), [
            f"{NAME}/\u8bf4\u660e.txt", f"{NAME}/{'x' * 255}", f"{NAME}/a b.py", f"{NAME}/a,b.py", f"other-2.0.data/purelib/x.py",
            f"{DATA}/scripts/run", f"{DATA}/scripts/sub/run", f"{DATA}/data/share/x", f"{DATA}/headers/x.h", f"{DATA}/platlib/x.py",
            f"{DATA}/purelib/x.data/y", f"{NAME}/x.dist-info/METADATA", f"{NAME}//x.py", f"./{NAME}/x.py", f"{NAME}/x.data/y",
            f"{NAME}/back\\slash.py"]),
        "directory": lambda d, o: d.first(f"{NAME}/", b"", mode=0o040755),
        "directory-of-a-file": lambda d, o: d.add(f"{NAME}/a").add(f"{NAME}/a/", b"", mode=0o040755),
        "program": lambda d, o: d.add(f"{NAME}/run.sh", "#!/bin/sh\n", mode=0o100755),
        "dist-info-of-another-version": lambda d, o: d.moved(INFO, f"{NAME}-9.9.dist-info"),
        "dist-info-in-another-spelling": lambda d, o: d.moved(INFO, "Demo.Parts-1.0.dist-info"),
        "build-tag": lambda d, o: d.named(f"{NAME}-1.0-1-py3-none-any.whl"),
    }),
    "zip-spelling": Rule("a zip with a comment, with bytes before it, not compressed, or with data that has no size", (), {
        "comment": lambda d, o: d.bytes_changed(lambda data: data[:-2] + b"\4\0text"),
        "bytes-before": lambda d, o: d.bytes_changed(lambda data: b"#!/bin/sh\n" + data),
        "stored": lambda d, o: d.replace(MODULE, method=0, data=content_of(d)),
        "without-utf-8-flag": lambda d, o: d.replace(MODULE, flags=0),
        "empty-file": lambda d, o: d.add(f"{NAME}/empty.py", ""),
    }),
}
SOUND = {name: replace(rule, pip=TAKEN, install=TAKEN) for name, rule in SOUND.items()}
STRICTER = {name: replace(rule, pip=TAKEN) for name, rule in STRICTER.items()}
