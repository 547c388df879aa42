"""Tests of how the release and the mirror of the test hosts are chosen."""

import pytest

from hosts import settings
from hosts.settings import SettingsError, fleet_root_settings, mirror_of_index_targets, root_settings

pytestmark = pytest.mark.whole  # of the settings of the test hosts

TARGETS = """Packages|bookworm-security|main|http://security.example.invalid/debian-security/
Translations|bookworm|main|http://wrong.example.invalid/debian/
Packages|bookworm-updates|main|http://updates.example.invalid/debian/
Packages|bookworm|contrib|http://contrib.example.invalid/debian/
Packages|bookworm|main|http://mirror.example.invalid/debian/
"""


def test_the_mirror_is_the_first_main_archive_apt_uses():
    assert mirror_of_index_targets(TARGETS) == "http://mirror.example.invalid/debian"
    assert mirror_of_index_targets("") is None


def test_the_default_is_bullseye_from_the_machines_own_mirror(monkeypatch):
    monkeypatch.setattr(settings, "_machine_mirror", lambda family, release: f"mirror of {family}")
    chosen = root_settings({})
    assert (chosen.release, chosen.mirror, chosen.components) == ("bullseye", "mirror of debian", "main")
    assert "python3-torch" in chosen.include and chosen.merged_usr


def test_ubuntu_has_universe_and_no_torch(monkeypatch):
    monkeypatch.setattr(settings, "_machine_mirror", lambda family, release: f"mirror of {family}")
    chosen = root_settings({"TOPSCTL_TEST_RELEASE": "bionic"})
    assert (chosen.mirror, chosen.components) == ("mirror of ubuntu", "main,universe")
    assert chosen.include == "python3,python3-pip,python3-distutils" and not chosen.merged_usr


def test_a_release_of_another_distribution_needs_a_mirror(monkeypatch):
    monkeypatch.setattr(settings, "_os_release", lambda: {"ID": "debian"})
    with pytest.raises(SettingsError, match="set TOPSCTL_TEST_MIRROR"):
        root_settings({"TOPSCTL_TEST_RELEASE": "focal"})


def test_each_parameter_gives_another_cached_root():
    base = {"TOPSCTL_TEST_RELEASE": "focal", "TOPSCTL_TEST_MIRROR": "http://a.example.invalid"}
    names = {root_settings({**base, **extra}).name for extra in (
        {}, {"TOPSCTL_TEST_MIRROR": "http://b.example.invalid"}, {"TOPSCTL_TEST_INCLUDE": "python3"},
        {"TOPSCTL_TEST_COMPONENTS": "main"}, {"TOPSCTL_TEST_RELEASE": "bionic"})}
    assert len(names) == 5


def test_a_fleet_has_a_root_of_its_own_with_podman_where_there_is_one():
    for release, more in (("focal", ""), ("jammy", ",podman,crun")):
        chosen = {"TOPSCTL_TEST_RELEASE": release, "TOPSCTL_TEST_MIRROR": "http://a.example.invalid"}
        usual, fleet = root_settings(chosen), fleet_root_settings(chosen)
        assert fleet.name != usual.name
        assert fleet.include == f"{usual.include},openssh-server,sudo,fish,tcsh{more}"
