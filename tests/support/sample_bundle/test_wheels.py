# The wheels of a bundle: RECORD, metadata, native member, what pip makes of them, faults.

import base64
import csv
import email
import hashlib
import importlib.util
import io
import os
import re
import sys
import zipfile

import pytest

from .conftest import pip_install, run
from .wheels import record_line

pytestmark = pytest.mark.whole  # of the doubles themselves; installs, checks and rollbacks of tests/hosts have them at work

PYTHONS = ("--only-needed", "--python", "3.9,3.11")
TORCH_GCU = {
    "3.6": ("1.10.0-2.5.136", "torch_gcu-1.10.0_2.5.136.dist-info", "_GCUC.cpython-36m-x86_64-linux-gnu.so"),
    "3.8": ("1.10.0+2.5.136", "torch_gcu-1.10.0+2.5.136.dist-info", "_GCUC.cpython-38-x86_64-linux-gnu.so"),
    "3.9": ("1.10.0+2.5.136", "torch_gcu-1.10.0+2.5.136.dist-info", "_GCUC.cpython-39-x86_64-linux-gnu.so"),
    "3.11": ("1.10.0+2.5.136", "torch_gcu-1.10.0+2.5.136.dist-info", "_GCUC.cpython-311-x86_64-linux-gnu.so"),
}


def wheel_of(directory, minor):
    return directory / "framework/torch_gcu-{}-py{}-none-any.whl".format(TORCH_GCU[minor][0], minor)


def record_faults(wheel):
    """Every way in which an archive and its RECORD disagree."""
    with zipfile.ZipFile(str(wheel)) as archive:
        names = archive.namelist()
        record = [name for name in names if name.endswith(".dist-info/RECORD")]
        assert len(record) == 1 and len(set(names)) == len(names)
        rows = list(csv.reader(io.StringIO(archive.read(record[0]).decode())))
        faults = sorted(set(names) ^ {row[0] for row in rows})
        for path, digest, size in rows:
            if path == record[0]:
                faults += [] if (digest, size) == ("", "") else [path]
                continue
            content = archive.read(path)
            encoded = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            if (digest, size) != ("sha256=" + encoded, str(len(content))):
                faults.append(path)
    return faults


def test_the_record_of_every_wheel_of_a_bundle_is_true(bundle):
    wheels = sorted(bundle().rglob("*.whl")) + sorted(bundle(*PYTHONS).rglob("*.whl"))
    assert len(wheels) == 21 + 4
    for wheel in wheels:
        assert record_faults(wheel) == [], wheel


def test_a_record_line_quotes_what_csv_must_quote():
    line = record_line('a,"b".py', b"\0" * 32, 3)
    assert next(csv.reader([line])) == ['a,"b".py', "sha256=" + "A" * 43, "3"]


@pytest.mark.parametrize("minor", sorted(TORCH_GCU))
def test_the_torch_gcu_wheels_have_the_metadata_of_the_vendor(bundle, minor):
    version, dist_info, _ = TORCH_GCU[minor]
    with zipfile.ZipFile(str(wheel_of(bundle(*PYTHONS), minor))) as archive:
        metadata = email.message_from_string(archive.read(dist_info + "/METADATA").decode())
        wheel = email.message_from_string(archive.read(dist_info + "/WHEEL").decode())
        assert "torch_gcu_info = torch_gcu.info:main" in archive.read(dist_info + "/entry_points.txt").decode()
    assert (metadata["Metadata-Version"], metadata["Name"], metadata["Version"]) == ("2.1", "torch_gcu", version)
    assert metadata["Requires-Dist"] is None and metadata["Requires-Python"] is None
    assert "no Enflame software" in metadata.get_payload()
    assert (wheel["Root-Is-Purelib"], wheel["Tag"]) == ("true", "py{}-none-any".format(minor))


