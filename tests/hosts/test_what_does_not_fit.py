"""What can be known to go wrong is told before the first change: exit 4, all of it at once, the host untouched."""

import fcntl
import json
import os
import struct

import pytest

from hosts.operations import PROFILE, Operator

FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, IMMUTABLE = 0x80086601, 0x40086602, 0x10


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


def refused(operator, bundle, schema, *words):
    """Refused by the plan and by the install alike; nothing but topsctl's own folder is changed."""
    before = operator.digest()
    for option in (["--dry-run"], []):
        report = operator.json("install", bundle, *option, code=4)
        schema(report, "install")
        assert report["outcome"] is None and not report["changed"], report
        assert report["error"]["code"] == "host_unfit" and report["error"]["hint"], report
        for word in words:
            assert word in report["error"]["message"], report["error"]
    assert operator.changes_since(before) == []
    assert operator.json("history")["transactions"] == []


def test_a_dependency_that_nobody_meets(operator, with_eccl, schema):
    bundle = with_eccl(fields="Depends: libnothere (>= 2), libc6 (>= 99)\n", files=["/opt/t/x"])
    refused(operator, bundle, schema, "dependency-missing", "libnothere", "dependency-version", "libc6 (>= 99)")


def test_a_file_of_another_package(operator, with_eccl, schema):
    refused(operator, with_eccl(files=["/usr/bin/dpkg-deb"]), schema, "file-conflict", "/usr/bin/dpkg-deb")


def test_a_library_that_is_a_stub(operator, bundle, host, schema):
    stub = bundle(python=host.python_minor(), only_needed=True, faults=("stub-libeccl",))
    refused(operator, stub, schema, "library-missing", "needs libeccl.so")


def test_an_accepted_finding_is_a_warning_and_what_fails_then_is_rolled_back(operator, with_eccl):
    bundle = with_eccl(files=["/usr/bin/dpkg-deb"])
    before = operator.digest()
    report = operator.json("install", bundle, "--accept", "file-conflict", code=8)
    assert any("file-conflict" in warning for warning in report["warnings"]), report["warnings"]
    assert [each["id"] for each in report["steps"] if each["status"] == "failed"] == ["debs"]
    assert report["rollback"]["verified"]["paths_differing"] == 0
    assert operator.changes_since(before) == []


def test_a_finding_that_does_not_exist_cannot_be_accepted(operator, with_eccl):
    outcome = operator.topsctl("install", with_eccl(files=["/opt/t/x"]), "--accept", "file-conflicts")
    assert outcome.code == 2 and "did you mean 'file-conflict'?" in outcome.err, outcome


def test_a_file_that_chattr_protects(operator, host, bundle, schema):
    profile = host.path(PROFILE)
    profile.write_text("# mine\n")
    fitting = bundle(python=host.python_minor(), only_needed=True)
    if not protected(profile, True):
        pytest.skip("this file system has no immutable files")
    try:
        refused(operator, fitting, schema, PROFILE, "chattr")
    finally:
        protected(profile, False)


def protected(path, wanted):
    """Sets or takes away the mark, as chattr(1) does; whether the file system has it."""
    file = os.open(path, os.O_RDONLY)
    try:
        flags, = struct.unpack("i", fcntl.ioctl(file, FS_IOC_GETFLAGS, struct.pack("i", 0)))
        flags = flags | IMMUTABLE if wanted else flags & ~IMMUTABLE
        fcntl.ioctl(file, FS_IOC_SETFLAGS, struct.pack("i", flags))
    except OSError:
        return False
    finally:
        os.close(file)
    return True


def test_a_pre_dependency_within_the_bundle_takes_two_calls_of_dpkg(operator, with_eccl):
    bundle = with_eccl(fields="Pre-Depends: topsfactor\n", files=["/opt/t/x"])
    before = operator.digest()
    report = operator.json("install", bundle)
    assert [each["id"] for each in report["steps"]][:4] == ["stage", "keep", "debs", "debs-2"], report["steps"]
    assert report["outcome"] == "committed"
    operator.json("rollback")
    assert operator.changes_since(before) == []


@pytest.mark.parametrize("size_kib", [3000, 9000, 15000, 18000])
def test_what_is_kept_for_the_undo_counts_as_space(topsctl_host, with_eccl, size_kib):
    topsctl_host.copy_in(with_eccl(), "/srv/bundle")
    done = topsctl_host.run(["sh", "-c", f"""mkdir -p /var/lib/topsctl; mount -t tmpfs -o mode=755,size={size_kib}k none /var/lib/topsctl
topsctl install /srv/bundle --json"""])
    error = json.loads(done.stdout)["error"]
    assert done.returncode == 4 and error["code"] == "host_unfit" and "no-space" in error["message"], error
