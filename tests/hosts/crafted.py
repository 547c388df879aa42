"""Bundles with a package that was made for one test: its scripts, its fields, its files."""

import shutil
import subprocess
from pathlib import Path

import pytest

MAINTAINER_SCRIPTS = ("preinst", "postinst", "prerm", "postrm")


@pytest.fixture
def with_eccl(bundle, host, tmp_path):
    """with_eccl(script, fields, files) -> a bundle whose tops-eccl has more files, other control fields, and `script` for
    its postinst; `scripts` has others by name, `executables` text of files."""
    def make(script="", fields="", files=(), scripts=None, executables=None):
        folder, tree = (tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}" for name in ("bundle", "tree"))
        shutil.copytree(bundle(python=host.python_minor(), only_needed=True), folder)
        original, = folder.glob("distributed/tops-eccl*")
        subprocess.run(["dpkg-deb", "-R", original, tree], check=True, capture_output=True)
        change(tree, fields, script, files)
        add_programs(tree, scripts, executables)
        build(tree, original)
        return folder

    return make


def without_md5sums(bundle, package, folder):
    """A copy of a bundle below a folder: nobody can tell beforehand whether this package of it is there already."""
    copied, tree = Path(folder) / "without-md5sums", Path(folder) / "without-md5sums.tree"
    shutil.copytree(bundle, copied)
    target, = copied.glob(f"**/{package}*.deb")
    subprocess.run(["dpkg-deb", "-R", target, tree], check=True, capture_output=True)
    (tree / "DEBIAN/md5sums").unlink()
    build(tree, target)
    return copied


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def change(tree, fields, script, files):
    """Each file holds its own name, a slash at the end means a folder; a field replaces the one of its name."""
    for path in files:
        file = tree / path.lstrip("/")
        if path.endswith("/"):
            file.mkdir(parents=True, exist_ok=True)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{path}\n")
    control = tree / "DEBIAN" / "control"
    names = {line.partition(":")[0] for line in fields.splitlines()}
    kept = [line for line in control.read_text().splitlines(True) if line.partition(":")[0] not in names]
    control.write_text(fields + "".join(kept))
    if script:
        executable(tree / "DEBIAN" / "postinst", f"#!/bin/sh\nset -e\n{script}\n")


def add_programs(tree, scripts=None, executables=None):
    for name, text in (scripts or {}).items():
        begin = "#!/bin/sh\nset -e\n" if name in MAINTAINER_SCRIPTS else ""
        executable(tree / "DEBIAN" / name, f"{begin}{text}\n")
    for path, text in (executables or {}).items():
        executable(tree / path.lstrip("/"), text)


def deb(tree, target, name, version, fields, script, files, **programs):
    """Builds a deb of its own in the folder `tree`."""
    control = tree / "DEBIAN"
    control.mkdir(parents=True)
    (control / "control").write_text(f"Package: {name}\nVersion: {version}\nArchitecture: amd64\n"
                                     "Maintainer: a <a@example.com>\nDescription: test double\n")
    change(tree, fields, script, files)
    add_programs(tree, **programs)
    build(tree, target)


def build(tree, target):
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-b", tree, target], check=True, capture_output=True)
