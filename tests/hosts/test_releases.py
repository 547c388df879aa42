"""Every release of TopsRider by the stacks of the binary: doubles with the real names, on a real host."""

import json
import shutil

import pytest

from hosts.operations import OLD_STACK, Operator

T2X, I3X = "topsrider-t2x", "topsrider-i3x"
TESTED = "2.5.136"


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def made(host, bundle):
    """made(release): its bundle, with a wheel for the host's Python."""
    return lambda release: bundle(generation=release, python=host.python_minor(), only_needed=True)


def files_level(operator, *argv, code=0):
    """Which stack and release verify means, and what failed of its files."""
    report = operator.json("verify", "--level", "files", *argv, code=code)
    return report["stack"], report["release"], [check["id"] for check in report["checks"] if check["status"] == "fail"]


def test_each_release_is_installed_verified_and_rolled_back(operator, made, schema, run_topsctl, topsctl_release):
    """2.2 is upgraded to 2.4, and to a dated 2.5, which is above 2.5.136; each step back is exact."""
    def install(release):
        seen = run_topsctl(["inspect", made(release), "--json"], binary=topsctl_release).json
        schema(seen, "inspect")
        assert [(each["name"], each["release"], each["complete"]) for each in seen["stacks"] if each["found"]] == \
            [(T2X, release, True)]
        before = operator.digest()
        done = operator.json("install", made(release))
        schema(done, "install")
        assert (done["plan"]["stack"], done["plan"]["release"], done["outcome"]) == (T2X, release, "committed")
        assert f"release {release} of {T2X} is untested (tested: {TESTED})" in done["warnings"]
        assert files_level(operator) == (T2X, release, [])
        return before

    def roll_back(before):
        assert operator.json("rollback")["rollback"]["verified"]["paths_differing"] == 0
        assert operator.changes_since(before) == []

    bare = install("2.2.33")
    for later in ("2.4.87", "2.5.20231128"):
        before = install(later)
        refused = operator.topsctl("install", made("2.2.33"))
        assert refused.code == 4 and "--allow-downgrade" in refused.err, refused
        roll_back(before)
        assert files_level(operator) == (T2X, "2.2.33", [])
    roll_back(bare)
    tested = operator.json("install", made(TESTED), "--dry-run")
    assert tested["plan"]["release"] == TESTED and not any("untested" in warning for warning in tested["warnings"])


@pytest.mark.whole
def test_releases_for_s60_have_other_names(operator, made, schema):
    before = operator.digest()
    for release in ("3.2.203", "3.5.102"):
        done = operator.json("install", made(release))
        assert (done["plan"]["stack"], done["plan"]["release"]) == (I3X, release)
        assert [package["name"] for package in done["plan"]["packages"]] == \
            ["eccl", "tops-sdk", "topsaten", "topsgraph", "topsfactor", "torch_gcu"]
        assert files_level(operator) == (I3X, release, [])
    schema(operator.json("verify", "--level", "files"), "verify")
    for _ in range(2):
        assert operator.json("rollback")["rollback"]["verified"]["paths_differing"] == 0
    assert operator.changes_since(before) == []


def test_the_stack_of_a_file_stays_the_one_that_is_meant(operator, made, tmp_path):
    """Its file may be gone: the transaction keeps a copy."""
    document = json.loads(OLD_STACK.read_text())
    document["name"] = "ours"
    file = tmp_path / "ours.json"
    file.write_text(json.dumps(document))
    operator.json("install", made("2.4.87"), "--stack", file)
    file.unlink()
    assert files_level(operator)[0] == "ours"
    assert operator.json("env")["environment"]["stack"] == "ours"
    assert files_level(operator, "--stack", f"{T2X}@{TESTED}", code=5)[:2] == (T2X, TESTED)
    operator.json("install", made(TESTED))
    assert files_level(operator)[:2] == (T2X, TESTED)
    operator.json("rollback")
    assert files_level(operator)[0] == "ours"


def test_mixed_and_several_releases_are_refused_with_their_names(operator, made, tmp_path):
    mixed, both = tmp_path / "mixed", tmp_path / "both"
    mixed.mkdir()
    for release, parts in (("2.4.87", ("sdk",)), (TESTED, ("distributed", "framework"))):
        for part in parts:
            shutil.copytree(made(release) / part, mixed / part, dirs_exist_ok=True)
        shutil.copytree(made(release), both / release)
    before = operator.digest()
    refused = operator.topsctl("install", mixed)
    assert refused.code == 3 and f"mixes releases of '{T2X}': tops-sdk 2.4.87-1, tops-eccl {TESTED}-1" in refused.err, refused
    several = operator.topsctl("install", both)
    assert several.code == 3 and f"several releases of '{T2X}': 2.4.87, {TESTED}" in several.err, several
    assert f"--stack {T2X}@{TESTED}" in several.err
    lacking = operator.topsctl("install", made("2.4.87") / "sdk")
    assert lacking.code == 3 and "eccl: expected tops-eccl or eccl 2.0 or later, below 3.0, found none" in lacking.err, lacking
    assert "topsfactor: expected topsfactor 2.0 or later, below 3.0, found topsfactor 2.4.87-1" in lacking.err
    none = operator.topsctl("install", both, "--stack", f"{T2X}@3.1.0")
    assert none.code == 3 and f"stack '{T2X}' has no release '3.1.0'" in none.err, none
    assert operator.changes_since(before) == []
    assert operator.json("install", both, "--stack", f"{T2X}@2.4.87")["plan"]["release"] == "2.4.87"
