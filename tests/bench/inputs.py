"""Makes the large inputs of the benchmarks of real files of this machine, once, and keeps them in a cache folder."""

import base64
import hashlib
import os
import shutil
import subprocess
import time
import zipfile
from pathlib import Path

from support.sample_bundle.files import filler

EPOCH = 1706572800
MIB = 1 << 20

DEB_FILES = 20480
DEB_ELF_BYTES = 720 * MIB
DEB_NOISE_BYTES = 120 * MIB
WHEEL_ENTRIES = 633
WHEEL_BYTES = 330 * MIB
LIBRARIES = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/llvm-14", "/usr/lib/gcc", "/usr/lib/python3", "/usr/bin")
TEXTS = ("/usr/include", "/usr/lib/python3", "/usr/share/doc", "/usr/share/perl")


def large_deb(cache):
    """The path of a deb of about 330 MB, compressed as dpkg-deb does it by default, with 20,480 files."""
    return _made(Path(cache) / "tops-sdk-large_2.5.136-1_amd64.deb", _build_deb)


def large_wheel(cache):
    """The path of a wheel of about 330 MB, with 633 entries."""
    return _made(Path(cache) / "torch_gcu_large-1.10.0+2.5.136-cp38-cp38-linux_x86_64.whl", _build_wheel)


def _made(path, build):
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        print(f"making {path.name}: takes minutes, once", flush=True)
        building = path.with_name(f".building-{os.getpid()}-{path.name}")
        build(building)
        os.rename(building, path)
    return path


def _regular_files(folders):
    """(path, size) of the regular files below the folders, links not followed, each file once."""
    seen = set()
    for top in folders:
        for folder, inner, names in os.walk(top):
            inner.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                state = os.stat(path)
                if (state.st_dev, state.st_ino) not in seen:
                    seen.add((state.st_dev, state.st_ino))
                    yield path, state.st_size


def _is_elf(path):
    with open(path, "rb") as stream:
        return stream.read(4) == b"\x7fELF"


def elf_files(most_bytes, largest=1 << 40):
    """ELF files of this machine's packages that together stay below `most_bytes`, those of `largest` bytes first."""
    found, total = [], 0
    for path, size in sorted(_regular_files(LIBRARIES), key=lambda file: (-file[1], file[0])):
        if size < 64 << 10:
            break
        if size > largest:
            continue
        if total + size <= most_bytes and _is_elf(path):
            found.append(path)
            total += size
    return found


def text_files(number, most_size=64 << 10):
    """That many small files of this machine; the same one again under another name when they do not suffice."""
    found = []
    for path, size in _regular_files(TEXTS):
        if 0 < size <= most_size:
            found.append(path)
            if len(found) == number:
                return found
    return [found[index % len(found)] for index in range(number)]


def _build_deb(output):
    tree = output.with_name(output.name + ".tree")
    shutil.rmtree(tree, ignore_errors=True)
    digests = []

    def place(target, chunks, mode=0o644):
        path = tree / target
        path.parent.mkdir(parents=True, exist_ok=True)
        digest = hashlib.md5()
        with open(path, "wb") as stream:
            for chunk in chunks:
                digest.update(chunk)
                stream.write(chunk)
        path.chmod(mode)
        digests.append(f"{digest.hexdigest()}  {target}\n")

    elves = elf_files(DEB_ELF_BYTES * 5 // 8) + elf_files(DEB_ELF_BYTES * 3 // 8, largest=4 * MIB)
    for index, path in enumerate(elves):
        place(f"opt/tops/lib/{index:04}/{os.path.basename(path)}", _chunks(path), 0o755)
    for index in range(8):
        place(f"opt/tops/share/kernels_{index}.bin", filler(f"noise {index}", DEB_NOISE_BYTES // 8))
    for index, path in enumerate(text_files(DEB_FILES - len(elves) - 8)):
        place(f"opt/tops/include/{index // 9:04}/{index:05}_{os.path.basename(path)}", _chunks(path))
    control = tree / "DEBIAN"
    control.mkdir()
    (control / "md5sums").write_text("".join(digests))
    (control / "control").write_text(
        "Package: tops-sdk-large\nVersion: 2.5.136-1\nArchitecture: amd64\nSection: libs\nPriority: optional\n"
        "Maintainer: topsctl test doubles <doubles@example.invalid>\n"
        "Depends: libc6 (>= 2.27), libstdc++6 (>= 8)\n"
        "Description: input of a benchmark, made of this machine's own files\n")
    for folder, _, _ in os.walk(tree):
        os.chmod(folder, 0o755)
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, output], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)})
    shutil.rmtree(tree)


def _chunks(path):
    with open(path, "rb") as stream:
        while chunk := stream.read(MIB):
            yield chunk


def _build_wheel(output):
    record = []
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, chunks, mode=0o644):
            entry = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            digest, size = hashlib.sha256(), 0
            with archive.open(entry, "w", force_zip64=False) as member:
                for chunk in chunks:
                    digest.update(chunk)
                    size += len(chunk)
                    member.write(chunk)
            encoded = base64.urlsafe_b64encode(digest.digest()).decode().rstrip("=")
            record.append(f"{name},sha256={encoded},{size}\n")

        elves = []
        for path in elf_files(4 << 30):
            if output.stat().st_size >= WHEEL_BYTES or len(elves) == WHEEL_ENTRIES // 2:
                break
            add(f"torch_gcu_large/lib/{len(elves):03}/{os.path.basename(path)}", _chunks(path), 0o755)
            elves.append(path)
        for index, path in enumerate(text_files(WHEEL_ENTRIES - len(elves) - 3)):
            add(f"torch_gcu_large/include/{index:03}_{os.path.basename(path)}".replace(",", "_"), _chunks(path))
        info = "torch_gcu_large-1.10.0+2.5.136.dist-info"
        add(f"{info}/METADATA", [b"Metadata-Version: 2.1\nName: torch_gcu_large\nVersion: 1.10.0+2.5.136\n"])
        add(f"{info}/WHEEL", [b"Wheel-Version: 1.0\nGenerator: topsctl benchmark\nRoot-Is-Purelib: false\n"
                              b"Tag: cp38-cp38-linux_x86_64\n"])
        record.append(f"{info}/RECORD,,\n")
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", time.gmtime(EPOCH)[:6]), "".join(record))
