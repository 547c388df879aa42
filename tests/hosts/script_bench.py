"""Installs a package with a hostile script in one of the ways to know what it writes, rolls back, and compares the root."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hosts.crafted import add_programs, build, change, deb
from hosts.hostile_scripts import TARGET, TEXT, compiled
from hosts.operations import LOCKS, NOT_COMPARED
from support.compiled import compiled as older_kernel

WAYS = ("observed", "predicted", "auto")
ACCEPTED = [word for name in ("script-changes-remote-login", "script-opens-network-shell", "elf-wrong-machine")
            for word in ("--accept", name)]


@dataclass
class Row:
    """What came of one case in one way."""

    case: str
    way: str
    known: str
    outcome: str       # of the end: rolled_back, rolled_back_with_differences, failed_before_change, ...
    differing: list    # lines of the digest
    unnamed: list      # those of which nothing was said
    said: str

    @property
    def is_exact(self):
        return not self.differing and self.outcome == "rolled_back"

    @property
    def is_honest(self):
        """Exact, or every path that differs is named and the outcome tells it."""
        return not self.unnamed and (not self.differing or self.outcome == "rolled_back_with_differences")


class ScriptBench:
    """All cases have the same host before; one that was not restored is made anew."""

    def __init__(self, make_host, binary, bundle, scratch, cases, old=None, local=""):
        """`old`: a deb that the host has before, with what an administrator then does."""
        self.old, self.local = old, local
        self.make_host, self.binary, self.scratch, self.cases = make_host, binary, Path(scratch), cases
        self.bundle = bundle  # (python) -> folder
        self.programs = compiled(scratch)
        self.host, self.made = None, 0

    def close(self):
        if self.host:
            self.host.remove()
        self.host = None

    def prepared(self):
        if self.host is None:
            self.host = self.make_host()
            self.host.install_binary(self.binary)
            self.host.copy_in(older_kernel("older_kernel", "-static"), "/srv/older_kernel")
            self.host.path(TARGET).write_text(TEXT)
            self.install([*([self.old] if self.old else []), *(each for case in self.cases for each in case.debs)])
            if self.local:
                self.host.run(["sh", "-ec", self.local], check=True)
            for case in self.cases:
                if case.before:
                    self.host.run(["sh", "-ec", case.before], check=True)
            self.before = self.digest()
        return self.host

    def install(self, debs):
        for package in debs:
            self.made += 1
            target = self.scratch / f"{package['name']}-{self.made}.deb"
            deb(target.with_suffix(""), target, **package)
            self.host.copy_in(target, f"/srv/debs/{target.name}")
        if debs:
            self.host.run(["sh", "-ec", "dpkg -i $(ls -tr /srv/debs/*.deb); rm -r /srv/debs"], check=True)

    def digest(self):
        # What no restart survives or anybody may write is not kept, as for every rollback.
        return self.host.digest((*NOT_COMPARED, "/srv/bundle", "/run/*", "/tmp/*", "/var/log/*"))

    def package(self, case):
        """The bundle of the case, put into the host."""
        self.made += 1
        folder, tree = self.scratch / f"bundle-{self.made}", self.scratch / f"tree-{self.made}"
        shutil.copytree(self.bundle(self.host.python_minor()), folder)
        original, = folder.glob("distributed/tops-eccl*")
        subprocess.run(["dpkg-deb", "-R", original, tree], check=True, capture_output=True)
        change(tree, case.fields, case.script if "postinst" not in case.scripts else "", case.files)
        add_programs(tree, case.scripts, case.executables)
        for path, name in case.programs.items():
            place = tree / path.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.programs[name], place)
        build(tree, original)
        shutil.rmtree(tree)
        shutil.rmtree(self.host.path("/srv/bundle"), ignore_errors=True)
        self.host.copy_in(folder, "/srv/bundle")
        shutil.rmtree(folder)

    def run(self, case, way, place):
        """The documents of install and rollback, none of the latter after an install that changed nothing, and whether
        what the case has mounted is as before. All in the same mounts."""
        state = f"tar -C {case.mounted} --sort=name -cf - . | md5sum" if case.mounted else "echo same"
        topsctl = f"/srv/older_kernel {place} topsctl" if place else "topsctl"
        script = f"""{case.within}; before=$({state})
{topsctl} install /srv/bundle --json --write-set {way} {" ".join(ACCEPTED)}; code=$?
[ $code != 0 ] || {topsctl} rollback --json
[ "$before" = "$({state})" ] && echo same || echo other"""
        done = self.host.run(["sh", "-c", script], timeout=600)
        documents, rest = [], done.stdout
        while rest.startswith("{"):
            document, end = json.JSONDecoder().raw_decode(rest)
            documents.append(document)
            rest = rest[end:].lstrip()
        assert documents, f"{case.name}: {done}"
        return documents, rest.strip() == "same"

    def measure(self, case, way, place=""):
        """`place`: arguments of tests/support/older_kernel; none: the kernel and the rights are those of this machine."""
        self.prepared()
        self.package(case)
        documents, is_same = self.run(case, way, place)
        done, end = documents[0], documents[-1]
        known = done["write_set"]["known"] if done.get("write_set") else "none"
        shutil.rmtree(self.host.path("/srv/bundle"))
        differing = [line for line in self.before.diff(self.digest()) if not line.startswith(LOCKS)]
        if not is_same:
            differing.append(f"~ {case.mounted}: changed")
        told = {path for path in done.get("escaped_paths") or []}
        told |= {line.split(": ")[0] for line in end.get("not_restored") or []}
        row = Row(case.name, way, known, end["outcome"] or "failed_before_change", differing,
                  [line for line in differing if not is_named(line, told)], f"{done.get('msg')} | {done.get('error')} | {end.get('msg')}")
        if differing or row.outcome not in ("rolled_back", "failed_before_change"):
            self.close()
        return row


def is_named(line, told):
    """Whether the path of a digest's line, or a folder above it, or what lies in it, is among those that were told."""
    path = line[2:].split(": ")[0] if line.startswith("~") else line[2:].rsplit(" (", 1)[0]
    path = "".join("?" if each < " " or "\udc80" <= each <= "\udcff" else each for each in path)  # as reports write it
    return any(path == each or path.startswith(f"{each}/") or each.startswith(f"{path}/") for each in told)
