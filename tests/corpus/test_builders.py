"""What the corpus calls sound is taken by dpkg-deb and zipfile, what it calls cut is not, and all of it is reproducible."""

import hashlib
import json
import re
import subprocess
import zipfile

import pytest

from support.corpus.case import write
from support.corpus.cases import CASES
from support.corpus.formats import zeros_file_tar, zeros_gzip, zeros_xz, zeros_zstd
from support.corpus.native import Native
from support.corpus.snapshots import SNAPSHOTS
from support.corpus.workshop import Workshop
from support.sample_bundle.test_wheels import record_faults

pytestmark = pytest.mark.whole  # of the corpus itself; test_corpus.py says what becomes of each case

BEYOND_DPKG = {"deb-old-format-control-in-debian-folder"}  # deb-old(5) has it; this dpkg reads it no more
SOUND_DEBS = [name for name, case in CASES.items() if name.startswith("deb-") and not case.expectation.ids
              and not case.expectation.may and name not in BEYOND_DPKG]
CUT_DEBS = [name for name in CASES if name.startswith("deb-cut-") or name in (
    "deb-bit-flip-in-xz-data", "deb-bit-flip-in-control", "deb-size-field-ten-digits", "deb-format-3")]
SOUND_WHEELS = [name for name, case in CASES.items() if name.startswith("wheel-") and not case.expectation.ids]
DIFFERENT_EACH_TIME = {"run-encrypted"}  # its salt


def digests(folder):
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()}


def test_there_are_enough_cases_of_each_kind():
    assert len(CASES) >= 45
    assert len(SOUND_DEBS) >= 20 and len(CUT_DEBS) >= 5 and len(SOUND_WHEELS) >= 15
    assert sum(case.expectation.bounded for case in CASES.values()) >= 10
    assert sum(case.expectation.against is not None for case in CASES.values()) >= 20


@pytest.mark.parametrize("name", SOUND_DEBS)
def test_dpkg_takes_the_sound_debs(built_case, tmp_path, name):
    path, expected = built_case(name)
    fields = subprocess.run(["dpkg-deb", "-f", path, "Package", "Version"], capture_output=True, text=True, check=True)
    for package, version in expected["packages"] or []:
        assert fields.stdout == f"Package: {package}\nVersion: {version}\n"
    subprocess.run(["dpkg-deb", "-x", path, tmp_path / "tree"], check=True, capture_output=True)


@pytest.mark.parametrize("name", CUT_DEBS)
def test_dpkg_refuses_the_cut_debs(built_case, tmp_path, name):
    path, _ = built_case(name)
    # One looks at the control archive, the other at the data.
    status = [subprocess.run(["dpkg-deb", *words], capture_output=True, check=False).returncode
              for words in (["--info", path], ["--extract", path, tmp_path / "tree"])]
    assert any(status)


@pytest.mark.parametrize("name", SOUND_WHEELS)
def test_python_takes_the_sound_wheels(built_case, name):
    path, _ = built_case(name)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    if name not in ("wheel-signed-record", "wheel-record-of-sha512", "wheel-folder-entries", "wheel-nested-dist-info"):
        assert record_faults(path) == []


@pytest.mark.parametrize("make, tool", [(zeros_xz, "xz"), (zeros_gzip, "gzip"), (zeros_zstd, "zstd")])
def test_the_bombs_are_what_the_real_tools_would_unpack(make, tool):
    head, zeros = zeros_file_tar("./opt", 96 << 20)
    data = subprocess.run([tool, "-dc"], input=make(head, zeros), stdout=subprocess.PIPE, check=True).stdout
    assert data.startswith(head) and len(data) >= len(head) + zeros and not data[len(head):].strip(b"\0")


def test_the_same_case_is_the_same_bytes(tmp_path):
    names = [name for name, case in CASES.items() if not case.expectation.bounded and name not in DIFFERENT_EACH_TIME
             and not name.startswith("folder-with-")]
    made = []
    for number in range(2):
        folder, scratch = tmp_path / f"corpus-{number}", tmp_path / f"scratch-{number}"
        native = Native(scratch / "native")
        for name in names:
            write(CASES[name], folder, lambda place, scratch=scratch, native=native: Workshop(place, scratch, native))
        made.append(digests(folder))
    differing = [name for name in made[0] if made[0][name] != made[1].get(name)]
    assert not differing and made[0].keys() == made[1].keys()


def test_every_finding_of_a_package_has_a_case(repository):
    data = "".join(path.read_text() for path in sorted((repository / "src/data/findings").glob("*.json")))
    ids = set(re.findall(r'^  "([a-z0-9-]+)": \{', data, re.MULTILINE))
    told = " ".join(part for case in CASES.values() for part in [*case.expectation.ids, *case.expectation.info])
    # Two compare with a host that an install is for (tests/hosts/test_hostile_packages.py); the next three are the cases of
    # test_diversions.py there, and of test_debs_of_dpkg.py and test_wheels.py in tests/peers. The last five are what an
    # install refuses on a host (test_foresight.py of the unit tests and of tests/hosts).
    of_others = ("script-", "environment-", "wheel-file-conflict", "wheel-replaces-file", "file-conflict-unless-diverted",
                 "folder-entry-missing", "wheel-link", "interpreter-managed-by-system", "interpreter-without-places",
                 "installed-as-egg", "changes-unchanged-module", "file-protected")
    missing = sorted(one for one in ids if not one.startswith(of_others) and one not in re.split(r"[ |]", told))
    assert not missing


def test_the_generator_lists_its_cases(repository):
    done = subprocess.run([repository / "tests/support/make_corpus.py", "-", "deb-xz", "--list"], capture_output=True,
                          text=True, check=True)
    assert done.stdout == "deb-xz: exit 0 \n"


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_the_snapshots_are_what_the_schema_says(snapshot_file, schema, name):
    schema(json.loads(snapshot_file(name).read_text()), "target-snapshot")
