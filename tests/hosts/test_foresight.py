"""What an install refuses on a host, `inspect --against` says beforehand, with the same id."""

import json
from pathlib import Path

import pytest

from hosts.operations import PROFILE, Operator
from hosts.test_what_does_not_fit import protected

BUILT_IN = Path(__file__).parent.parent.parent / "src" / "data" / "stacks" / "topsrider-t2x.json"


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def fitting(bundle, host):
    return bundle(python=host.python_minor(), only_needed=True)


@pytest.fixture
def site(host):
    """Where wheels go on that host."""
    script = "import site; print(site.getsitepackages()[0])"
    return host.path(host.run(["python3", "-c", script], check=True).stdout.strip())


@pytest.fixture
def expect_told(host, topsctl_release, run_topsctl, schema):
    """expect_told(bundle, id): an inspection against the host has that finding."""
    def expect(bundle, identifier):
        told = run_topsctl(["inspect", bundle, "--deep", "--against", host.root, "--json"], binary=topsctl_release).json
        schema(told, "inspect")
        found = [finding for finding in told["findings"] if finding["id"] == identifier]
        assert found and all(finding["evidence"] for finding in found), [finding["id"] for finding in told["findings"]]

    return expect


@pytest.fixture
def expect_foreseen(operator, expect_told):
    """expect_foreseen(bundle, id): the install is refused by that id, and the inspection has told it."""
    def expect(bundle, identifier):
        refused = operator.json("install", bundle, "--dry-run", code=4)
        assert f"{identifier}: " in refused["error"]["message"], refused["error"]
        expect_told(bundle, identifier)

    return expect


def test_an_inspection_takes_the_interpreter_that_an_install_would(host, operator, fitting, run_topsctl, topsctl_release, tmp_path):
    host.run(["python3", "-m", "venv", "--without-pip", "/opt/v"], check=True)
    stack = json.loads(BUILT_IN.read_text())
    stack["python"]["executables"] = ["/opt/v/bin/python3"]
    file = tmp_path / "stack.json"
    file.write_text(json.dumps(stack))
    told = run_topsctl(["inspect", fitting, "--stack", file, "--against", host.root, "--json"], binary=topsctl_release).json
    taken = {each["executable"]: each["taken"] for each in told["against"]["interpreters"]}
    assert taken["/opt/v/bin/python3"] and sum(taken.values()) == 1 and len(taken) > 1, taken
    assert operator.json("install", fitting, "--stack", file, "--dry-run")["plan"]["python"] == "/opt/v/bin/python3"


def managed(host, site):
    stdlib = host.run(["python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"], check=True).stdout.strip()
    host.path(f"{stdlib}/EXTERNALLY-MANAGED").write_text("[externally-managed]\nError=managed\n")


def old_form(host, site):
    egg = site / "torch_gcu-1.9.egg-info"
    egg.mkdir(parents=True)
    (egg / "PKG-INFO").write_text("Name: torch_gcu\nVersion: 1.9\n")


def file_of_another(host, site):
    info = site / "other-1.dist-info"
    info.mkdir(parents=True)
    (site / "torch_gcu").mkdir()
    (site / "torch_gcu/__init__.py").write_text("other = True\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (info / "RECORD").write_text("torch_gcu/__init__.py,,\nother-1.dist-info/METADATA,,\nother-1.dist-info/RECORD,,\n")


def half_installed(host, site):
    status = host.path("/var/lib/dpkg/status")
    status.write_text(status.read_text() + "\nPackage: half\nStatus: install ok half-configured\nVersion: 1\n"
                      "Architecture: all\nMaintainer: a <a@b.c>\nDescription: half\n")


@pytest.mark.parametrize("identifier, prepare", [
    ("interpreter-managed-by-system", managed), ("installed-as-egg", old_form), ("wheel-file-conflict", file_of_another),
    ("package-half-installed", half_installed)])
def test_what_a_host_has_against_an_install(host, site, fitting, expect_foreseen, identifier, prepare):
    prepare(host, site)
    expect_foreseen(fitting, identifier)


def test_interpreters_that_are_not_the_vendors(host, bundle, expect_foreseen):
    assert host.python_minor() not in ("3.6", "3.8") or pytest.skip("this host's Python is one of the vendor's")
    expect_foreseen(bundle(only_needed=True), "no-interpreter-for-wheel")


def test_a_file_that_chattr_protects(host, fitting, expect_foreseen):
    profile = host.path(PROFILE)
    profile.write_text("# mine\n")
    if not protected(profile, True):
        pytest.skip("this file system has no immutable files")
    try:
        expect_foreseen(fitting, "file-protected")
    finally:
        protected(profile, False)


def test_a_torch_of_another_release(operator, host, fitting, expect_told):
    """Not refused: it may be meant. A deb has brought it, so that it has no RECORD."""
    egg = host.path("/usr/lib/python3/dist-packages/torch-1.7.0.egg-info")
    egg.mkdir(parents=True)
    (egg / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 1.7.0\n")
    expect_told(fitting, "companion-version-differs")
    planned = operator.json("install", fitting, "--dry-run")
    assert any("companion-version-differs" in warning and "torch 1.7.0 is installed" in warning
               for warning in planned["warnings"]), planned["warnings"]
    report = operator.json("install", fitting)
    compared, = [step for step in report["steps"] if step["id"] == "unchanged"]
    assert "torch 1.7.0 unchanged" in compared["detail"].split(", "), compared
