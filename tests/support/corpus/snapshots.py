"""Snapshots of machines that never were, in the form that topsctl snapshot writes, for inspect --against."""

import json
from pathlib import Path

GIB = 1 << 30


def package(name, version, status="install ok installed", architecture="amd64", **fields):
    return {"name": name, "version": version, "architecture": architecture, "status": status, **fields}


def python(minor, micro, pip, executable=None, managed=False):
    digits = minor.replace(".", "")
    found = {"executable": executable or f"/usr/bin/python{minor}", "version": f"{minor}.{micro}", "minor": minor,
             "cache_tag": f"cpython-{digits}", "site_directories": ["/usr/local/lib/python3/dist-packages"],
             "script_directories": ["/usr/local/bin"], "externally_managed": managed, "in_virtual_environment": False,
             "wheels": [{"name": "torch", "version": "1.10.0"}, {"name": "numpy", "version": "1.21.0"}],
             "egg_infos": []}
    if pip:
        found["pip_version"] = pip
    return found


def focal():
    """Ubuntu 20.04 with Python 3.8, as most target servers are."""
    return {
        "schema": 1, "kind": "target-snapshot", "taken_at": "2024-01-30T00:00:00Z", "host_name": "t20-server",
        "os": "ubuntu 20.04", "architecture": "amd64", "kernel": "5.4.0-100-generic", "glibc": "2.31",
        "glibcxx": "3.4.28", "cxxabi": "1.3.12", "dpkg_version": "1.19.7ubuntu3",
        "dpkg_compressions": ["none", "gzip", "xz", "zstd", "bzip2", "lzma"],
        "packages": [
            package("dpkg", "1.19.7ubuntu3", essential=True),
            package("libc6", "2.31-0ubuntu9", multi_arch="same", depends="libgcc-s1, libcrypt1"),
            package("libgcc-s1", "10-20200411-0ubuntu1", multi_arch="same", depends="libc6 (>= 2.14)"),
            package("libstdc++6", "10-20200411-0ubuntu1", multi_arch="same", depends="libc6, libgcc-s1"),
            package("libelf1", "0.176-1.1build1", multi_arch="same", depends="libc6 (>= 2.14)"),
            package("xz-utils", "5.2.4-1ubuntu1", multi_arch="foreign", depends="libc6 (>= 2.17)"),
            package("postfix", "3.4.10-1", provides="mail-transport-agent", depends="libc6"),
            package("diverting", "1.0", architecture="all"),
            package("diverted-tool", "1.0"),
            package("enflame-base", "2.0", breaks="tops-old-abi (<< 2)", depends="libc6"),
        ],
        "owners": [
            ["/opt/enflame", "enflame-base", "base"],
            ["/usr/bin", "diverted-tool", "diverted-tool"],
            ["/usr/bin", "xz-utils", "lzma", "xz", "xzcat"],
            ["/usr/lib/x86_64-linux-gnu", "libelf1", "libelf.so.1"],
        ],
        "diversions": [{"from": "/usr/bin/diverted-tool", "to": "/usr/bin/diverted-tool.distrib",
                        "package": "tops-demo"}],
        "libraries": [{"soname": name, "path": f"/lib/x86_64-linux-gnu/{name}"} for name in (
            "libc.so.6", "libelf.so.1", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "libdl.so.2",
            "ld-linux-x86-64.so.2", "libstdc++.so.6")],
        "pythons": [python("3.8", 10, "20.0.2")],
        "mounts": [
            {"path": "/", "type": "ext4", "read_only": False, "free_bytes": 50 * GIB, "free_inodes": 1000000},
            {"path": "/boot", "type": "ext4", "read_only": False, "free_bytes": GIB, "free_inodes": 1000},
            {"path": "/tmp", "type": "tmpfs", "read_only": False, "free_bytes": GIB, "free_inodes": 100000},
        ],
    }


def _bullseye():
    return {**focal(), "os": "debian 11", "dpkg_version": "1.20.13", "pythons": [python("3.9", 2, "20.3.4")],
            "dpkg_compressions": ["none", "gzip", "xz", "bzip2", "lzma"]}


def _bookworm():
    return {**focal(), "os": "debian 12", "glibc": "2.36", "glibcxx": "3.4.30", "dpkg_version": "1.21.22",
            "pythons": [python("3.11", 2, "24.1")]}


def _full():
    root, *others = focal()["mounts"]
    return {**focal(), "mounts": [{**root, "free_bytes": 1 << 20}, *others]}


def _no_inodes():
    root, *others = focal()["mounts"]
    return {**focal(), "mounts": [{**root, "free_inodes": 20}, *others]}


def _read_only_opt():
    root = focal()["mounts"][0]
    return {**focal(), "mounts": [*focal()["mounts"], {**root, "path": "/opt", "read_only": True}]}


def _half_installed():
    broken = package("half-done", "1.0", status="install reinstreq half-installed")
    return {**focal(), "packages": [*focal()["packages"], broken]}


def _needs_old_base():
    user = package("needs-old-base", "1.0", depends="enflame-base (<< 3)")
    return {**focal(), "packages": [*focal()["packages"], user]}


SNAPSHOTS = {
    "ubuntu-20.04": focal,
    "debian-11": _bullseye,
    "debian-12-pip-24.1": _bookworm,
    "full": _full,
    "half-installed": _half_installed,
    "needs-old-base": _needs_old_base,
    "no-inodes": _no_inodes,
    "read-only-opt": _read_only_opt,
    "no-pip": lambda: {**focal(), "pythons": [python("3.8", 10, None)]},
    "old-torch": lambda: {**focal(), "pythons": [
        {**python("3.8", 10, "20.0.2"), "wheels": [{"name": "torch", "version": "1.7.0"}]}]},
    "pythons-not-asked": lambda: {**focal(), "pythons": [], "pythons_known": False},
}


def write(name, folder):
    """Writes one snapshot into a folder; gives its path."""
    path = Path(folder) / f"{name}.snapshot.json"
    path.write_text(json.dumps(SNAPSHOTS[name](), indent=1) + "\n")
    return path
