"""Compares what topsctl inspect says of debs and wheels with what dpkg-deb, sha256sum and Python say of them."""

import base64
import csv
import email
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import zipfile
from datetime import datetime, timezone
from pathlib import Path

ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
RELATIONS = {"Pre-Depends": "pre_depends", "Depends": "depends", "Recommends": "recommends",
             "Suggests": "suggests", "Breaks": "breaks", "Conflicts": "conflicts", "Replaces": "replaces", "Provides": "provides"}
TYPES = {"-": "file", "d": "directory", "l": "symlink", "h": "hardlink", "c": "character-device",
         "b": "block-device", "p": "fifo"}
SCRIPTS = {"preinst", "postinst", "prerm", "postrm", "config"}
# What inspect may find in a package of a distribution is a matter of taste, but not that it is damaged.
DAMAGE = {"package-unreadable", "container-unreadable", "digest-mismatch", "listed-file-missing", "entry-escapes",
          "link-escapes", "duplicate-entry", "bad-entry-name", "archive-bomb"}


def said(command):
    return subprocess.run(command, capture_output=True, check=True, env=ENVIRONMENT).stdout.decode(
        errors="surrogateescape")


def inspected(binary, path):
    """What topsctl says of one package file, and the findings on it."""
    done = subprocess.run([binary, "inspect", "--json", "--deep", path], capture_output=True, check=False,
                          env=ENVIRONMENT)
    try:
        document = json.loads(done.stdout)
        package, = [one for one in document["packages"] if one["container"] == []]
    except ValueError:
        text = (done.stdout[:500] + done.stderr[-1500:]).decode(errors="replace")
        raise AssertionError(f"topsctl inspect {path}: exit {done.returncode}: {text}") from None
    return package, document["findings"]


def fields_of(path):
    """The control fields as dpkg-deb prints them: name -> value, folded lines joined by a blank."""
    found, name = {}, None
    for line in said(["dpkg-deb", "-f", path]).splitlines():
        if line[:1] in (" ", "\t"):
            found[name].append(line.strip())
        else:
            name, _, value = line.partition(":")
            found[name] = [value.strip()]
    return {name: " ".join(part for part in lines if part) for name, lines in found.items()}


LINE = re.compile(r"(?P<mode>[-dlhcbp][-rwxsStT]{9}) (?P<owner>\S+)\s+(?P<size>[\d,]+) (?P<date>\d{4}-\d\d-\d\d \d\d:\d\d)"
                  r" (?P<name>.*)\Z", re.DOTALL)