@pytest.mark.parametrize("minor", sorted(TORCH_GCU))
def test_the_native_extension_is_real_and_needs_libeccl(bundle, tmp_path, minor):
    with zipfile.ZipFile(str(wheel_of(bundle(*PYTHONS), minor))) as archive:
        natives = [name for name in archive.namelist() if name.endswith(".so")]
        assert natives == ["torch_gcu/" + TORCH_GCU[minor][2]]
        path = archive.extract(natives[0], str(tmp_path))
    assert "Shared library: [libeccl.so]" in run("readelf", "-d", path).stdout
    dynamic = run("objdump", "-T", path).stdout
    assert re.search(r"\.text.* PyInit__GCUC$", dynamic, re.MULTILINE)
    versions = re.findall(r"GLIBC_([\d.]+)", dynamic)
    assert all(tuple(map(int, version.split("."))) <= (2, 27) for version in versions)


@pytest.mark.parametrize("minor", sorted(TORCH_GCU))
def test_pip_installs_each_torch_gcu_wheel_and_its_script_runs(bundle, tmp_path, minor):
    done = pip_install(wheel_of(bundle(*PYTHONS), minor), tmp_path, check=False)
    if "Invalid version" in done.stderr and minor == "3.6":
        pytest.skip("this pip refuses versions that are not PEP 440")
    assert "Successfully installed torch-gcu-" + TORCH_GCU[minor][0] in done.stdout
    assert (tmp_path / TORCH_GCU[minor][1]).is_dir()
    assert (tmp_path / "bin/torch_gcu_info").exists()


def test_pip_installs_the_other_pure_wheels(bundle, tmp_path):
    for wheel in sorted(bundle().glob("ai_development_toolkit/*/*.whl")):
        assert "Successfully installed" in pip_install(wheel, tmp_path).stdout


def test_the_generations_differ_by_a_module_each_way(bundle):
    new = wheel_of(bundle("--only-needed"), "3.8")
    old = bundle("--only-needed", "--generation", "2.4.87") / "framework/torch_gcu-1.10.0+2.4.87-py3.8-none-any.whl"
    names = [{name for name in zipfile.ZipFile(str(path)).namelist() if ".dist-info/" not in name}
             for path in (new, old)]
    assert names[0] - names[1] == {"torch_gcu/amp.py"}
    assert names[1] - names[0] == {"torch_gcu/legacy.py"}


def test_the_fault_wheel_bad_record_is_one_wrong_member_that_pip_overlooks(bundle, tmp_path):
    wheel = wheel_of(bundle("--only-needed", "--fault", "wheel-bad-record"), "3.8")
    assert record_faults(wheel) == ["torch_gcu/devices.py"]
    pip_install(wheel, tmp_path)


@pytest.mark.parametrize("fault", ["wheel-not-installable", "wheel-bad-entry-point", "wheel-no-zip"])
def test_pip_refuses_a_wheel_with_the_fault(bundle, tmp_path, fault):
    directory = bundle("--only-needed", "--fault", fault)
    for minor in ("3.6", "3.8"):
        assert pip_install(wheel_of(directory, minor), tmp_path / minor, check=False).returncode != 0


def test_the_fault_wheel_bad_entry_point_strikes_after_files_were_written(bundle, tmp_path):
    wheel = wheel_of(bundle("--only-needed", "--fault", "wheel-bad-entry-point"), "3.8")
    assert record_faults(wheel) == []
    # An environment of its own that borrows this interpreter's pip: with --target pip writes to a folder it throws away.
    environment = tmp_path / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", environment)
    pip_home = os.path.dirname(os.path.dirname(importlib.util.find_spec("pip").origin))
    done = run(environment / "bin/python3", "-m", "pip", "install", "--no-deps", "--no-index", wheel, check=False,
               env={"PYTHONPATH": pip_home})
    assert done.returncode != 0 and "callable suffix" in done.stderr
    assert list(environment.rglob("torch_gcu/devices.py"))
