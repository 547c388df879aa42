"""Packages that were made to do harm: inspect finds each, and install refuses what inspect calls error or critical.

The table is support/hostile.py's; most are installed with --dry-run, which judges as an install does."""

import json
import os

import pytest

from hosts.operations import Operator
from support.corpus.debs import Deb
from support.corpus.wheels import Wheel
from support.dpkg_rules import refusal_of_dpkg
from support.hostile import PACKAGES, REFUSED
from support.wrong_debs import CASES

STACK = {
    "schema": 1, "name": "hostile", "title": "One package of a test",
    "components": [{"id": "deb", "kind": "deb", "names": ["tops-demo", "tops-eccl"]},
                   {"id": "wheel", "kind": "wheel", "names": ["torch_demo", "torch_gcu", "other_demo"]}],
    "python": {"tested_minors": ["3.9"], "executables": ["/usr/bin/python3"], "unchanged": []},
    "environment": {"file": "/etc/profile.d/hostile.sh", "variables": [], "paths": []},
    "checks": [],
}


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    path = tmp_path_factory.mktemp("stack") / "hostile.json"
    path.write_text(json.dumps(STACK))
    return path


@pytest.fixture(scope="module")
def shared_host(host_factory):
    """For what changes nothing."""
    made = host_factory()
    yield made
    made.remove()


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


def component(name):
    return "wheel" if name.startswith("wheel") else "deb"


@pytest.mark.parametrize("name", PACKAGES)
def test_it_is_found_and_refused(built_case, shared_host, topsctl_release, run_topsctl, stack, name):
    path, _ = built_case(name)
    wanted = PACKAGES[name]
    seen = run_topsctl(["inspect", "--deep", "--json", path], binary=topsctl_release).json
    loud = {one["id"] for one in seen["findings"] if one["severity"] != "info"}
    assert loud == set(wanted.ids)
    done = run_topsctl(["install", path, "--stack", stack, "--components", component(name), "--dry-run", "--json",
                        "--allow-system-python", "--root", shared_host.root], binary=topsctl_release)
    report = done.json
    if wanted.install != REFUSED:
        assert (done.code, report["outcome"]) == (0, "planned"), done
        return
    assert done.code in (3, 4) and report["outcome"] is None and not report["changed"], done
    if report["error"]["message"].startswith("preflight checks failed"):
        assert any(one in report["error"]["message"] for one in wanted.ids), done


def refused_by_dpkg():
    """One deb of each rule that dpkg refuses; with TOPSCTL_TEST_ALL_DEBS all debs, of which some are sound."""
    if os.environ.get("TOPSCTL_TEST_ALL_DEBS"):
        return [one for one in CASES if one.rule != "md5sums"]
    wanted = {"control archive": "cut-in-header", "conffiles": "flag-shipped", "triggers": "root",
              "control file, syntax": "no-colon", "control file, fields": "Multi-Arch_yes",
              "control file, names and versions": "Version 'v1.0'", "control file, relations": "Suggests 'a1,'",
              "data archive, headers": "pax mtime", "data archive, its end": "half block",
              "data archive, names": "newline", "data archive, folders": "none for the file",
              "data archive, links and devices": "symbolic empty", "ar container": "members-control-twice",
              "debian-binary": "3.0", "compression": "control-bzip2"}
    found = [one for one in CASES if wanted.get(one.rule) == one.name]
    assert len(found) == len(wanted)
    return found


@pytest.mark.parametrize("case", refused_by_dpkg(), ids=lambda case: f"{case.rule}-{case.name}")
def test_what_dpkg_refuses_is_refused_before_a_change(case, shared_host, topsctl_release, run_topsctl, stack, tmp_path):
    deb = tmp_path / "a.deb"
    deb.write_bytes(case.deb)
    done = run_topsctl(["install", deb, "--stack", stack, "--components", "deb", "--dry-run", "--json", "--root",
                        shared_host.root], binary=topsctl_release)
    report = done.json
    if os.environ.get("TOPSCTL_TEST_ALL_DEBS") and refusal_of_dpkg(deb) is None:
        return
    assert done.code in (3, 4) and report["outcome"] is None and not report["changed"], done


