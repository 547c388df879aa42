"""Wheels that pip refuses or crashes on, each wrong in one way, by the rule that it breaks."""

from dataclasses import dataclass

from support.wheel_forge import DATA, INFO, METADATA, MODULE, NAME, UTF8, WHEEL

REFUSED, TAKEN = "refuses", "takes"


@dataclass(frozen=True)
class Rule:
    """`cases`: name -> change(Draft, outside), the latter a folder that is the test's own. `ids`: what inspect may find of
    severity warning and above; each wheel that is refused has one of severity error."""
    what: str
    ids: tuple
    cases: dict
    pip: str = REFUSED
    install: str = REFUSED
    why: str = ""


UNREADABLE, MALFORMED, ESCAPES = ("package-unreadable",), ("wheel-malformed",), ("entry-escapes",)
SECOND, DIFFERS = ("wheel-second-distribution",), ("wheel-name-differs",)


def numbered(change, values):
    """One case for each value, under a name that a folder can have."""
    return {f"{index:02}": (lambda draft, outside, value=value: change(draft, value))
            for index, value in enumerate(values)}


def flipped(needle, offset=0, last=False):
    def change(data):
        at = (data.rindex if last else data.index)(needle) + offset
        return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:]
    return change


def other_info(draft, folder, names=("METADATA", "RECORD")):
    for name in names:
        draft.add(f"{folder}/{name}", METADATA if name == "METADATA" else "")
    return draft


def metadata(draft, text):
    return draft.replace("METADATA", text)


def of_wheel(draft, text):
    return draft.replace("WHEEL", text)


NAMES = ["demo_parts.whl", "demo_parts-1.0.whl", "demo_parts-1.0-any.whl", "demo_parts-1.0-py3-none.whl",
         "demo_parts-1.0-x1-py3-none-any.whl", "demo_parts-1.0-1-2-py3-none-any.whl", "demo parts-1.0-py3-none-any.whl",
         "demo_parts-1.0--none-any.whl", "demo_parts-1.0-py3--any.whl", "demo_parts-1.0-py3-none-any.WHL",
         "-1.0-py3-none-any.whl", "demo_parts-1.0-py3-none-any .whl"]