def octal_mode(text):
    """"rwsr-xr-x" as "4755"."""
    bits = 0
    for index, letter in enumerate(text):
        if letter not in "-ST":
            bits |= 1 << (8 - index)
        if letter in "sStT":
            bits |= (0o4000, 0o2000, 0o1000)[index // 3]
    return f"{bits:04o}"


def unescaped(name):
    """A name as it is, of one in which tar has escaped what does not print."""
    plain = {"n": "\n", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "r": "\r", "v": "\v", "\\": "\\", "?": "\x7f"}
    raw = re.sub(r"\\([0-7]{3}|.)", lambda hit: chr(int(hit[1], 8)) if len(hit[1]) == 3 else plain[hit[1]], name)
    if raw == name:
        return name
    return b"".join(part.encode("latin-1") if ord(part) < 256 else part.encode() for part in raw).decode(
        errors="surrogateescape")


def absolute(name):
    name = unescaped(name)
    return "/" + name.removeprefix(".").strip("/")


def files_of(path):
    """The payload as dpkg-deb lists it: (path, type, mode, owner, size, minute, link target).

    The entry of the root itself is left out: it is no file of the package, and topsctl does not list it.
    """
    found = []
    for line in said(["dpkg-deb", "-c", path]).splitlines():
        hit = LINE.match(line)
        assert hit, f"{path}: what does dpkg-deb mean by {line!r}?"
        kind, name, target = TYPES[hit["mode"][0]], hit["name"], None
        if kind == "symlink":
            name, _, target = name.partition(" -> ")
            target = unescaped(target)
        elif kind == "hardlink":
            name, _, target = name.partition(" link to ")
            target = absolute(target)
        size = int(hit["size"]) if kind == "file" else 0
        if absolute(name) != "/":
            found.append((absolute(name), kind, octal_mode(hit["mode"][1:]), hit["owner"], size, hit["date"],
                          target))
    return sorted(found, key=str)


def shown_files(package):
    """The payload as topsctl lists it, in the same form."""
    found = []
    for one in package["files"] or []:
        minute = datetime.fromtimestamp(one["mtime"], timezone.utc).strftime("%Y-%m-%d %H:%M")
        size = one["size"] if one["type"] == "file" else 0
        found.append((one["path"], one["type"], one["mode"] or "0000", one["owner"], size, minute, one["link_target"]))
    return sorted(found, key=str)


def differing(what, ours, theirs):
    if ours == theirs:
        return []
    if isinstance(ours, list) and isinstance(theirs, list):
        only_ours = sorted(set(ours) - set(theirs), key=str)
        only_theirs = sorted(set(theirs) - set(ours), key=str)
        return [f"{what}: {max(len(only_ours), len(only_theirs))} differ, ours {only_ours[:3]} theirs {only_theirs[:3]}"]
    return [f"{what}: ours {ours!r} theirs {theirs!r}"]


def clauses(text):
    return [part.strip() for part in text.split(",") if part.strip()]


def compare_deb(binary, path):
    """(differences, number of files) of one deb."""
    path = Path(path)
    package, findings = inspected(binary, path)
    fields = fields_of(path)
    found = [f"finding {one['id']}: {str(one['evidence'])[:300]}" for one in findings if one["id"] in DAMAGE]
    if package["deb"] is None:
        return [*found, f"not read: {package['problem']}"], 0
    for ours, field in (("name", "Package"), ("version", "Version"), ("architecture", "Architecture")):
        found += differing(field, package[ours], fields.get(field))
    for field, ours in RELATIONS.items():
        found += differing(field, package["deb"][ours], fields.get(field))
    found += differing("depends", package["depends"],
                       clauses(fields.get("Pre-Depends", "")) + clauses(fields.get("Depends", "")))
    for field, ours in (("Source", "source"), ("Section", "section"), ("Maintainer", "maintainer"),
                        ("Multi-Arch", "multi_arch")):
        found += differing(field, package["deb"][ours], fields.get(field))
    installed = fields.get("Installed-Size")
    found += differing("Installed-Size", package["installed_size"], int(installed) << 10 if installed else None)
    found += differing("size", package["size"], path.stat().st_size)
    found += differing("sha256", package["sha256"], said(["sha256sum", "--", path]).split()[0].lstrip("\\"))
    theirs = files_of(path)
    found += differing("files", shown_files(package), theirs)
    control = subprocess.run(["dpkg-deb", "--ctrl-tarfile", path], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(control)) as archive:
        members = {os.path.normpath(name) for name in archive.getnames()}
        conffiles = archive.extractfile("./conffiles").read().decode() if "conffiles" in members else ""
    found += differing("scripts", sorted(package["deb"]["scripts"]), sorted(members & SCRIPTS))
    # dpkg-deb prints them as they are; `remove-on-upgrade` before a path is a flag (deb-conffiles(5)).
    found += differing("conffiles", package["deb"]["conffiles"],
                       [line.split()[-1] for line in conffiles.splitlines() if line.strip()])
    return found, len(theirs)


def record_of(archive, name):
    """What Python makes of a RECORD: (paths whose digest is wrong, listed but missing, there but not listed)."""
    rows = [row for row in csv.reader(io.StringIO(archive.read(name).decode())) if row]
    names = {one for one in archive.namelist() if not one.endswith("/")}
    wrong = set()
    for path, digest, _ in rows:
        if path in names and digest:
            method, _, wanted = digest.partition("=")
            content = archive.read(path)
            got = base64.urlsafe_b64encode(hashlib.new(method, content).digest()).decode().rstrip("=")
            if got != wanted:
                wrong.add(path)
    listed = {row[0] for row in rows}
    unlisted = {one for one in names - listed if not one.endswith((".jws", ".p7s"))}
    return sorted(wrong), sorted(listed - names), sorted(unlisted)


def compare_wheel(binary, path):
    """(differences, number of files) of one wheel."""
    path = Path(path)
    package, findings = inspected(binary, path)
    found = []
    with zipfile.ZipFile(path) as archive:
        record, = [one for one in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/RECORD", one)]
        metadata = email.message_from_string(archive.read(record[:-6] + "METADATA").decode(errors="surrogateescape"))
        wheel = email.message_from_bytes(archive.read(record[:-6] + "WHEEL"))
        wrong, missing, unlisted = record_of(archive, record)
        theirs = sorted((one.filename, one.file_size) for one in archive.infolist() if not one.is_dir())
    found += differing("Name", package["name"], metadata["Name"])
    found += differing("Version", package["version"], metadata["Version"])
    found += differing("Requires-Python", package["python"] and package["python"]["requires"],
                       metadata["Requires-Python"])
    found += differing("Requires-Dist", package["depends"],
                       [" ".join(one.split()) for one in metadata.get_all("Requires-Dist", [])])
    found += differing("Root-Is-Purelib", package["wheel"] and package["wheel"]["root_is_purelib"],
                       wheel["Root-Is-Purelib"].lower() == "true")
    ours = sorted((one["path"], one["size"] or 0) for one in package["files"] or [] if one["type"] == "file")
    found += differing("files", ours, theirs)
    found += differing("sha256", package["sha256"], said(["sha256sum", "--", path]).split()[0].lstrip("\\"))
    for finding_id, paths in (("digest-mismatch", wrong), ("listed-file-missing", missing),
                              ("file-not-listed", unlisted)):
        told = any(one["id"] == finding_id for one in findings)
        if told != bool(paths):
            found.append(f"{finding_id}: ours {told}, Python's {paths[:5]}")
    return found, len(theirs)
