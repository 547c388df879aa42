#!/usr/bin/env python3
"""Hostile packages: what inspect says of each, and what install does. Run as a program it writes the table of
docs/security.md."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
DOCUMENT = REPOSITORY / "docs" / "security.md"
BEGIN, END = "<!-- hostile packages: begin -->", "<!-- hostile packages: end -->"
REFUSED = "refused"  # nothing is changed, exit 3 or 4
TAKEN = "installed"
NOT_COMPARED = "installed: md5sums are for `inspect --deep`"


@dataclass(frozen=True)
class Hostile:
    """One case of tests/support/corpus; `ids` are its findings of severity warning and above."""
    what: str
    ids: tuple
    install: str = REFUSED


def of(what, *ids, install=REFUSED):
    return Hostile(what, ids, install)


UNREADABLE, BOMB, BY_DPKG = "package-unreadable", "archive-bomb", "dpkg-refuses-package"
HARD, SHADOWS, START = "hard-link-outside", "shadows-system-program", "wheel-runs-at-start"

PACKAGES = {
    # debs: what dpkg would write elsewhere, or with rights that nobody asked for
    "deb-entry-climbs-out": of("an entry `../../etc/cron.d/x`", "entry-escapes"),
    "deb-entry-climbs-out-inside": of("an entry `opt/../../../etc/cron.d/x`", "entry-escapes"),
    "deb-link-escapes": of("an entry below a link that leads out of the package", "link-escapes"),
    "deb-hard-link-escapes": of("a hard link to `../../etc/shadow`, mode 0666", HARD),
    "deb-hard-link-to-the-host": of("a hard link to the host's `/etc/shadow`, mode 0666", HARD),
    "deb-hard-link-to-a-later-file": of("a hard link to a file that comes later", HARD),
    "deb-hard-link-behind-a-link": of("a hard link through a link to `/etc`", "hard-link-outside"),
    "deb-hard-link-to-a-link": of("a hard link to a link to `/etc/shadow`", HARD),
    "deb-hard-link-to-itself": of("a hard link to itself, a file of the host", HARD),
    "deb-character-device": of("a character device", "device-file"),
    "deb-block-device": of("a block device", "device-file"),
    "deb-pipe": of("a named pipe", "device-file"),
    "deb-duplicate-entry": of("one name twice, with two contents", "digest-mismatch", "duplicate-entry"),
    "deb-duplicate-under-another-spelling": of("one name twice, once as `opt//tops/./share`", "digest-mismatch",
                                               "duplicate-entry"),
    "deb-name-with-control-characters": of("a name that clears the terminal", "bad-entry-name"),
    "deb-name-turned-around": of("a name with U+202E, shown as another one", "bad-entry-name"),
    "deb-shadows-python": of("a `/usr/local/bin/python3`", SHADOWS),
    "deb-shadows-dpkg": of("a `/usr/local/sbin/dpkg`", SHADOWS),
    "deb-setuid-file": of("a setuid program of root", "setuid-file", install=TAKEN),
    "deb-world-writable-file": of("a file that everybody may write", "world-writable-file", install=TAKEN),
    "deb-library-open-to-others": of("a library that everybody may change", "library-open-to-others"),
    "deb-libraries-below-a-sticky-directory": of("a directory of libraries with mode 1777", "library-open-to-others"),
    "deb-instructions-open-to-others": of("loader paths, a unit and a module of Python that everybody may change",
                                          "library-open-to-others"),
    "deb-stub-library": of("16 bytes named `libeccl.so`", "library-not-elf"),
    "deb-other-machine": of("a library for another processor", "elf-wrong-machine"),
    "deb-run-path-in-tmp": of("a library that loads others from `/tmp`", "search-path-insecure", install=TAKEN),
    # debs: what readers disagree on, or that never ends
    "deb-too-deep": of("a file 901 directories deep", UNREADABLE),
    "deb-sparse-entry": of("a sparse entry, whose size nobody knows", BY_DPKG),
    "deb-unknown-entry-type": of("an entry of an unknown type", BY_DPKG),
    "deb-unknown-member-before-data": of("an unknown member before the data", BY_DPKG),
    "deb-format-3": of("a format that does not exist", BY_DPKG),
    "deb-size-field-negative": of("a member of -1 bytes", UNREADABLE),
    "deb-size-field-ten-digits": of("a member of 9,999,999,999 bytes that is not there", UNREADABLE),
    "deb-without-control": of("no control archive", UNREADABLE),
    "deb-bit-flip-in-xz-data": of("a flipped bit in the data", UNREADABLE),
    "deb-cut-in-data": of("the second half missing", UNREADABLE),
    "deb-md5sums-differ": of("a file that is not what md5sums says", "digest-mismatch", install=NOT_COMPARED),
    "deb-listed-file-missing": of("a file of md5sums missing", "listed-file-missing", install=NOT_COMPARED),
    "bomb-zeros-xz": of("10 GiB of zeros in a small deb", BOMB),
    "bomb-file-of-8-exbibyte": of("an entry of 8 EiB", UNREADABLE),
    "bomb-negative-size": of("an entry of a negative size", BY_DPKG),
    # debs: scripts
    "script-folded-line": of("`rm -rf /etc`, folded over two lines", "script-deletes-system-folder"),
    "script-downloads-and-runs": of("`curl ... | sh`", "script-runs-download"),
    "script-runs-downloader": of("a program that its postinst runs, and that downloads", "script-runs-downloader"),
    "script-writes-to-disk": of("`dd of=/dev/sda`", "script-writes-to-disk-device"),
    "script-opens-sudo": of("a line for `/etc/sudoers`", "script-changes-sudoers"),
    "script-reboots": of("`reboot`", "script-reboots"),
    "script-mode-777": of("`chmod -R 777`", "script-makes-world-writable"),
    "script-runs-pip": of("`pip3 install`", "script-runs-pip"),
    "script-runs-apt": of("`apt-get install`", "script-runs-package-manager"),
    # wheels: code that runs for everybody, or in another's name
    "wheel-code-in-pth": of("a `.pth` file with an import line", START),
    "wheel-code-in-pth-of-data": of("the same by way of `.data/data`", START),
    "wheel-code-in-pth-after-a-carriage-return": of("an import line behind a carriage return", START),
    "wheel-path-in-pth": of("a `.pth` file with a directory", "wheel-adds-python-path", install=TAKEN),
    "wheel-sitecustomize": of("a `sitecustomize.py`", START),
    "wheel-sitecustomize-of-purelib": of("the same by way of `.data/purelib`", START),
    "wheel-usercustomize-package": of("a package `usercustomize`", START),
    "wheel-second-dist-info": of("metadata of a pip 99.0", "wheel-second-distribution"),
    "wheel-egg-info": of("metadata of a torch 99.0 in the old form", "wheel-second-distribution"),
    "wheel-module-of-pip": of("a file in pip's package", "wheel-foreign-files"),
    "wheel-module-of-setuptools": of("a file in setuptools' package", "wheel-foreign-files"),
    "wheel-module-of-torch": of("a file in torch's package by way of `.data/platlib`", "wheel-foreign-files"),
    "wheel-script-python3": of("a command `python3`", SHADOWS),
    "wheel-script-dpkg-in-sbin": of("a `dpkg` for `/usr/local/sbin`", SHADOWS),
    "wheel-script-ldconfig-in-bin": of("an `ldconfig` for `/usr/local/bin`", SHADOWS),
    "wheel-entry-point-sudo": of("an entry point `sudo`", SHADOWS),
    # wheels: what is written elsewhere, or does not match RECORD
    "wheel-member-climbs-out": of("a member `../../../etc/cron.d/x`", "entry-escapes"),
    "wheel-member-climbs-out-inside": of("a member `torch_demo/../../x.py`", "entry-escapes"),
    "wheel-member-absolute": of("a member `/etc/cron.d/x`", "entry-escapes"),
    "wheel-duplicate-member": of("one name twice, with two contents", "digest-mismatch", "duplicate-entry"),
    "wheel-names-disagree": of("two names for one member", UNREADABLE),
    "wheel-name-turned-around": of("a name with U+202E, shown as another one", "bad-entry-name"),
    "wheel-too-deep": of("a file 901 directories deep", UNREADABLE),
    "wheel-record-differs": of("a file that does not match RECORD", "digest-mismatch"),
    "wheel-record-lacks-a-file": of("a file that RECORD does not list", "file-not-listed"),
    "wheel-record-without-digest": of("a line of RECORD without a digest", "digest-not-given"),
    "wheel-record-lists-too-much": of("a file of RECORD missing", "listed-file-missing"),
    "wheel-metadata-of-another": of("the metadata of another distribution", "wheel-malformed", "wheel-name-differs"),
    "wheel-name-differs": of("another name in METADATA", "wheel-name-differs"),
    "wheel-encrypted-member": of("an encrypted member", UNREADABLE),
    "wheel-overlapping-members": of("20,000 members over the same bytes", UNREADABLE),
    "wheel-stub-library": of("16 bytes named `libeccl.so`", "library-not-elf"),
    "wheel-extension-of-another-python": of("a module for another Python", "python-abi-differs"),
    # self-extracting files, which install does not unpack
    "run-md5-wrong": of("a payload that is not what its MD5 says", "runfile-checksum-wrong"),
    "run-sha256-wrong": of("a payload that is not what its SHA-256 says", "runfile-checksum-wrong"),
    "run-with-hostile-packages": of("a deb with a device and a wheel with `sitecustomize`", "device-file", START),
    "run-encrypted": of("an encrypted payload", "container-unreadable"),
    "run-of-another-tool": of("a script that is no makeself archive, beside a deb", "runfile-not-understood",
                              install=TAKEN),
    "container-entry-climbs-out": of("a tar with an entry `../../etc/cron.d/x`", "container-unreadable"),
}


def severities():
    """id -> severity of all findings, as the program has them."""
    found = {}
    for file in sorted((REPOSITORY / "src" / "data" / "findings").glob("*.json")):
        found |= {name: entry["severity"] for name, entry in json.loads(file.read_text(encoding="utf-8")).items()}
    rules = json.loads((REPOSITORY / "src" / "data" / "rules" / "maintainer-scripts.json").read_text(encoding="utf-8"))
    return found | {rule["id"]: rule["severity"] for rule in (rules["rules"] if isinstance(rules, dict) else rules)}


def table():
    """The lines between the two markers."""
    severity = severities()
    rows = ["| package | what it has | `inspect --deep` | `install` |", "|---|---|---|---|"]
    for name, package in PACKAGES.items():
        said = ", ".join(f"`{one}` ({severity[one]})" for one in package.ids)
        rows.append(f"| {name} | {package.what} | {said} | {package.install} |")
    return "\n".join(rows)


def between(text, begin, end, lines):
    """The text with what stands between the two markers replaced."""
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{lines}\n{end}{after}"


def with_table(text):
    """The document with the table as it should be."""
    return between(text, BEGIN, END, table())


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    sys.exit(0)