ZIPS = {
    "nothing": lambda d, o: d.bytes_changed(lambda data: b""),
    "text": lambda d, o: d.bytes_changed(lambda data: b"plain text\n" * 40),
    **{f"cut-{share}": lambda d, o, share=share: d.bytes_changed(lambda data: data[:len(data) * share // 8])
       for share in range(1, 8)},
    "cut-last": lambda d, o: d.bytes_changed(lambda data: data[:-1]),
    "end-magic": lambda d, o: d.bytes_changed(flipped(b"PK\5\6", 2)),
    "directory-magic": lambda d, o: d.bytes_changed(flipped(b"PK\1\2", 2, last=True)),
    "directory-start": lambda d, o: d.bytes_changed(lambda data: data[:-6] + b"\xff\xff\xff\x7f" + data[-2:]),
    "local-magic": lambda d, o: d.replace(MODULE, magic=b"PK\3\5"),
    "local-magic-of-metadata": lambda d, o: d.replace("METADATA", magic=b"PK\3\5"),
    "local-name": lambda d, o: d.replace(MODULE, local_name=MODULE.encode().replace(b"init", b"main")),
    "wrong-crc": lambda d, o: d.replace(MODULE, crc=1),
    "wrong-crc-of-wheel": lambda d, o: d.replace("WHEEL", crc=1),
    "no-deflate": lambda d, o: d.replace(MODULE, data=b"\xff" * 20),
    "no-deflate-in-metadata": lambda d, o: d.replace("METADATA", data=b"\xff" * 20),
    "cut-deflate": lambda d, o: d.replace(MODULE, data=b"\x4b"),
    "smaller-than-said": lambda d, o: d.replace(MODULE, size=9),
    "encrypted": lambda d, o: d.replace(MODULE, flags=UTF8 | 1),
    "encrypted-metadata": lambda d, o: d.replace("METADATA", flags=UTF8 | 1),
    "patch-data": lambda d, o: d.replace(MODULE, flags=UTF8 | 0x20),
    "strong-encryption": lambda d, o: d.replace(MODULE, flags=UTF8 | 0x40),
    "unknown-method": lambda d, o: d.replace(MODULE, method=99),
    "zstd": lambda d, o: d.replace(MODULE, method=93),
    "needs-version-9.9": lambda d, o: d.replace(MODULE, needs=99),
    "name-not-utf-8": lambda d, o: d.add(f"{NAME}/".encode() + b"\xff\xfe.py", "x = 1\n"),
    "name-cut-in-a-character": lambda d, o: d.add(f"{NAME}/".encode() + b"\xe8\xaf", "x = 1\n"),
}

NO_INFO = {
    "none": lambda d, o: d.moved(INFO, "info"),
    "below-the-top": lambda d, o: d.moved(INFO, f"{NAME}/{INFO}"),
    "behind-a-dot": lambda d, o: d.moved(INFO, f"./{INFO}"),
    "another-ending": lambda d, o: d.moved(INFO, INFO.replace("dist-info", "egg-info")),
    "upper-case": lambda d, o: d.moved(INFO, INFO.replace("dist-info", "DIST-INFO")),
    "of-another": lambda d, o: d.moved(INFO, "numpy-1.0.dist-info"),
    "of-a-longer-name": lambda d, o: d.moved(INFO, f"{NAME}_x-1.0.dist-info"),
    "of-half-the-name": lambda d, o: d.moved(INFO, "demo-1.0.dist-info"),
    "without-a-name": lambda d, o: d.moved(INFO, "-1.0.dist-info"),
}

TWO_INFOS = {
    "of-another": lambda d, o: other_info(d, "numpy-1.0.dist-info"),
    "of-another-with-all": lambda d, o: other_info(d, "numpy-1.0.dist-info", ("METADATA", "WHEEL", "RECORD", "INSTALLER")),
    "of-another-version": lambda d, o: other_info(d, f"{NAME}-2.0.dist-info"),
    "in-another-spelling": lambda d, o: other_info(d, "Demo.Parts-1.0.dist-info"),
    "with-a-file-alone": lambda d, o: d.add("numpy-1.0.dist-info/licenses/LICENSE", "free\n"),
    "as-a-directory": lambda d, o: d.add("numpy-1.0.dist-info/", b""),
    "as-a-file": lambda d, o: d.add("numpy-1.0.dist-info", "x\n"),
    "first": lambda d, o: d.first("numpy-1.0.dist-info/METADATA", METADATA),
    "without-a-name": lambda d, o: d.add(".dist-info/METADATA", METADATA),
}

BAD_METADATA = {
    "missing": lambda d, o: d.without("METADATA"),
    "a-directory": lambda d, o: d.without("METADATA").add(f"{INFO}/METADATA/", b""),
    "empty": lambda d, o: metadata(d, ""),
    "no-name": lambda d, o: metadata(d, "Metadata-Version: 2.1\nVersion: 1.0\n"),
    "no-version": lambda d, o: metadata(d, f"Metadata-Version: 2.1\nName: {NAME}\n"),
    "empty-version": lambda d, o: metadata(d, f"Metadata-Version: 2.1\nName: {NAME}\nVersion:\n"),
    "latin-1": lambda d, o: metadata(d, METADATA.encode() + b"Author: Andr\xe9\n"),
    "utf-16": lambda d, o: metadata(d, METADATA.encode("utf-16")),
    "cut-in-a-character": lambda d, o: metadata(d, METADATA.encode() + b"\n\xe8\xaf"),
    "begins-with-a-blank-line": lambda d, o: metadata(d, "\n" + METADATA),
    "no-colon-before-the-name": lambda d, o: metadata(d, "Metadata-Version 2.1\n" + METADATA),
    "a-remark-before-the-name": lambda d, o: metadata(d, "# made by hand\n" + METADATA),
    "a-blank-before-the-colon": lambda d, o: metadata(d, METADATA.replace("Name:", "Name :")),
    "name-in-the-text": lambda d, o: metadata(d, METADATA.replace("Name:", "\nName:")),
    "text": lambda d, o: metadata(d, "a wheel\n" * 9),
}

OTHER_VERSIONS = {
    "version": lambda d, o: metadata(d, METADATA.replace("Version: 1.0\n", "Version: 2.0\n")),
    "longer-version": lambda d, o: metadata(d, METADATA.replace("Version: 1.0\n", "Version: 1.0.1\n")),
    "pre-release": lambda d, o: metadata(d, METADATA.replace("Version: 1.0\n", "Version: 1.0rc1\n")),
    "local-version": lambda d, o: metadata(d, METADATA.replace("Version: 1.0\n", "Version: 1.0+gcu\n")),
    "renamed-file": lambda d, o: d.named("demo_parts-3.0-py3-none-any.whl"),
}

BAD_WHEEL = {
    "missing": lambda d, o: d.without("WHEEL"),
    "a-directory": lambda d, o: d.without("WHEEL").add(f"{INFO}/WHEEL/", b""),
    "latin-1": lambda d, o: of_wheel(d, WHEEL.encode() + b"Author: Andr\xe9\n"),
    "utf-16": lambda d, o: of_wheel(d, WHEEL.encode("utf-16")),
    "cut-in-a-character": lambda d, o: of_wheel(d, WHEEL.encode() + b"\xe8\xaf"),
    "empty": lambda d, o: of_wheel(d, ""),
    "begins-with-a-blank-line": lambda d, o: of_wheel(d, "\n" + WHEEL),
    "a-remark-before-the-version": lambda d, o: of_wheel(d, "# by hand\n" + WHEEL),
    "a-blank-before-the-colon": lambda d, o: of_wheel(d, WHEEL.replace("Wheel-Version:", "Wheel-Version :")),
    **numbered(lambda d, version: of_wheel(d, WHEEL.replace("Wheel-Version: 1.0", f"Wheel-Version:{version}")),
               ["", " ", " x", " 1.x", " one", " 1..0", " 1.0 beta", " 1.", " .1", " v1.0", " 2.0", " 2", " 10.0", " 1,0"]),
    "version-in-the-text": lambda d, o: of_wheel(d, "Generator: x\n\n" + WHEEL),
    "another-key": lambda d, o: of_wheel(d, WHEEL.replace("Wheel-Version", "Version")),
}

BAD_RECORD = {
    "missing": lambda d, o: d.without("RECORD"),
    "a-directory": lambda d, o: d.without("RECORD").add(f"{INFO}/RECORD/", b""),
    "latin-1": lambda d, o: d.record_bytes(lambda data: data + b"caf\xe9.py,,\n"),
    "utf-16": lambda d, o: d.record_bytes(lambda data: data.decode().encode("utf-16")),
    "cut-in-a-character": lambda d, o: d.record_bytes(lambda data: data + b"\xe8\xaf"),
    "blank-line": lambda d, o: d.recorded(lambda lines: [lines[0], "", *lines[1:]]),
    "blank-line-first": lambda d, o: d.recorded(lambda lines: ["", *lines]),
    "blank-line-last": lambda d, o: d.recorded(lambda lines: [*lines, ""]),
    "blank-line-of-dos": lambda d, o: d.recorded(lambda lines: [lines[0] + "\r", "\r", *lines[1:]]),
    "endless-field": lambda d, o: d.recorded(lambda lines: [*lines, "x" * 140000 + ",,"]),
}

NOWHERE = numbered(lambda d, path: d.add(path), [
    f"{DATA}/x.py", f"{DATA}/scripts", f"{DATA}/data", "other-2.0.data/x.py", "notes.data", ".data/x", f"{DATA}//x.py",
    f"{DATA}/unknown/x", f"{DATA}/Scripts/x", f"{DATA}/script/x", f"{DATA}/include/x", f"{DATA}/stdlib/x",
    f"{DATA}/platstdlib/x", f"{DATA}/purelib2/x", f"{DATA}/ scripts/x", f"{DATA}/unknown/deep/er/x"])

OUTSIDE = numbered(lambda d, path: d.add(path), [
    "../x.py", "../../x.py", "../../../etc/cron.d/x", f"{NAME}/../../x.py", f"{NAME}/a/../../../x.py", "/x.py",
    "/etc/cron.d/x", "//x.py", f"{DATA}/scripts/../../../x", f"{DATA}/data/../../../../x", f"{DATA}/purelib/../../../x.py",
    f"{DATA}/scripts/../../x", f"{DATA}/../../x.py", "..", f"./../x.py"])

COLLISIONS = {
    **numbered(lambda d, paths: [d.add(path) for path in paths], [
        (f"{NAME}/a", f"{NAME}/a/b.py"), (f"{NAME}/a/b.py", f"{NAME}/a"), ("a", "a/b/c/d.py"), (NAME,),
        (f"{NAME}/a.py", f"{DATA}/purelib/{NAME}/a.py/b"), (f"{DATA}/scripts/run", f"{DATA}/scripts/run/er"),
        (f"{DATA}/data/share/x", f"{DATA}/data/share/x/y"), (f"{DATA}/headers/x.h", f"{DATA}/headers/x.h/y"),
        (f"{INFO}/licenses", f"{INFO}/licenses/LICENSE"), (f"{INFO}/METADATA/x",)]),
    **{f"of-{name}": lambda d, o, name=name: d.add(f"{INFO}/{name}/x") for name in ("INSTALLER", "direct_url.json", "REQUESTED")},
}

LONG = {
    "file": lambda d, o: d.add(f"{NAME}/{'x' * 256}"),
    "directory": lambda d, o: d.add(f"{NAME}/{'x' * 256}/a.py"),
    "script": lambda d, o: d.add(f"{DATA}/scripts/{'x' * 256}"),
    "in-many-bytes": lambda d, o: d.add(f"{NAME}/{'说' * 86}.py"),
    "command": lambda d, o: d.commands(f"{'x' * 256} = {NAME}:main\n"),
}

ENTRY_POINTS = {
    "latin-1": lambda d, o: d.commands(f"[console_scripts]\na = {NAME}:main\n# Andr".encode() + b"\xe9\n"),
    "utf-16": lambda d, o: d.commands(f"[console_scripts]\na = {NAME}:main\n".encode("utf-16")),
    "no-callable": lambda d, o: d.commands(f"a = {NAME}\n"),
    "no-callable-of-a-window": lambda d, o: d.commands(f"a = {NAME}\n", "[gui_scripts]\n"),
    **numbered(lambda d, text: d.commands(text), [
        "just words\n", "a\n", f"a = {NAME}:main\n  and more\n", "; a remark\n", f"a {NAME}:main\n", "= \n", f"= {NAME}:main\n",
        f"a = {NAME}:\n", "a = :main\n", f"a = {NAME}:main:again\n", f"a = {NAME}:main()\n", f"a = {NAME} main\n", "a =\n",
        f"a = {NAME}:main [x\n", f"a = {NAME}:main x]\n", f"a = {NAME}:main; import os\n", f". = {NAME}:main\n",
        f".. = {NAME}:main\n", f"a/ = {NAME}:main\n", f"a = {NAME} : main\n",
        f"a = {NAME}:main\na = {NAME}:main\n", f"a = {NAME}:main\na = {NAME}:other\n",
        f"a = {NAME}:main\nb = {NAME}:main\na={NAME}:other\n",
        f"a = {NAME}:main\n[gui_scripts]\nb = {NAME}:main\nb = {NAME}:main\n",
        f"a = {NAME}:main\n[demo.plugins]\nx = {NAME}:main\nx = {NAME}:main\n",
        f"a = {NAME}:main\n[console_scripts]\nb = {NAME}:main\n",
        f"a = {NAME}:main\n[demo.plugins]\nx = {NAME}:main\n[demo.plugins]\ny = {NAME}:main\n",
        f"a = {NAME}:main\n[demo.plugins\nx = {NAME}:main\n", f"a = {NAME}:main\n[demo.plugins] x\nx = {NAME}:main\n",
        f"a = {NAME}:main\n[demo plugins]\nx = {NAME}:main\n", f"a = {NAME}:main\n[]\nx = {NAME}:main\n",
        f"a = {NAME}:main\n[demo.plugins]\nwords\n", f"a = {NAME}:main\n[demo.plugins]\nx = not an object\n"]),
    "before-any-group": lambda d, o: d.commands(f"a = {NAME}:main\n", ""),
    "group-without-its-end": lambda d, o: d.commands(f"a = {NAME}:main\n", "[console_scripts\n"),
}

FAULTY = {
    "file-name": Rule("a file name that is not that of a wheel", UNREADABLE,
                      numbered(lambda d, name: d.named(name), NAMES)),
    "zip": Rule("a zip that is damaged, or that Python cannot read", (*UNREADABLE, "archive-bomb", "bad-entry-name"), ZIPS),
    "no-dist-info": Rule("no `.dist-info` directory of its name", (*UNREADABLE, *MALFORMED, "wheel-second-distribution"), NO_INFO),
    "two-dist-infos": Rule("two `.dist-info` directories at the top", (*SECOND, *UNREADABLE), TWO_INFOS),
    "metadata": Rule("METADATA missing, not UTF-8, or without name or version where pip looks for them",
                     (*UNREADABLE, *MALFORMED), BAD_METADATA),
    "other-version": Rule("another version in METADATA than in the file name", DIFFERS, OTHER_VERSIONS),
    "wheel": Rule("WHEEL missing, not UTF-8, or without a Wheel-Version of 1", (*UNREADABLE, *MALFORMED), BAD_WHEEL),
    "record": Rule("RECORD missing, not UTF-8, or with a blank line",
                   (*UNREADABLE, *MALFORMED, "file-not-listed", "listed-file-missing"), BAD_RECORD),
    "data": Rule("a file directly in `.data/`, or in a directory there that no installer knows", MALFORMED, NOWHERE),
    "outside": Rule("a member that climbs out of its place", (*ESCAPES, *UNREADABLE), OUTSIDE),
    "collision": Rule("a file in the place of a directory", (*MALFORMED, *UNREADABLE), COLLISIONS),
    "long-name": Rule("a name of more than 255 bytes", MALFORMED, LONG),
    "entry-points": Rule("`entry_points.txt` that pip crashes on, when it installs or when it uninstalls",
                         (*MALFORMED, *ESCAPES), ENTRY_POINTS),
}
