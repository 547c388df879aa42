"""What the tests of transfer and deploy share: topsctl on the workstation of a fleet, and what then lies on its hosts."""

import hashlib
import json
import os
import re
import shlex
import stat
from pathlib import Path

from support.topsctl import Outcome

DESTINATION = "/tmp/topsrider_install"
HOME = "/root"  # of the user by whom most targets are reached
CACHE = f"{HOME}/.cache/topsctl"
CHUNK = 4 << 20
PATIENCE = 300  # seconds, for machines that do much else


class Workstation:
    """Runs topsctl as somebody at the client of the fleet does."""

    def __init__(self, fleet, binary, schema):
        self.fleet = fleet
        self.hosts = fleet.hosts
        self.binary = Path(binary).resolve()
        self._schema = schema

    def topsctl(self, *argv, env=None, timeout=PATIENCE, prefix=()):
        """An Outcome."""
        done = self.fleet.client.run([*prefix, self.binary, *argv], env=env, timeout=timeout)
        return Outcome(("topsctl", *map(os.fspath, argv)), done.returncode, done.stdout, done.stderr)

    def json(self, command, *argv, code=0, **options):
        """The document that the command prints, valid by its schema."""
        outcome = self.topsctl(command, *argv, "--json", **options)
        return self._checked(command, outcome, code)

    def on_terminal(self, command, *argv, answers=(), code=0, env=None, timeout=PATIENCE):
        """(document, Terminal) of a run at a terminal, whose standard output alone goes to a file."""
        output = self.fleet.home / "output"
        words = " ".join(shlex.quote(os.fspath(word)) for word in (self.binary, command, *argv, "--json"))
        seen = self.fleet.client.on_terminal(["sh", "-c", f"exec {words} >{shlex.quote(str(output))}"], answers, timeout, env)
        outcome = Outcome(("topsctl", command, *map(os.fspath, argv)), seen.returncode, output.read_text(), seen.output)
        assert not seen.unanswered, outcome
        return self._checked(command, outcome, code), seen

    def start(self, command, *argv, **options):
        """A Popen of a run whose events come on standard error."""
        return self.fleet.client.start([self.binary, command, *argv, "--json", "--events"], **options)

    def finished(self, command, process, code=0, timeout=PATIENCE):
        """(document, events) of a run that was started, when it has ended."""
        out, err = process.communicate(timeout=timeout)
        outcome = Outcome(("topsctl", command), process.returncode, out, err)
        return self._checked(command, outcome, code), events_in(err or "")

    def _checked(self, command, outcome, code):
        assert outcome.code in ([code] if isinstance(code, int) else code), outcome
        document = outcome.json
        self._schema(document, command)
        return document

    def configure(self, text):
        """Puts text before what the client's ssh_config says."""
        config = self.fleet.home / ".ssh" / "config"
        config.write_text(text + config.read_text())

    @property
    def known_hosts(self):
        return self.fleet.home / ".ssh" / "known_hosts"


def events_in(text):
    """The events among the lines of a run's standard error."""
    events = []
    for line in text.splitlines():
        if line.startswith("{"):
            event = json.loads(line)
            if isinstance(event, dict) and "event" in event:
                events.append(event)
    return events


def by_target(document):
    return {target["target"]: target for target in document["targets"]}


def statuses(document):
    return {target["target"]: target["status"] for target in document["targets"]}


def sent(target):
    return sum(file["sent_bytes"] for file in target["files"])


def missing_at(root, destination, target, bundle):
    """What is wrong with the files that a target of a document should have below `root`; empty when nothing is."""
    place = Path(root) / destination.lstrip("/")
    if not target["files"]:
        return ["the document tells of no file"]
    wrong = []
    mode = stat.S_IMODE(place.lstat().st_mode)
    if mode != 0o700:
        wrong.append(f"the folder has mode {mode:o}")
    if leftover := [path.name for path in place.rglob(".topsctl-*")]:
        wrong.append(f"left over: {leftover}")
    for file in target["files"]:
        source, there = source_of(bundle, file["name"]), place / file["name"]
        if not there.is_file() or there.is_symlink():
            wrong.append(f"{file['name']} is not there")
        elif digest_of(there) != digest_of(source) or file["size"] != source.stat().st_size:
            wrong.append(f"{file['name']} differs")
    return wrong


def source_of(bundle, name):
    """The file of a bundle that is sent under that name: all of its path, or the last part, as packages are."""
    whole = Path(bundle) / name
    return whole if whole.exists() else next(Path(bundle).rglob(re.sub(r"([*?[])", r"[\1]", name)))


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else \
            _digest_by_blocks(file)


def _digest_by_blocks(file):
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()
