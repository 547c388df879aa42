"""Doubles of VCCL: a library of its name, symbols and marker in a real deb and a real tarball, and a torch that loads it."""

import subprocess

VERSION = "2.26.62-1+cuda12.6"
SOURCE = """
#include <stddef.h>
const char *topsctl_test_double = "test double %(marker)s";
int ncclGetVersion(int *code) { *code = %(code)d; return 0; }
int ncclGetUniqueId(void *id) { return id == NULL; }
int ncclCommInitRank(void **communicator, int ranks, void *id, int rank) { return communicator == NULL || id == NULL || rank >= ranks; }
"""
# Not PyTorch: what maps a library as PyTorch does.
TORCH = """
import ctypes
__version__ = "2.3.0+double"
nccl = ctypes.CDLL({library!r})
"""
CONTROL = """Package: libnccl2
Version: {version}
Architecture: amd64
Maintainer: test double <double@localhost>
Description: test double of VCCL
"""


def make_library(folder, marker="NCCL_PASS_SM", code=22662):
    """folder/libnccl.so.2.26.62 and its links."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wl,-soname,libnccl.so.2", "-o", folder / "libnccl.so.2.26.62", "-xc", "-"],
                   input=SOURCE % {"marker": marker, "code": code}, text=True, check=True)
    for link in ("libnccl.so.2", "libnccl.so"):
        (folder / link).symlink_to("libnccl.so.2.26.62")


def make_deb(folder, marker="NCCL_PASS_SM"):
    """What `make pkg.debian.build` leaves."""
    tree = folder / "tree-of-deb"
    make_library(tree / "usr/lib/x86_64-linux-gnu", marker)
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(CONTROL.format(version=VERSION))
    deb = folder / f"libnccl2_{VERSION}_amd64.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, deb], check=True, capture_output=True)
    return deb


def make_tree(folder):
    """What `make pkg.txz.build` leaves."""
    top = folder / "tree" / f"nccl_{VERSION}_x86_64"
    make_library(top / "lib")
    (top / "include").mkdir()
    (top / "include/nccl.h").write_text("/* test double */\n")
    archive = folder / f"nccl_{VERSION}_x86_64.txz"
    subprocess.run(["tar", "-C", top.parent, "-cJf", archive, top.name], check=True)
    return archive


def add_torch(host, library="libnccl.so.2"):
    """For the host's own interpreter."""
    place = host.path(f"/usr/local/lib/python{host.python_minor()}/dist-packages/torch")
    place.mkdir(parents=True)
    (place / "__init__.py").write_text(TORCH.format(library=library))
