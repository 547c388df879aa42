# The Debian packages of a bundle: control files, contents, ELF files any supported host can load, faults.

import email
import hashlib
import os
import re
import subprocess

import pytest

from .conftest import run
from .packages import ECCL_TOOLS

pytestmark = pytest.mark.whole  # of the doubles themselves; installs, checks and rollbacks of tests/hosts have them at work

DEBS = {"tops-eccl": "distributed", "tops-sdk": "sdk", "topsfactor": "sdk"}


def deb(directory, name, generation="2.5.136"):
    return directory / DEBS[name] / "{}_{}-1_amd64.deb".format(name, generation)


def control_file(package, name):
    return run("dpkg-deb", "-I", package, name).stdout


def contents(package):
    """Path -> (mode and owner, symlink target) of a package."""
    listed = {}
    for line in run("dpkg-deb", "-c", package).stdout.splitlines():
        mode, owner, _, _, _, path = line.split(None, 5)
        path, _, target = path.partition(" -> ")
        listed[path[1:]] = (mode, owner, target)
    return listed


def symbols(path, *options):
    return run("readelf", "-W", *options, path).stdout


@pytest.mark.parametrize("name", sorted(DEBS))
def test_the_control_fields_are_those_of_a_vendor_package(bundle, name):
    fields = email.message_from_string(control_file(deb(bundle("--only-needed"), name), "control"))
    assert fields["Package"] == name
    assert fields["Version"] == "2.5.136-1"
    assert fields["Architecture"] == "amd64"
    assert int(fields["Installed-Size"]) > 0
    assert "libc6 (>= 2.27)" in fields["Depends"]
    assert ("tops-sdk (>= 2.5.136-1)" in fields["Depends"]) == (name == "topsfactor")
    assert "no Enflame software" in fields["Description"]
    assert fields["Maintainer"] and fields["Section"] and fields["Priority"]


@pytest.mark.parametrize("name", sorted(DEBS))
def test_the_scripts_run_ldconfig_and_the_md5sums_are_true(bundle, unpacked, name):
    package = deb(bundle("--only-needed"), name)
    for script in ("postinst", "postrm"):
        text = control_file(package, script)
        assert text.startswith("#!/bin/sh\n")
        assert "set -e\n" in text and "ldconfig" in text and "est double" in text
    for line in control_file(package, "md5sums").splitlines():
        digest, path = line.split("  ", 1)
        content = (unpacked("--only-needed") / path).read_bytes()
        assert hashlib.md5(content).hexdigest() == digest


def test_files_are_owned_by_root_and_where_the_vendor_puts_them(bundle):
    directory = bundle("--only-needed")
    eccl, sdk, factor = (contents(deb(directory, name)) for name in ("tops-eccl", "tops-sdk", "topsfactor"))
    assert {owner for listed in (eccl, sdk, factor) for _, owner, _ in listed.values()} == {"root/root"}
    assert eccl["/usr/lib/libeccl.so"][0] == "-rw-r--r--"
    assert "/usr/include/eccl/eccl.h" in eccl
    for tool in ECCL_TOOLS:
        assert eccl["/usr/local/bin/eccl_{}_perf".format(tool)][0] == "-rwxr-xr-x"
    assert sdk["/usr/lib/libdtu.so"][2] == "libdtu_sdk.so"
    assert {"/usr/lib/libdtu_sdk.so", "/usr/include/dtu/dtu.h", "/etc/tops-sdk/sdk.conf"} < set(sdk)
    assert {"/usr/lib/libtopsfactor.so", "/usr/include/factor/factor.h"} < set(factor)
    assert control_file(deb(directory, "tops-sdk"), "conffiles") == "/etc/tops-sdk/sdk.conf\n"


@pytest.mark.parametrize("compression, member", [
    ("gzip", "data.tar.gz"), ("xz", "data.tar.xz"), ("none", "data.tar")])
def test_the_compression_is_the_one_asked_for(bundle, compression, member):
    directory = bundle("--only-needed", "--compression", compression)
    assert member in run("ar", "t", deb(directory, "tops-sdk")).stdout.split()


def test_the_generations_differ_by_a_file_each_way_and_a_conffile(bundle, unpacked):
    new, old = bundle("--only-needed"), bundle("--only-needed", "--generation", "2.4.87")
    files_new, files_old = contents(deb(new, "tops-sdk")), contents(deb(old, "tops-sdk", "2.4.87"))
    assert set(files_new) - set(files_old) == {"/usr/include/dtu/dtu_stream.h"}
    assert set(files_old) - set(files_new) == {"/usr/share/tops-sdk/legacy_ops.txt"}
    conffiles = [(unpacked("--only-needed", *more) / "etc/tops-sdk/sdk.conf").read_text()
                 for more in ((), ("--generation", "2.4.87"))]
    assert conffiles[0] != conffiles[1]


