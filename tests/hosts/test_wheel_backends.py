"""What topsctl installs without pip is what pip installs, for every interpreter at hand, and pip takes it for its own."""

import base64
import csv
import hashlib
import io
import json
import os
import shutil

import pytest

from hosts.operations import Operator
from support.faulty_wheels import TAKEN
from support.interpreters import interpreters
from support.sample_bundle.wheels import record_line
from support.wheel_forge import Draft
from support.wheel_parts import NAME, make_wheel, write_stack
from support.wheel_table import RULES

# The files that name the installer, and the digests of these in RECORD.
INSTALLERS_OWN = ("INSTALLER", "direct_url.json", "RECORD")
NOT_COMPARED = ("/var/lib/topsctl", "/var/log/topsctl", "/tmp/topsrider_install*", "/var/lib/dpkg", "/var/cache")
OTHERWISE = ("mtime_ns", "nlink")
ENVIRONMENT_FILE = "/etc/profile.d/sample.sh"


class Place:
    """A host, an interpreter of it, and a folder that wheels are made in."""

    def __init__(self, host, python, binary, run_topsctl, scratch):
        self.host, self.python, self.scratch = host, python, scratch
        self.operator = Operator(host, binary, run_topsctl)
        self.stack = write_stack(scratch)

    def install(self, version="1.0", code=0, **changes):
        """By topsctl; its report."""
        return self.operator.json("install", self._wheel(version, **changes), "--stack", self.stack, "--python", self.python,
                                  "--allow-system-python", code=code)

    def install_with_pip(self, version="1.0"):
        self.host.copy_in(self._wheel(version).parent, "/var/cache/wheel")
        wheel, = self.host.path("/var/cache/wheel").iterdir()
        done = self.pip("install", "--no-index", "--no-deps", "--no-cache-dir", "--no-compile", "--force-reinstall", f"/var/cache/wheel/{wheel.name}")
        assert done.returncode == 0, done
        self.host.run(["rm", "-r", "/var/cache/wheel"], check=True)

    def _wheel(self, version, **changes):
        return make_wheel(self.scratch / version, version, **changes)

    def pip(self, *argv):
        return self.host.run([self.python, "-B", "-m", "pip", "--disable-pip-version-check", *argv],
                             env={"PIP_BREAK_SYSTEM_PACKAGES": "1", "PYTHONDONTWRITEBYTECODE": "1"})

    def digest(self):
        return self.host.digest(NOT_COMPARED)

    def info_is_there(self):
        return any(path.is_dir() and "upper" not in path.parts for path in self.host.root.rglob(f"{NAME}-*.dist-info"))

    def info(self, version="1.0"):
        found, = [path for path in self.host.root.rglob(f"{NAME}-{version}.dist-info")
                  if path.is_dir() and "upper" not in path.parts]
        return found


def records(info):
    """path -> (digest, size) of RECORD without what names the installer, and without a digest that old pips have from
    before they put the interpreter into a script."""
    rows = csv.reader(io.StringIO((info / "RECORD").read_text()))
    return {path: None if path.endswith("/parts-python") else (digest, size)
            for path, digest, size in rows if path.rsplit("/", 1)[-1] not in INSTALLERS_OWN}


# Every run has each interpreter and each kind of place once; the numbers are those of interpreters that the users have.
EVERY = ("bullseye", pytest.param("bullseye-venv", marks=pytest.mark.whole), pytest.param("machine", marks=pytest.mark.whole), "machine-venv",
         "machine-3.6", "machine-3.8")
NOT_NEEDED = ("test", "tests", "__pycache__", "config-*", "idlelib", "*.a")


def with_interpreter(host, minor):
    """The path of a real interpreter of that version, which the host has from now on at the place that it was built for."""
    python = interpreters().get(minor)
    if python is None:
        pytest.skip(f"no Python {minor} here: TOPSCTL_TEST_PYTHONS names none, nor does ~/.pyenv/versions have one")
    prefix = python.parent.parent
    shutil.copytree(prefix, host.path(prefix), symlinks=True, ignore=shutil.ignore_patterns(*NOT_NEEDED))
    return python


@pytest.fixture(params=EVERY)
def make_place(request, topsctl_release, run_topsctl, tmp_path):
    """make_place() -> Place: each with a clean host."""
    kind, _, venv = request.param.partition("-")
    make = request.getfixturevalue("make_this_machine" if kind == "machine" else "make_host")
    numbers = iter(range(9))

    def call():
        host, python = make(), "/usr/bin/python3"
        if venv[:1].isdigit():
            python = with_interpreter(host, venv)
        if venv:
            # Its own pip would take seconds to unpack; the system's does the same.
            host.run([python, "-m", "venv", "--without-pip", "--system-site-packages", "/opt/place"], check=True)
            python = "/opt/place/bin/python3"
        scratch = tmp_path / str(next(numbers))
        scratch.mkdir()
        return Place(host, python, topsctl_release, run_topsctl, scratch)

    return call


