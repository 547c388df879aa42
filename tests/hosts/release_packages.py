"""The packages of topsctl itself, made by packaging/release from the release that is built, and hosts to install them on."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from hosts.host import Host
from hosts.root_cache import cached_root
from hosts.settings import UBUNTU_RELEASES, SettingsError, root_settings

OLDER = "0.0.9"
SHELLS = "man-db,bash-completion,zsh,fish"
UBUNTU = 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\nVERSION_CODENAME=jammy\n'


class Packages(NamedTuple):
    """What one call has made."""
    folder: Path
    version: str

    @property
    def deb(self):
        return self.folder / f"topsctl_{self.version}_amd64.deb"

    @property
    def archive(self):
        return self.folder / f"topsctl-{self.version}-linux-amd64.tar.gz"

    @property
    def bill(self):
        return self.folder / f"topsctl-{self.version}-linux-amd64.cdx.json"


@pytest.fixture(scope="session")
def make_packages(repository, topsctl_release, tmp_path_factory):
    """make_packages(*options, version=None, **how) -> Packages; of the built release, compressed little."""
    assert topsctl_release.exists()

    def make(*options, version=None, **how):
        folder = tmp_path_factory.mktemp("packages") / "made"
        argv = [repository / "packaging" / "release", "--no-build", "--fast", *options]
        done = subprocess.run([*argv, *(["--version", version] if version else []), folder], capture_output=True, text=True,
                              check=False, **how)
        assert done.returncode == 0, done.stderr
        deb, = folder.glob("*.deb")
        return Packages(folder, deb.name.split("_")[1])

    return make


@pytest.fixture(scope="session")
def released(make_packages):
    """The packages of this version."""
    return make_packages()


@pytest.fixture(scope="session")
def older_packages(make_packages):
    """The same as an older version."""
    return make_packages(version=OLDER)


@pytest.fixture(scope="session")
def unpacked(released, tmp_path_factory):
    """The directory of the unpacked archive."""
    folder = tmp_path_factory.mktemp("archive")
    subprocess.run(["tar", "--extract", "--file", released.archive, "--directory", folder], check=True)
    return folder / released.archive.name.removesuffix(".tar.gz")


def bookworm_settings():
    """From the mirror of the other roots, unless that is Ubuntu's."""
    is_ubuntu = os.environ.get("TOPSCTL_TEST_RELEASE") in UBUNTU_RELEASES
    mirror = {} if is_ubuntu else {"TOPSCTL_TEST_MIRROR": os.environ.get("TOPSCTL_TEST_MIRROR", "")}
    return replace(root_settings({"TOPSCTL_TEST_RELEASE": "bookworm", **mirror}), include=SHELLS)


@pytest.fixture
def make_package_host(request, host_place):
    """make_package_host(kind) -> a host: debian-11, or what TOPSCTL_TEST_RELEASE names; debian-12, with man and three shells;
    debian-13; or ubuntu-like, the same by the name of Ubuntu: a double, for its mirror may be out of reach."""
    made = []

    def make(kind):
        if kind == "debian-11":
            return request.getfixturevalue("make_host")()
        settings = bookworm_settings()
        if kind == "debian-13":
            settings = replace(settings, release="trixie", include="ca-certificates")
        try:
            lower = cached_root(settings)
        except SettingsError as error:
            pytest.fail(str(error), pytrace=False)
        made.append(Host(lower, host_place))
        if kind == "ubuntu-like":
            made[-1].path("/usr/lib/os-release").write_text(UBUNTU)
        return made[-1]

    yield make
    for host in made:
        host.remove()
