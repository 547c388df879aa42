# Fixtures of the generator's tests: built bundles (each set of arguments once), and torch or a reason for none.

import os
import subprocess
import sys
from pathlib import Path

import pytest

TORCH_GCU_WHEEL = "framework/torch_gcu-1.10.0+2.5.136-py3.8-none-any.whl"
MAKE_BUNDLE = Path(__file__).resolve().parent.parent / "make_bundle.py"
TESTS = Path(__file__).resolve().parents[2]
SHIM = TESTS.parent / "src/data/shim"
MMENGINE = TESTS / "support/mmengine_double"


def run(*command, **options):
    """Run a command; its output is in the failure message when it fails."""
    check = options.pop("check", True)
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=180, **options)
    assert not check or done.returncode == 0, "{}\n{}{}".format(command, done.stdout, done.stderr)
    return done


def make_bundle(out_dir, *arguments, **options):
    return run(sys.executable, MAKE_BUNDLE, out_dir, *arguments, **options)


def pip_install(wheel, target, check=True):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    return run(sys.executable, "-m", "pip", "--isolated", "install", "--no-deps", "--no-index", "--no-compile",
               "--disable-pip-version-check", "--target", target, wheel, check=check, env=environment)


@pytest.fixture(scope="session")
def bundle(tmp_path_factory):
    """bundle(*arguments) is the directory of a bundle made with these arguments."""
    built = {}

    def build(*arguments):
        if arguments not in built:
            done = make_bundle(tmp_path_factory.mktemp("bundle"), *arguments)
            built[arguments] = Path(done.stdout.splitlines()[-1])
        return built[arguments]

    return build


@pytest.fixture(scope="session")
def unpacked(bundle, tmp_path_factory):
    """unpacked(*arguments) is a root with the three debs of such a bundle unpacked."""
    roots = {}

    def unpack(*arguments):
        if arguments not in roots:
            directory, root = bundle(*arguments), tmp_path_factory.mktemp("root")
            for deb in sorted(directory.glob("distributed/*.deb")) + sorted(directory.glob("sdk/*.deb")):
                run("dpkg-deb", "-x", deb, root)
            roots[arguments] = root
        return roots[arguments]

    return unpack


@pytest.fixture(scope="session")
def torch_python():
    """The running interpreter, when it has a torch with gloo."""
    done = run(sys.executable, "-c", "import torch.distributed as d; assert d.is_available()", check=False)
    if done.returncode != 0:
        pytest.skip("no torch with torch.distributed in '{}'".format(sys.executable))
    return sys.executable


@pytest.fixture
def installed(bundle, unpacked, torch_python, tmp_path):
    """installed(*arguments) is the environment in which that bundle's torch_gcu is importable."""
    def install(*arguments):
        site = tmp_path / "site"
        pip_install(bundle("--only-needed", *arguments) / TORCH_GCU_WHEEL, site)
        return dict(os.environ, PYTHONPATH=str(site), TORCH_GCU_DOUBLE_DEVICES="8", PYTHONDONTWRITEBYTECODE="1",
                    LD_LIBRARY_PATH=str(unpacked("--only-needed", *arguments) / "usr/lib"), OMP_NUM_THREADS="1")
    return install


@pytest.fixture(scope="session")
def sites(bundle, unpacked, torch_python, tmp_path_factory):
    """sites(generation) is the environment in which its torch_gcu can be imported, each made once."""
    made = {}

    def site(generation):
        if generation not in made:
            words = ["--personality", generation]
            folder = tmp_path_factory.mktemp("shim-" + generation)
            pip_install(bundle("--only-needed", *words) / TORCH_GCU_WHEEL, folder)
            made[generation] = {"PYTHONPATH": str(folder), "LD_LIBRARY_PATH": str(unpacked("--only-needed", *words) / "usr/lib")}
        return made[generation]
    return site


@pytest.fixture(scope="session")
def stack(sites):
    """stack(generation, form, shim) is the environment of a rank."""
    def environment(generation, form, shim=True, **more):
        site = sites(generation)
        paths = [str(SHIM)] if shim else []
        values = dict(os.environ, PYTHONPATH=os.pathsep.join(paths + [site["PYTHONPATH"], str(MMENGINE)]),
                      LD_LIBRARY_PATH=site["LD_LIBRARY_PATH"], TORCH_GCU_DOUBLE_DEVICES="8", TORCH_GCU_DOUBLE_STRICT="1",
                      TORCH_GCU_DOUBLE_GROUP=form, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1", MASTER_ADDR="127.0.0.1",
                      GLOO_SOCKET_IFNAME="lo")
        if shim:
            values.update(TOPSCTL_SHIM=generation, TOPSCTL_SHIM_BACKEND="eccl")
        values.update(more)
        return values
    return environment