def test_the_libraries_have_their_sonames_and_symbols(unpacked):
    lib = unpacked("--only-needed") / "usr/lib"
    for name in ("libeccl.so", "libdtu_sdk.so", "libtopsfactor.so"):
        assert "Library soname: [{}]".format(name) in symbols(lib / name, "-d")
    assert "Shared library: [libdtu_sdk.so]" in symbols(lib / "libtopsfactor.so", "-d")
    exported = set(re.findall(r"\b(eccl[A-Z]\w+)$", symbols(lib / "libeccl.so", "--dyn-syms"), re.MULTILINE))
    assert exported >= {
        "ecclGetVersion", "ecclGetUniqueId", "ecclCommInitRank", "ecclCommDestroy", "ecclAllReduce", "ecclBroadcast",
        "ecclAllGather", "ecclReduceScatter", "ecclGroupStart", "ecclGroupEnd", "ecclGetErrorString"}


def test_no_file_needs_a_glibc_newer_than_2_27(unpacked):
    root = unpacked("--only-needed")
    elves = [path for path in root.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    assert len(elves) >= 12
    for path in elves:
        for version in re.findall(r"GLIBC_([\d.]+)", run("objdump", "-T", path).stdout):
            assert tuple(int(part) for part in version.split(".")) <= (2, 27), path


@pytest.mark.parametrize("generation, code", [("2.5.136", 25136), ("2.4.87", 24087)])
def test_each_tool_runs_and_says_it_is_a_double(unpacked, generation, code):
    root = unpacked("--only-needed", "--generation", generation)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(root / "usr/lib"))
    for tool in ECCL_TOOLS:
        name = "eccl_{}_perf".format(tool)
        said = run(root / "usr/local/bin" / name, env=environment).stdout
        assert said.startswith(name + ": test double")
        assert "version {};".format(code) in said


def test_the_fault_postinst_fails_leaves_a_file_and_fails(bundle):
    script = control_file(deb(bundle("--only-needed", "--fault", "postinst-fails"), "tops-sdk"), "postinst")
    assert "/var/lib/tops-sdk/half-configured" in script
    # The parts that would touch this machine are cut out before it is run.
    harmless = re.sub(r"^.*(ldconfig|/var/lib).*$", ":", script, flags=re.MULTILINE)
    assert subprocess.run(["sh", "-s", "configure"], input=harmless.encode()).returncode == 1


def test_the_fault_preinst_fails_fails_at_install_and_upgrade(bundle):
    script = control_file(deb(bundle("--only-needed", "--fault", "preinst-fails"), "topsfactor"), "preinst")
    for action, status in (("install", 1), ("upgrade", 1), ("abort-upgrade", 0)):
        assert subprocess.run(["sh", "-s", action], input=script.encode()).returncode == status


def test_the_fault_stub_libeccl_is_16_bytes_that_look_like_elf(unpacked):
    content = (unpacked("--only-needed", "--fault", "stub-libeccl") / "usr/lib/libeccl.so").read_bytes()
    assert len(content) == 16 and content.startswith(b"\x7fELF")


def test_the_fault_truncated_deb_is_found_by_dpkg_deb(bundle):
    cut = deb(bundle("--only-needed", "--fault", "truncated-deb"), "tops-sdk")
    whole = deb(bundle("--only-needed"), "tops-sdk")
    assert cut.stat().st_size == int(whole.stat().st_size * 0.6)
    assert run("dpkg-deb", "-c", cut, check=False).returncode != 0


def test_the_fault_missing_eccl_leaves_out_just_that_deb(bundle):
    directory = bundle("--only-needed", "--fault", "missing-eccl")
    assert not deb(directory, "tops-eccl").exists()
    assert deb(directory, "tops-sdk").exists()
    assert len(list(directory.glob("framework/*.whl"))) == 2


def test_faults_can_be_combined(bundle):
    directory = bundle("--only-needed", "--fault", "missing-eccl", "--fault", "preinst-fails")
    assert not deb(directory, "tops-eccl").exists()
    assert "on purpose" in control_file(deb(directory, "topsfactor"), "preinst")