@pytest.mark.parametrize("name", ["deb-character-device", "deb-hard-link-to-the-host", "wheel-code-in-pth"])
def test_nothing_is_changed(built_case, operator, stack, name):
    before = operator.digest()
    report = operator.json("install", built_case(name)[0], "--stack", stack, "--components", component(name), code=3)
    assert report["error"]["code"] == "bad_package" and f"--accept {PACKAGES[name].ids[0]}" in report["error"]["hint"]
    assert operator.changes_since(before) == []


def test_an_accepted_hard_link_is_undone_with_its_target(operator, host, stack, tmp_path):
    victim = host.path("/etc/victim-shadow")
    victim.write_text("root:secret\n")
    victim.chmod(0o600)
    deb = Deb().folder("/etc").raw("./etc/other", kind=b"1", link="./etc/victim-shadow", mode=0o666).write(tmp_path)
    before = operator.digest()
    install = ("install", deb, "--stack", stack, "--components", "deb")
    operator.json(*install, code=3)
    report = operator.json(*install, "--accept", "hard-link-outside", "--accept", "library-open-to-others")
    assert any("hard-link-outside" in warning for warning in report["warnings"]), report["warnings"]
    assert victim.stat().st_mode & 0o777 == 0o666  # what the finding warns of
    operator.json("rollback")
    assert victim.stat().st_mode & 0o777 == 0o600
    assert operator.changes_since(before) == []


def test_a_program_of_usr_local_is_not_run_in_the_systems_stead(operator, host, stack, tmp_path):
    marker = host.path("/var/ran")
    for name in ("dpkg", "ldconfig", "dpkg-deb"):
        planted = host.path(f"/usr/local/sbin/{name}")
        planted.write_text("#!/bin/sh\ntouch /var/ran\n")
        planted.chmod(0o755)
    tool = host.path("/usr/local/bin/of-the-vendor")
    tool.write_text("#!/bin/sh\ntouch /var/tool-ran\n")
    tool.chmod(0o755)
    deb = Deb().file("/opt/tops/x").script("postinst", "#!/bin/sh\nset -e\nof-the-vendor\n").write(tmp_path)
    operator.json("install", deb, "--stack", stack, "--components", "deb")
    assert not marker.exists()
    assert host.path("/var/tool-ran").exists()  # scripts of packages find what is there


def test_a_file_of_another_distribution_is_a_conflict(operator, host, stack, tmp_path):
    folder = host.path("/usr/local/lib/python3.9/dist-packages")
    info = folder / "mine-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "RECORD").write_text("shared/a.py,,\n")
    (folder / "shared").mkdir()
    for name in ("a.py", "b.py"):
        (folder / "shared" / name).write_text("")
    wheel = Wheel().file("shared/a.py").file("shared/b.py").write(tmp_path)
    install = ("install", wheel, "--stack", stack, "--components", "wheel", "--allow-system-python", "--dry-run")
    message = operator.json(*install, code=4)["error"]["message"]
    assert "wheel-file-conflict" in message and "shared/a.py: belongs to mine" in message, message
    warnings = operator.json(*install, "--accept", "wheel-file-conflict")["warnings"]
    assert any("wheel-replaces-file" in warning and "shared/b.py" in warning for warning in warnings), warnings


def test_an_interpreter_that_others_can_change_is_not_run_for_a_stack(operator, host, tmp_path):
    folder = host.path("/srv/somebody")
    folder.mkdir(parents=True)
    (folder / "python3").write_text("#!/bin/sh\ntouch /var/ran\nexec /usr/bin/python3 \"$@\"\n")
    (folder / "python3").chmod(0o755)
    for path in (folder, folder / "python3"):
        os.chown(path, 1234, 1234)
    named = tmp_path / "named.json"
    python = {**STACK["python"], "executables": ["/srv/somebody/python3"]}
    named.write_text(json.dumps({**STACK, "python": python}))
    wheel = Wheel().write(tmp_path)
    install = ("install", wheel, "--stack", named, "--components", "wheel", "--allow-system-python", "--dry-run")
    message = operator.json(*install, code=4)["error"]["message"]
    assert "'/srv/somebody/python3', which is writable by users other than root and was not run" in message
    assert not host.path("/var/ran").exists()
    operator.json(*install, "--python", "/srv/somebody/python3")
    assert host.path("/var/ran").exists()
