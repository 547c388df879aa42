"""Makes the bundles of the benchmark of installs at their real size, once, and keeps them in a cache folder."""

import contextlib
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from bench.inputs import MIB
from support.bundles import make_bundle
from support.sample_bundle.files import filler

OLD, NEW = "2.4.87", "2.5.136"
EPOCHS = {OLD: 1695859200, NEW: 1706572800}
FILES = 20480
LARGE = 64 << 10
# Bytes that do not compress, as weights and compiled kernels are: chosen so that the debs have their real sizes.
NOISE = {"tops-sdk": 118 * MIB, "topsfactor": 20 * MIB, "tops-eccl": 6_000_000}


def bundles(cache, root):
    """generation -> folder of a bundle: three debs of about 340 MB with FILES files, and a wheel of 12 MB for the
    Python of the root. The files are the root's own, so that what they need is there. The debs of NEW are compressed as
    dpkg-deb does it by default; those of OLD, which nothing measured reads, are not."""
    home = Path(cache) / "install"
    for generation in (NEW, OLD):
        if not (home / generation / "done").exists():
            print(f"making the bundle {generation}: takes minutes, once", flush=True)
            shutil.rmtree(home / generation, ignore_errors=True)
            _build(home / generation, generation, Path(root))
    return {generation: next((home / generation).glob("TopsRider*")) for generation in (OLD, NEW)}


def _build(folder, generation, root):
    minor = ".".join(os.path.basename(os.path.realpath(root / "usr/bin/python3"))[len("python"):].split(".")[:2])
    bundle = make_bundle(folder, generation, [], None, minor, None, True)
    full = make_bundle(folder / "full", generation, [], None, minor, "1", True)
    for wheel in bundle.glob("framework/*.whl"):
        if f"-py{minor}-" in wheel.name:
            shutil.move(full / wheel.relative_to(bundle), wheel)
    shutil.rmtree(folder / "full")
    large, small = _files_of(root)
    share = {"tops-sdk": (large[::6] + large[1::6] + large[2::6] + large[3::6] + large[4::6], small),
             "topsfactor": (large[5::6], []), "tops-eccl": ([], [])}
    for deb in sorted(bundle.glob("*/*.deb")):
        name = deb.name.split("_")[0]
        _enlarge(deb, name, generation, *share[name])
    (folder / "done").write_text("")


def _files_of(root):
    """(ELF files of at least LARGE bytes, small files) of a root: as many as FILES together."""
    large, small = [], []
    for folder, inner, names in os.walk(root / "usr"):
        inner.sort()
        if "/torch/" in folder:  # test programs among it, whose libraries nobody has
            continue
        for path in (Path(folder) / name for name in sorted(names)):
            if path.is_symlink() or not path.is_file():
                continue
            size = path.stat().st_size
            if size >= LARGE:
                with open(path, "rb") as stream:
                    if stream.read(4) == b"\x7fELF":
                        large.append(path)
            elif size > 0:
                small.append(path)
    return large, small[:FILES - len(large)]


def _enlarge(deb, name, generation, large, small):
    tree = deb.with_name(f".{deb.name}.tree")
    subprocess.run(["dpkg-deb", "-R", deb, tree], check=True)
    top = tree / "opt" / "tops" / name
    for index, path in enumerate(large):
        _place(path, top / "lib" / f"{index:04}" / path.name)
    for index, path in enumerate(small):
        _place(path, top / "share" / f"{index // 9:04}" / f"{index:05}_{path.name}".replace(" ", "_"))
    top.mkdir(parents=True, exist_ok=True)
    for index in range(8):
        with open(top / f"kernels_{index}.bin", "wb") as stream:
            stream.writelines(filler(f"{name} {generation} {index}", NOISE[name] // 8))
    _write_md5sums(tree)
    for folder, _, names in os.walk(tree):
        os.chmod(folder, 0o755)
        for path in [folder, *(os.path.join(folder, each) for each in names)]:
            os.utime(path, (EPOCHS[generation],) * 2, follow_symlinks=False)
    compression = ["-Zxz"] if generation == NEW else ["-Znone"]
    subprocess.run(["dpkg-deb", "--root-owner-group", *compression, "--build", tree, deb], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCHS[generation])})
    shutil.rmtree(tree)


def _place(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    # Setuid bits are left out: those are other people's programs.
    target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def _write_md5sums(tree):
    conffiles = set()
    with contextlib.suppress(FileNotFoundError):
        conffiles.update((tree / "DEBIAN/conffiles").read_text().split())
    lines = []
    for folder, inner, names in os.walk(tree):
        inner.sort()
        if folder == str(tree):
            inner.remove("DEBIAN")
        for path in (Path(folder) / name for name in sorted(names)):
            inside = path.relative_to(tree).as_posix()
            if path.is_file() and not path.is_symlink() and f"/{inside}" not in conffiles:
                with open(path, "rb") as stream:
                    lines.append(f"{hashlib.file_digest(stream, 'md5').hexdigest()}  {inside}\n")
    (tree / "DEBIAN/md5sums").write_text("".join(lines))
