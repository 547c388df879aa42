"""verify, env, install and inspect judge each state of dpkg's database as dpkg-query does, which is asked every time."""

import ctypes
import json
import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from support.programs import needed

PACKAGE, VERSION = "tops-eccl", "2.5.136-1"
LIBRARY_FOLDER = "/usr/lib"
STACK = "topsrider-t2x"

# name of a state -> its stanza's words, and those of files of `updates`; None: no stanza, "": no file.
STATES = {
    "installed": ("install ok installed",),
    "held": ("hold ok installed",),
    "selected-for-removal": ("deinstall ok installed",),
    "missing": (None,),
    "settings-left": ("deinstall ok config-files",),
    "half-installed": ("install reinstreq half-installed",),
    "unpacked": ("install ok unpacked",),
    "half-configured": ("install ok half-configured",),
    "triggers-awaited": ("install ok triggers-awaited",),
    "triggers-pending": ("install ok triggers-pending",),
    "half-configured-in-updates": ("install ok installed", "install ok half-configured"),
    "second-update-wins": ("install ok unpacked", "install ok half-configured", "install ok installed"),
    "second-update-wins-and-is-worse": ("install ok installed", "install ok installed", "install ok unpacked"),
    "removed-by-an-update": ("install ok installed", "purge ok not-installed"),
    "installed-by-an-update": (None, "install ok installed"),
}
EXTRA = {"triggers-awaited": "Triggers-Awaited: other\n", "triggers-pending": "Triggers-Pending: /usr/lib\n",
         "config-files": "Conffiles:\n /etc/eccl.conf 89269e1298235f1b12b4c16e4065ad0d\n"}
NEEDED = ("dpkg", "dpkg-query", "ldd")


def stanza(words, name=PACKAGE, version=VERSION):
    gone = words.endswith("not-installed")
    return (f"Package: {name}\nStatus: {words}\nArchitecture: amd64\nMaintainer: a <a@example.com>\nDescription: a\n"
            + ("" if gone else f"Version: {version}\n") + EXTRA.get(words.split()[-1], "") + "\n")


def copy_program(root, program):
    """The program with the libraries that it is linked with, so that it runs in another root."""
    found = shutil.which(program)
    lines = subprocess.run(["ldd", found], capture_output=True, text=True, check=True).stdout.split()
    for file in [found, *(word for word in lines if word.startswith("/"))]:
        to = root / file.lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A root directory with dpkg and the files of the package; each test writes its own state."""
    if os.geteuid() != 0:
        pytest.skip("needs root: only root may look into another root")
    needed(*NEEDED)
    root = tmp_path_factory.mktemp("machine")
    for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "etc/profile.d", "usr/lib"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    copy_program(root, "dpkg")
    (root / f"var/lib/dpkg/info/{PACKAGE}.list").write_text(f"/.\n{LIBRARY_FOLDER}\n{LIBRARY_FOLDER}/libeccl.so\n")
    (root / "usr/lib/libeccl.so").write_text("not looked at\n")
    return root


@pytest.fixture(scope="module")
def deb(bundle):
    return next(bundle(only_needed=True).rglob(f"{PACKAGE}_*.deb"))


def write_state(root, words, *updates):
    """The status file, with what the package needs beside it, and the numbered files of `updates`."""
    folder = root / "var/lib/dpkg"
    others = "".join(stanza("install ok installed", name, "9") for name in ("dpkg", "libc6"))
    (folder / "status").write_text(others + (stanza(words) if words else ""))
    for file in (folder / "updates").iterdir():
        file.unlink()
    for number, later in enumerate(updates):
        (folder / f"updates/{number:04}").write_text(stanza(later))


def said_by_dpkg(root):
    """(status words, version) of the package; (None, None): dpkg has none of that name."""
    done = subprocess.run(["dpkg-query", "-W", f"--admindir={root}/var/lib/dpkg", "-f", "${Status}|${Version}", PACKAGE],
                          capture_output=True, text=True, check=False)
    words, _, version = done.stdout.partition("|")
    return (None, None) if done.returncode != 0 or words.endswith(" not-installed") else (words, version)


class Opens:
    """Counts how often a file is opened (inotify(7); with the closes between them no two of its events are merged)."""
    OPEN, CLOSE = 0x20, 0x18

    def __init__(self, file):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = self.libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self.libc.inotify_add_watch(self.descriptor, os.fsencode(file), self.OPEN | self.CLOSE) >= 0

    def count(self):
        data = os.read(self.descriptor, 1 << 16)
        os.close(self.descriptor)
        masks = [struct.unpack_from("iIII", data, at)[1] for at in range(0, len(data), struct.calcsize("iIII"))]
        return sum(1 for mask in masks if mask & self.OPEN)


@pytest.fixture(params=STATES)
def state(request, machine):
    """(root, words and version by dpkg-query) with one of the states written."""
    write_state(machine, *STATES[request.param])
    words, version = said_by_dpkg(machine)
    return machine, words, version


def is_installed(words):
    return words in ("install ok installed", "hold ok installed")


def is_unfinished(words):
    return words is not None and words.split()[2] not in ("installed", "config-files")


def test_the_states_are_those_that_they_are_meant_to_be(machine):
    seen = {}
    for name, words in STATES.items():
        write_state(machine, *words)
        seen[name] = said_by_dpkg(machine)[0]
    wanted = {name: words[-1] for name, words in STATES.items()}
    assert seen == {**wanted, "removed-by-an-update": None}


def test_verify_agrees(state, run_topsctl):
    root, words, version = state
    done = run_topsctl(["verify", "--root", root, "--stack", STACK, "--level", "files", "--json"])
    check = next(check for check in done.json["checks"] if check["id"] == "eccl-installed")
    assert check["status"] == ("pass" if is_installed(words) else "fail"), check
    assert check["observed"] == (f"{PACKAGE} {version}, {words}" if words else "not installed"), check


def test_env_agrees(state, run_topsctl):
    root, words, _ = state
    done = run_topsctl(["env", "--root", root, "--stack", STACK, "--json"])
    variables = [variable["name"] for variable in done.json["environment"]["variables"]]
    assert ("ECCL_ROOT" in variables) == is_installed(words), done


def test_install_agrees_and_reads_the_database_once(state, deb, run_topsctl):
    root, words, version = state
    opens = Opens(root / "var/lib/dpkg/status")
    done = run_topsctl(["install", deb, "--root", root, "--stack", STACK, "--components", "eccl", "--dry-run", "--json",
                        "--accept", "no-space"])
    assert opens.count() == 1
    if is_unfinished(words):
        assert done.code == 4 and f"{PACKAGE} ({words})" in done.json["error"]["message"], done
        return
    assert done.code == 0, done.json["error"]
    planned, = done.json["packages"]
    assert planned["before"] == (version if words and words.endswith(" installed") else None), planned


def test_inspect_agrees(state, deb, run_topsctl):
    root, words, version = state
    done = run_topsctl(["inspect", deb, "--against", root, "--stack", STACK, "--json"])
    change, = [change for change in done.json["against"]["changes"] if change["name"] == PACKAGE]
    has_files = words is not None and not words.endswith("config-files")
    assert change["now"] == (version if has_files else None), change
    told = [finding for finding in done.json["findings"] if finding["id"] == "package-half-installed"]
    assert bool(told) == is_unfinished(words), told
    assert not told or words in json.dumps(told)
