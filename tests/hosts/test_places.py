"""Installs into other places: virtual environments, another interpreter, file systems of their own, and the way back."""

import os
import subprocess

import pytest

from hosts import kernel
from hosts.operations import PACKAGES, Operator


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def fitting(bundle, host):
    minor = host.python_minor()
    return lambda **arguments: bundle(python=minor, only_needed=True, **arguments)


@pytest.fixture
def virtual_environment(host):
    """A virtual environment of the host that sees the system's packages, torch and pip among them."""
    host.run(["python3", "-m", "venv", "--without-pip", "--system-site-packages", "/srv/venv"], check=True)
    return "/srv/venv/bin/python"


@pytest.fixture
def other_interpreter(host):
    """A second interpreter with folders of its own, and the first one's packages."""
    minor = host.python_minor()
    root = host.path("/opt/other")
    (root / "bin").mkdir(parents=True)
    (root / "lib").mkdir()
    subprocess.run(["cp", "-a", os.path.realpath(host.path(f"/usr/bin/python{minor}")), root / "bin" / "python"], check=True)
    subprocess.run(["cp", "-a", host.path(f"/usr/lib/python{minor}"), root / "lib" / f"python{minor}"], check=True)
    (root / "lib" / "python3").symlink_to("/usr/lib/python3")
    (root / "share").symlink_to("/usr/share")  # what Debian took out of pip lies there
    return "/opt/other/bin/python"


@pytest.mark.parametrize("place", ["virtual_environment", "other_interpreter"])
def test_the_wheel_goes_to_the_interpreter_that_was_named(operator, host, fitting, request, place):
    python = request.getfixturevalue(place)
    before = operator.digest()
    report = operator.json("install", fitting(), "--python", python)
    assert report["outcome"] == "committed" and report["plan"]["python"] == python
    imported = host.run([python, "-c", "import torch_gcu; print(torch_gcu.__file__)"], check=True,
                        env={"PYTHONDONTWRITEBYTECODE": "1"})
    assert imported.stdout.startswith(os.path.dirname(os.path.dirname(python))), imported.stdout
    assert operator.imports_torch_gcu().returncode != 0, "the first interpreter has it too"
    assert operator.json("rollback")["outcome"] == "rolled_back"
    assert operator.changes_since(before) == []


def test_parts_of_the_system_may_lie_on_file_systems_of_their_own(operator, host, fitting):
    places = ("/opt", "/usr/local", "/usr/include")
    for place in places:
        subprocess.run(["cp", "-a", host.path(place), host.path("/srv")], check=True)
        kernel.mount("tmpfs", host.path(place), "tmpfs")
        subprocess.run(["cp", "-a", f"{host.path('/srv')}/{os.path.basename(place)}/.", host.path(place)], check=True)
    try:
        before = operator.digest()
        report = operator.json("install", fitting())
        assert report["outcome"] == "committed"
        assert {"/", "/usr/include"} <= set(report["durability"]["synced_mounts"])
        assert set(operator.dpkg_states()) == set(PACKAGES)
        assert operator.json("rollback")["rollback"]["verified"]["paths_differing"] == 0
        assert operator.changes_since(before) == []
    finally:
        for place in places:
            kernel.unmount(host.path(place))


def test_on_an_overlay_small_files_are_kept_as_copies(operator, host, fitting):
    """A link to a file of a lower layer copies it into the upper one first."""
    large = [path for path in host.path("/var/lib/dpkg/info").iterdir() if path.stat().st_size >= 64 << 10]
    done = operator.json("install", fitting())["write_set"]
    assert done["linked"] <= len(large) and done["copied"] > 500, done
