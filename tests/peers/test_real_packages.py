"""topsctl inspect says of real packages what dpkg-deb, sha256sum and Python say; only what is at hand offline is used."""

import subprocess
from pathlib import Path

import pytest

from support.package_peers import compare_deb, compare_wheel, octal_mode, unescaped
from support.repacked import FORMATS, repacked

MANY = 20
LARGEST = 3 << 20
PLACES = ("build/real-packages", "/var/cache/apt/archives")


@pytest.fixture(scope="module")
def real_debs(repository):
    """About twenty debs, spread over what is at hand."""
    found = sorted({path.name: path for place in PLACES for path in (repository / place).glob("*.deb")
                    if path.stat().st_size <= LARGEST}.values())
    if not found:
        pytest.skip("no .deb file in build/real-packages or apt's cache: run tests/bench/real_packages")
    return found[::max(1, len(found) // MANY)][:MANY]


def test_real_debs_are_read_as_dpkg_reads_them(real_debs, topsctl_dev):
    differing = {deb.name: found for deb in real_debs if (found := compare_deb(topsctl_dev, deb)[0])}
    assert differing == {}


@pytest.mark.parametrize("form", FORMATS)
def test_real_debs_in_another_format_are_read_the_same(real_debs, topsctl_dev, tmp_path, form):
    deb = repacked(min(real_debs, key=lambda path: path.stat().st_size), form, tmp_path)
    assert compare_deb(topsctl_dev, deb)[0] == []


def test_debian_wheels_are_read_as_python_reads_them(repository, topsctl_dev, tmp_path):
    wheels = sorted(Path("/usr/share/python-wheels").glob("*.whl"))
    if not wheels:
        for place in PLACES:
            for deb in sorted((repository / place).glob("python*-whl_*.deb")):
                subprocess.run(["dpkg-deb", "-x", deb, tmp_path], check=True)
        wheels = sorted(tmp_path.rglob("*.whl"))
    if not wheels:
        pytest.skip("neither /usr/share/python-wheels nor a python*-whl package is at hand")
    differing = {wheel.name: found for wheel in wheels if (found := compare_wheel(topsctl_dev, wheel)[0])}
    assert differing == {}


@pytest.mark.parametrize("text, mode", [("rwxr-xr-x", "0755"), ("rwsr-x--x", "4751"), ("rwSr-Sr-T", "7644"),
                                        ("rwxrwxrwt", "1777"), ("---------", "0000")])
def test_modes_are_read_from_listings(text, mode):
    assert octal_mode(text) == mode


@pytest.mark.parametrize("shown, name", [("plain", "plain"), (r"a\nb", "a\nb"), (r"\303\251t\303\251", "été"),
                                         (r"back\\slash", "back\\slash")])
def test_names_are_read_from_listings(shown, name):
    assert unescaped(shown) == name
