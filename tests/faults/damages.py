"""Damages to the journal and the store of a transaction that was cut off, each made in its folder."""

import json
import os
import shutil
from pathlib import Path
from urllib.parse import unquote


def journal_damages(folder):
    """name -> what makes it, for the journal of such a transaction."""
    lines = (folder / "journal").read_bytes().splitlines(keepends=True)
    whole, count = b"".join(lines), len(lines)

    def written(parts):
        return lambda place: (place / "journal").write_bytes(b"".join(parts))

    damages = {"cut by a byte": written([whole[:-1]]), "cut in the last record": written([whole[:-len(lines[-1]) // 2]]),
               "missing": lambda place: (place / "journal").unlink(), "a folder": _to_folder("journal"),
               "a link": _to_link("journal"), "a dangling link": _to_dangling_link("journal")}
    for number in range(count):
        damages[f"cut after {number} records"] = written(lines[:number])
        damages[f"record {number} twice"] = written([*lines[:number + 1], *lines[number:]])
        at = len(lines[number]) // 2
        flipped = bytes([*lines[number][:at], lines[number][at] ^ 1, *lines[number][at + 1:]])
        damages[f"a bit of record {number}"] = written([*lines[:number], flipped, *lines[number + 1:]])
        if number + 1 < count:
            damages[f"without record {number}"] = written([*lines[:number], *lines[number + 1:]])
            damages[f"records {number} and {number + 1} swapped"] = written(
                [*lines[:number], lines[number + 1], lines[number], *lines[number + 2:]])
    return damages


def store_damages(folder, root):
    """The same for what is kept."""
    damages = {"no snapshot": lambda place: shutil.rmtree(place / "snapshot"), "snapshot is a file": _to_file("snapshot")}
    records = [name for name in ("snapshot", "undo") if (folder / name / "manifest").exists()]
    for record in records:
        damages.update({f"{record} record {name}": make for name, make in _file_damages(f"{record}/manifest").items()})
    for kind, content in _needed_contents(folder, root).items():
        damages.update({f"kept {kind} {name}": make for name, make in _file_damages(content).items()})
    return damages


def _needed_contents(folder, root):
    """A kept copy, a kept link and a link of a file with several names, of paths that are no longer as they were."""
    found = {}
    seals = folder / "snapshot/seals"
    sealed = {line.split()[0] for line in seals.read_text().splitlines()} if seals.exists() else set()
    for line in (folder / "snapshot/manifest").read_text().splitlines()[1:-1]:
        kept = json.loads(line)
        if not kept.get("content"):
            continue
        number = int(kept["content"][1:])
        link = f"snapshot/links-{number % 16}/{kept['content']}"
        kind = "link" if kept["linked"] else "file of several names" if kept["both"] else "copy"
        host = root / unquote(kept["path"]).lstrip("/")
        content = link if kind != "copy" else f"snapshot/{kept['content']}"
        if host.is_file() and not host.is_symlink() and host.read_bytes() == (folder / content).read_bytes():
            continue
        # What a link holds is known once it is sealed, in the background.
        if kept["size"] > 0 and (kind != "link" or kept["content"] in sealed):
            found.setdefault(kind, content)
    return found


def _file_damages(name):
    return {"missing": lambda place: (place / name).unlink(), "empty": _to_bytes(name, lambda old: b""),
            "cut by a byte": _to_bytes(name, lambda old: old[:-1]),
            "of other bytes": _to_bytes(name, lambda old: bytes([*old[:len(old) // 2], old[len(old) // 2] ^ 1,
                                                                 *old[len(old) // 2 + 1:]])),
            "a folder": _to_folder(name), "a link": _to_link(name)}


def _to_bytes(name, change):
    """Written in its place, its time as before."""
    def make(place):
        status = (place / name).stat()
        (place / name).write_bytes(change((place / name).read_bytes()))
        os.utime(place / name, ns=(status.st_atime_ns, status.st_mtime_ns))
    return make


def _to_folder(name):
    def make(place):
        (place / name).unlink()
        (place / name).mkdir()
    return make


def _to_file(name):
    def make(place):
        shutil.rmtree(place / name)
        (place / name).touch()
    return make


def _to_link(name):
    def make(place):
        (place / name).rename(place / "elsewhere")
        (place / name).symlink_to(place / "elsewhere")
    return make


def _to_dangling_link(name):
    def make(place):
        (place / name).unlink()
        (place / name).symlink_to(Path("/nowhere"))
    return make