def test_the_native_result_is_pips_own_and_pip_works_on_it(make_place, schema):
    places = {installer: make_place() for installer in ("pip", "native")}
    before = {installer: place.digest() for installer, place in places.items()}
    report = places["native"].install()
    places["pip"].install_with_pip()
    schema(report, "install")
    assert report["outcome"] == "committed" and report["plan"]["wheel_backend"] == "native", report
    assert report["checks"][0]["status"] == "pass" and "every file as recorded" in report["checks"][0]["observed"]
    native, theirs = places["native"], places["pip"]
    # Before PEP 376's REQUESTED, and with other words in the scripts that it makes: what these do is compared below.
    is_old = int(theirs.pip("--version").stdout.split()[1].split(".")[0]) < 20
    others = (*INSTALLERS_OWN, *(("REQUESTED", "parts-main", "parts-gui") if is_old else ()))
    assert not [line for line in theirs.digest().diff(native.digest(), OTHERWISE)
                if not line.split(":")[0].removesuffix(" (file)").endswith((*others, ENVIRONMENT_FILE))]
    recorded = [{path: row for path, row in records(place.info()).items() if not path.endswith(others)} for place in (native, theirs)]
    assert recorded[0] == recorded[1]
    assert (native.info() / "INSTALLER").read_text() == "topsctl\n"
    url = json.loads((native.info() / "direct_url.json").read_text())
    assert url["url"].endswith("/sample_parts-1.0-py3-none-any.whl") and \
        url["archive_info"]["hash"] == f"sha256={report['plan']['packages'][0]['sha256']}"

    said = {installer: [place.pip(*argv).stdout for argv in (["list"], ["show", "-f", NAME], ["check"])]
            for installer, place in places.items()}
    for ours, pips in zip(said["native"], said["pip"]):
        lines = [line for line in ours.splitlines() if not (is_old and line.endswith(("/REQUESTED", "/direct_url.json")))]
        assert lines == pips.replace("Installer: pip", "Installer: topsctl").splitlines(), said
    for command in ("parts-main", "parts-gui", "parts-python", "parts-shell"):
        runs = [place.host.run([f"{bin_of(place)}/{command}"], env={"PYTHONDONTWRITEBYTECODE": "1"})
                for place in places.values()]
        assert runs[0].returncode == runs[1].returncode == 0 and runs[0].stdout == runs[1].stdout, runs
    left = {}
    for installer, place in places.items():
        gone = place.pip("uninstall", "-y", NAME)
        assert gone.returncode == 0, gone
        left[installer] = [line for line in before[installer].diff(place.digest(), OTHERWISE) if ENVIRONMENT_FILE not in line]
    # pip does not take away what it holds for the system's: headers in /usr/include.
    assert left["native"] == left["pip"]
    assert all(line.endswith("(dir)") or line.startswith("+ /usr/include") for line in left["native"]), left


def bin_of(place):
    return "/usr/local/bin" if place.python.startswith("/usr/bin") else "/opt/place/bin"


@pytest.mark.parametrize("make_place", ["bullseye", "machine-venv"], indirect=True)
def test_an_upgrade_leaves_what_a_fresh_install_leaves_whoever_installed_before(make_place):
    fresh = make_place()
    fresh.install("2.0")
    wanted = fresh.digest()
    for install in (Place.install, Place.install_with_pip):
        place = make_place()
        install(place)
        place.host.run([place.python, "-c", f"import {NAME}.old, {NAME}.deep.er.module"], check=True)
        before = place.digest()
        report = place.install("2.0")
        assert report["plan"]["packages"][0]["action"] == "upgrade"
        assert not [line for line in wanted.diff(place.digest(), OTHERWISE)
                    if not line.split(":")[0].endswith(INSTALLERS_OWN)], install
        assert place.operator.json("rollback")["rollback"]["verified"]["paths_differing"] == 0
        assert before.diff(place.digest()) == [], install


def lying(what):
    """change(parts, record) that makes a wheel hostile."""
    def change(parts, record):
        path, content, mode = parts[1]
        if what == "wrong hash":
            parts[1] = (path, content + b"# more\n", mode)
        elif what == "missing line":
            del record[1]
        elif what == "twice":
            parts.append((path, content, mode))
        elif what == "link":
            parts.append((f"{NAME}/link", b"/etc/passwd", 0o120777))
        else:
            parts.append((what, b"x", 0o100644))
    return change


