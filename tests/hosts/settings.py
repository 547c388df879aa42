"""Which root the hosts are made from: read from the environment, with the machine's own apt as the default mirror."""

import hashlib
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

UBUNTU_RELEASES = ("xenial", "bionic", "focal", "jammy", "noble")
NOT_MERGED = ("stretch", "buster", "xenial", "bionic")
FLEET_PACKAGES = "openssh-server,sudo,fish,tcsh"
CONTAINER_PACKAGES = "podman,crun"
WITHOUT_PODMAN = ("stretch", "buster", "xenial", "bionic", "focal")
POCKETS = ("-security", "-updates", "-backports", "-proposed", "-proposed-updates")


class SettingsError(Exception):
    """A root cannot be made as asked; the text says how to proceed."""


@dataclass(frozen=True)
class RootSettings:
    release: str
    mirror: str
    components: str
    include: str
    merged_usr: bool

    @property
    def name(self):
        """The folder name in the cache: another value of any parameter gives another root."""
        text = "\n".join([self.release, self.mirror, self.components, self.include, str(self.merged_usr)])
        return f"{self.release}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def root_settings(environment=os.environ):
    """The settings of TOPSCTL_TEST_RELEASE, _MIRROR, _COMPONENTS and _INCLUDE, or their defaults."""
    release = environment.get("TOPSCTL_TEST_RELEASE") or "bullseye"
    is_ubuntu = release in UBUNTU_RELEASES
    # Ubuntu has no python3-torch: the tests that need it are skipped there. On bionic pip only recommends distutils.
    include = "python3,python3-pip" + (",python3-distutils" if release == "bionic" else "")
    if not is_ubuntu:
        include += ",python3-torch"
    return RootSettings(
        release=release,
        mirror=environment.get("TOPSCTL_TEST_MIRROR") or _machine_mirror("ubuntu" if is_ubuntu else "debian", release),
        components=environment.get("TOPSCTL_TEST_COMPONENTS") or ("main,universe" if is_ubuntu else "main"),
        include=environment.get("TOPSCTL_TEST_INCLUDE") or include,
        merged_usr=release not in NOT_MERGED)


def fleet_root_settings(environment=os.environ):
    """The settings of the hosts of a fleet: a root of its own, so that the other hosts stay as they are."""
    settings = root_settings(environment)
    more = FLEET_PACKAGES + ("" if settings.release in WITHOUT_PODMAN else f",{CONTAINER_PACKAGES}")
    return replace(settings, include=f"{settings.include},{more}")


def cache_home(environment=os.environ):
    base = environment.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "topsctl-tests"


def _machine_mirror(family, release):
    if _os_release().get("ID") != family:
        raise SettingsError(f"release '{release}' is not of this machine's distribution: "
                            "set TOPSCTL_TEST_MIRROR to the address of a mirror that has it")
    # apt reads both forms of sources for us, disabled entries and options included.
    answer = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(CREATED_BY)|$(RELEASE)|$(COMPONENT)|$(REPO_URI)"],
        capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}, check=False)
    mirror = mirror_of_index_targets(answer.stdout)
    if mirror is None:
        raise SettingsError("apt on this machine names no mirror: set TOPSCTL_TEST_MIRROR")
    return mirror


def mirror_of_index_targets(text):
    """The address of the first main archive (no security or updates pocket) in the lines of `apt-get indextargets`."""
    for line in text.splitlines():
        created_by, release, component, address = (line.split("|") + [""] * 4)[:4]
        if created_by == "Packages" and component == "main" and not release.endswith(POCKETS) \
                and not release.endswith("/updates"):
            return address.rstrip("/")
    return None


def _os_release():
    pairs = (line.split("=", 1) for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
             if "=" in line)
    return {key: value.strip("\"'") for key, value in pairs}
