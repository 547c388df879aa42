"""A package of a later Debian release is unpacked under build/later, with apt's state of this machine left alone."""

import os
import shutil
import subprocess

import pytest

# A double of apt-get: it knows one mirror, writes down what it was asked, and "downloads" the deb it was given.
APT = """#!/bin/bash
case $* in
*indextargets*) printf '%s\\n' 'bookworm-security|main|http://mirror.invalid/security' \\
    'bookworm|main|http://mirror.invalid/debian' ;;
*install*) echo "$*" >>"$ASKED" ;;
*update*) echo "$*" >>"$ASKED"; cat "$APT_CONFIG" "$(dirname "$APT_CONFIG")/sources.list" >>"$ASKED"; exit $UPDATE_STATUS ;;
*download*) echo "$*" >>"$ASKED"; cp "$DEB" . ;;
*) echo "unexpected: $*" >>"$ASKED"; exit 1 ;;
esac
"""


@pytest.fixture
def machine(tmp_path, repository):
    """A checkout with the script alone, a list that names one later package, and the double of apt-get."""
    tree = tmp_path / "deb"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text("Package: libzip-dev\nVersion: 9\nArchitecture: all\n"
                                             "Maintainer: n <n@invalid>\nDescription: d\n")
    (tree / "usr").mkdir()
    (tree / "usr" / "liblater.a").write_text("later\n")
    subprocess.run(["dpkg-deb", "--build", tree, tmp_path / "libzip-dev_9_all.deb"], check=True, capture_output=True)
    (tmp_path / "bin").mkdir()
    apt = tmp_path / "bin" / "apt-get"
    apt.write_text(APT)
    apt.chmod(0o755)
    (tmp_path / "checkout" / "packaging").mkdir(parents=True)
    shutil.copy(repository / "packaging" / "install-packages", tmp_path / "checkout" / "packaging")
    (tmp_path / "list").write_text("dpkg\nlibzip-dev/later    # from there\n")

    def run(*options, update_status=0):
        asked = tmp_path / "asked"
        asked.write_text("")
        done = subprocess.run([tmp_path / "checkout" / "packaging" / "install-packages", *options, tmp_path / "list"], text=True,
                              capture_output=True, check=False,
                              env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
                                   "ASKED": str(asked), "DEB": str(tmp_path / "libzip-dev_9_all.deb"),
                                   "UPDATE_STATUS": str(update_status)})
        return done, asked.read_text(), tmp_path / "checkout" / "build" / "later" / "libzip-dev" / "later"
    return run


def test_it_is_unpacked_and_never_installed(machine):
    done, asked, place = machine()
    assert done.returncode == 0, done.stderr
    assert (place / "usr" / "liblater.a").read_text() == "later\n" and (place / "complete").exists()
    assert "http://mirror.invalid/debian later main" in asked and "signed-by=" in asked
    assert 'SourceParts "/dev/null"' in asked and "unexpected" not in asked


def test_the_second_time_asks_for_nothing(machine):
    machine()
    done, asked, _ = machine()
    assert (done.returncode, asked, done.stderr) == (0, "", "")


def test_an_update_installs_what_is_there_already(machine):
    machine()
    done, asked, place = machine("--update")
    assert done.returncode == 0, done.stderr
    assert any(line.endswith("--no-install-recommends dpkg") for line in asked.splitlines())
    assert "download libzip-dev" in asked and (place / "complete").exists()


def test_where_it_cannot_be_had_the_build_goes_on(machine):
    done, _, place = machine(update_status=100)
    assert done.returncode == 0 and "note: libzip-dev/later cannot be had" in done.stderr
    assert not (place / "complete").exists()