def test_hostile_wheels_are_refused_before_any_change(host, topsctl_release, run_topsctl, tmp_path):
    place = Place(host, "/usr/bin/python3", topsctl_release, run_topsctl, tmp_path)
    before = host.digest()
    for what, words in (("wrong hash", "digest-mismatch"), ("missing line", "file-not-listed"),
                        ("twice", "duplicate-entry"), ("link", "wheel-link"),
                        ("../../out.py", "entry-escapes"), ("/etc/absolute", "entry-escapes"),
                        (f"{NAME}-1.0.data/elsewhere/x", "no installer has a location"),
                        (f"{NAME}-1.0.data/x", "no installer has a location"),
                        ("other-1.0.dist-info/METADATA", "wheel-second-distribution"), ("unlisted.py", "file-not-listed")):
        report = place.install(code=3, change=lying(what))
        assert report["outcome"] is None and words in report["error"]["message"], report["error"]
    for lines, words in (("../../evil = a:b", "entry-escapes"), ("/tmp/evil = a:b", "entry-escapes"),
                         ("a = a:b\na = a:b", "is duplicated")):
        report = place.install(code=3, entry_points=f"[console_scripts]\n{lines}\n")
        assert report["outcome"] is None and words in report["error"]["message"], report["error"]
        assert "--accept" not in report["error"]["hint"]
    assert [line for line in before.diff(host.digest()) if "topsctl" not in line and "/var/l" not in line
            and line.split(":")[0] != "~ /tmp"] == []


def as_others_build_it(parts, record):
    """What pip takes: a wheel's own INSTALLER, SHA-512 in RECORD, a wrong size."""
    for name in ("INSTALLER", "REQUESTED", "direct_url.json"):
        path = f"{NAME}-1.0.dist-info/{name}"
        parts.append((path, b"poetry\n", 0o100644))
        record.append(record_line(path, hashlib.sha256(b"poetry\n").digest(), 7))
    path, content, _ = parts[1]
    strong = base64.urlsafe_b64encode(hashlib.sha512(content).digest()).decode().rstrip("=")
    record[1] = f"{path},sha512={strong},{len(content)}\n"
    record[0] = record[0].rpartition(",")[0] + ",7\n"


def test_what_pip_takes_is_installed_and_kept_and_uninstalled_by_pip(host, topsctl_release, run_topsctl, tmp_path):
    place = Place(host, "/usr/bin/python3", topsctl_release, run_topsctl, tmp_path)
    report = place.install(change=as_others_build_it)
    assert report["checks"][0]["status"] == "pass" and "every file as recorded" in report["checks"][0]["observed"]
    assert (place.info() / "INSTALLER").read_text() == "topsctl\n"
    with open(place.info() / "RECORD", encoding="utf-8") as stream:
        paths = [row[0] for row in csv.reader(stream)]
    assert len(paths) == len(set(paths))
    gone = place.pip("uninstall", "-y", NAME)
    assert gone.returncode == 0 and not place.info_is_there(), gone


def forged(folder, rule, case):
    draft = Draft()
    RULES[rule].cases[case](draft, folder / "outside")
    path = folder / rule / case / draft.file_name
    path.parent.mkdir(parents=True)
    path.write_bytes(draft.bytes())
    return path


def test_install_judges_wheels_as_inspect_does(host, topsctl_release, run_topsctl, tmp_path):
    """One wheel of each rule of docs/wheels.md, or with TOPSCTL_TEST_ALL_WHEELS=1 all of them."""
    stack = write_stack(tmp_path, components=[{"id": "demo", "kind": "wheel", "names": ["demo_parts"]}])
    before, wrong = host.digest(), []
    for rule, about in RULES.items():
        for case in list(about.cases)[:None if os.environ.get("TOPSCTL_TEST_ALL_WHEELS") else 1]:
            done = run_topsctl(["install", forged(tmp_path, rule, case), "--stack", stack, "--dry-run", "--json",
                                "--allow-system-python", "--root", host.root], binary=topsctl_release)
            wanted = (0, "planned") if about.install == TAKEN else (3, None)
            if (done.code, done.json["outcome"]) != wanted:
                wrong.append((rule, case, done.code, done.json["error"]))
    assert wrong == []
    assert before.diff(host.digest()) == []


def test_an_install_that_would_change_torch_is_refused(host, topsctl_release, run_topsctl, tmp_path):
    site = host.path("/usr/local/lib/python3.9/dist-packages")
    for path, text in (("torch/__init__.py", ""), ("torch-1.10.0.dist-info/METADATA", "Name: torch\nVersion: 1.10.0\n"),
                       ("torch-1.10.0.dist-info/RECORD", "torch/__init__.py,,\ncaffe2.py,,\n")):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
    place = Place(host, "/usr/bin/python3", topsctl_release, run_topsctl, tmp_path)
    report = place.install()
    assert {step["id"]: step["detail"] for step in report["steps"]}["unchanged"] == \
        "torch 1.7.0a0 unchanged, torch 1.10.0 unchanged"  # a deb's, and the wheel's that stands before it
    assert report["escaped_paths"] == []

    def with_file(path):
        def change(parts, record):
            parts.append((path, b"", 0o100644))
            record.append(f"{path},sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n")
        return change

    for path in ("torch/cuda.py", "torch-1.10.0.dist-info/extra", "caffe2.py"):
        refused = place.install("2.0", code=3, change=with_file(path))
        assert "would change 'torch'" in refused["error"]["message"], refused["error"]
        assert refused["outcome"] is None
