"""Secrets that pass through topsctl: where they are looked for while it runs, and in all that it wrote."""

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hosts.storage import PREFIX
from hosts.users import LOGIN_PASSWORD, SUDO_PASSWORD
from hosts.workstation import Workstation, statuses

PYTHON = "3.9"


@pytest.fixture
def station(make_fleet, topsctl_release, schema):
    return Workstation(make_fleet(2), topsctl_release, schema)


class Watch:
    """Reads the command lines and environments of all processes of the hosts and of this machine until it is left."""

    def __init__(self, station, secrets):
        self.secrets = [secret.encode() for secret in secrets]
        self.found, self.commands = [], set()
        self._topsctl = str(station.binary)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _look(self):
        while not self._over.is_set():
            for folder in Path("/proc").glob("[0-9]*"):
                for name in ("cmdline", "environ"):
                    with suppress(OSError):
                        text = without_option((folder / name).read_bytes())
                        if name == "cmdline":
                            self.commands.add(text.replace(b"\0", b" ").decode(errors="replace").strip())
                        self.found += [(name, text) for secret in self.secrets if secret in text]
            time.sleep(0.002)


def without_option(text):
    """The names of two options have the test's password for sudo in them."""
    return text.replace(b"ask-sudo-pass", b"").replace(b"same-sudo-pass", b"")


def temporary_files(since):
    """What any topsctl on this machine has changed since a time below the folders for temporary files. What was there
    before may be of anybody, and of any size."""
    found = []
    tops = [top for folder in ("/tmp", "/var/tmp", "/dev/shm") for top in Path(folder).glob("topsctl*")]
    for top in (top for top in tops if not top.name.startswith(PREFIX)):
        for path in [top, *(Path(folder) / name for folder, _, names in os.walk(top) for name in names)]:
            with suppress(FileNotFoundError):
                found += [path] if path.lstat().st_ctime >= since else []
    return found


def files_with(paths, secrets, besides=()):
    """The files among them, or below a folder, that hold a secret, in their content or their name."""
    found = []
    for path in paths.rglob("*") if isinstance(paths, Path) else paths:
        with suppress(OSError):
            text = without_option(path.read_bytes()) if path.is_file() and not path.is_symlink() else b""
            if path not in besides and any(secret.encode() in text or secret in path.name for secret in secrets):
                found.append(str(path))
    return found


def test_no_secret_is_seen_or_written_at_either_end(station, bundle, tmp_path):
    key = station.fleet.home / ".ssh" / "id_ed25519"
    secrets = [LOGIN_PASSWORD, SUDO_PASSWORD, key.read_text().splitlines()[2]]
    log = tmp_path / "log"
    targets = ["pw@h1", "ops@h2"]
    begin = time.time()
    with Watch(station, secrets) as watch:
        document, seen = station.on_terminal(
            "deploy", bundle(python=PYTHON, only_needed=True), *targets, "--same-sudo-pass", "--verbose", "--log-file", log,
            answers=[("sudo password for all targets:", SUDO_PASSWORD), ("Password for pw@h1", LOGIN_PASSWORD)])
    assert statuses(document) == dict.fromkeys(targets, "done")
    # The watch has seen what it could have been in.
    assert any("receive" in command for command in watch.commands) and any("sudo -S" in command for command in watch.commands)
    assert watch.found == []
    assert not [secret for secret in secrets if secret in seen.output]
    assert log.stat().st_size > 0
    for host in station.hosts:
        for place in ("/root", "/home", "/tmp", "/var", "/etc", "/srv", "/run", "/opt"):
            assert files_with(host.path(place), secrets) == []
    assert files_with(station.fleet.home, secrets, besides=[key]) == []
    assert files_with(tmp_path, secrets) == []
    assert files_with(temporary_files(begin), secrets) == []


def test_the_passphrase_of_a_key_is_asked_for_once_and_kept_nowhere(station, bundle, tmp_path):
    key, passphrase = station.fleet.home / ".ssh" / "id_ed25519", "the phrase of it"
    station.fleet.client.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", passphrase, "-f", key], check=True)
    with Watch(station, [passphrase]) as watch:
        document, seen = station.on_terminal("transfer", bundle(python=PYTHON, only_needed=True), "root@h1", "root@h2",
                                             answers=[("[Pp]assphrase", passphrase)])
    assert statuses(document) == {"root@h1": "done", "root@h2": "done"}
    assert len([line for line in seen.output.splitlines() if "assphrase" in line]) == 1
    assert watch.found == [] and passphrase not in seen.output
    assert files_with(station.fleet.home, [passphrase]) == []
