"""What a wheel requires by its metadata is compared with what the host has: `pip check` is not the first to tell."""

import base64
import hashlib
import shutil
import zipfile

import pytest

from hosts.operations import Operator


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def requiring(bundle, host, tmp_path):
    """requiring(*lines) -> a bundle whose wheel has these lines in METADATA."""
    def make(*lines):
        folder = shutil.copytree(bundle(python=host.python_minor(), only_needed=True), tmp_path / "given", dirs_exist_ok=True)
        for path in folder.rglob("torch_gcu*.whl"):
            edited(path, "".join(f"{line}\n" for line in lines))
        return folder
    return make


def digest_of(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def edited(path, lines):
    """METADATA comes before RECORD in the archive."""
    with zipfile.ZipFile(path) as wheel:
        members = {info: wheel.read(info) for info in wheel.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for info, content in members.items():
            name = info.filename
            if name.endswith(".dist-info/METADATA"):
                content = content.replace(b"\n\n", f"\n{lines}\n".encode(), 1) if b"\n\n" in content else content + lines.encode()
                metadata, written = name, content
            if name.endswith(".dist-info/RECORD"):
                kept = [line for line in content.decode().splitlines() if not line.startswith(metadata)]
                content = "".join(f"{line}\n" for line in [f"{metadata},sha256={digest_of(written)},{len(written)}", *kept]).encode()
            wheel.writestr(info, content)


def test_a_version_that_the_stack_leaves_as_it_is_stops_the_install(operator, requiring):
    given = requiring("Requires-Dist: torch==9.1+cpu")
    refused = operator.topsctl("install", given)
    assert refused.code == 4 and "fixed-requirement-unmet" in refused.err, refused
    assert "it requires torch==9.1+cpu, and 1.7.0a0 is installed" in refused.err, refused
    accepted = operator.json("install", given, "--accept", "fixed-requirement-unmet")
    assert accepted["outcome"] == "committed" and any("torch==9.1+cpu" in warning for warning in accepted["warnings"])


def test_verify_names_what_an_installed_wheel_requires_and_does_not_find(operator, requiring):
    given = requiring("Requires-Dist: numpy (>=99)", "Requires-Dist: setuptools>=99; python_version < '3'")
    assert operator.json("install", given)["outcome"] == "committed"
    wheel, = [check for check in operator.json("verify", "--level", "import")["checks"] if check["status"] == "warn" and "torch_gcu" in check["observed"]]
    assert "it requires numpy>=99, " in wheel["observed"] and "pip check" in wheel["hint"], wheel


def test_other_requirements_are_warnings_and_markers_count(operator, requiring):
    planned = operator.json("install", requiring("Requires-Dist: numpy (>=99)", "Requires-Dist: not-there", "Requires-Dist: torch (<9)",
                                                 "Requires-Dist: setuptools>=99; python_version < '3'", "Requires-Dist: tests ; extra == 'dev'"), "--dry-run")
    told, = [warning for warning in planned["warnings"] if "wheel-requirement-unmet" in warning]
    assert "numpy>=99" in told, told
    assert not any("setuptools" in warning or "tests" in warning or "fixed-requirement" in warning for warning in planned["warnings"])
