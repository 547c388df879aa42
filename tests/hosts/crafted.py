"""Bundles with a package that was made for one test: its scripts, its fields, its files."""

import shutil
import subprocess

import pytest


@pytest.fixture
def with_eccl(bundle, host, tmp_path):
    """with_eccl(script, fields, files) -> a bundle whose tops-eccl is made here, its postinst being `script`."""
    def make(script="", fields="", files=()):
        folder = tmp_path / "bundle"
        shutil.copytree(bundle(python=host.python_minor(), only_needed=True), folder)
        for old in folder.glob("distributed/tops-eccl*"):
            old.unlink()
        deb(tmp_path / "tree", folder / "distributed" / "tops-eccl_2.5.136-1_amd64.deb", "tops-eccl", "2.5.136-1",
            fields, script, files)
        return folder

    return make


def deb(tree, target, name, version, fields, script, files):
    """Builds a deb in the folder `tree`; each file holds its own name."""
    for path in files:
        file = tree / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{path} of {name} {version}\n")
    control = tree / "DEBIAN"
    control.mkdir(parents=True)
    (control / "control").write_text(f"Package: {name}\nVersion: {version}\nArchitecture: amd64\n"
                                     f"Maintainer: a <a@example.com>\n{fields}Description: test double\n")
    if script:
        (control / "postinst").write_text(f"#!/bin/sh\nset -e\n{script}\n")
        (control / "postinst").chmod(0o755)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-b", tree, target], check=True, capture_output=True)
