"""What was deleted or edited by hand: verify finds it, repair restores it, and what nothing can restore is said."""

import shutil

import pytest

from hosts.operations import OLD_STACK, Operator

ECCL = "/usr/lib/libeccl.so"


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def given(bundle, host, tmp_path):
    """A bundle that may be moved."""
    return shutil.copytree(bundle(python=host.python_minor(), only_needed=True), tmp_path / "given")


def module(host):
    found, = host.root.glob("usr/**/torch_gcu/__init__.py")
    return found


def files_verified(operator):
    """Exit status, and what fails: observed and hint by id."""
    outcome = operator.topsctl("verify", "--level", "files", "--json")
    return outcome.code, {check["id"]: (check["observed"], check["hint"]) for check in outcome.json["checks"] if check["status"] == "fail"}


def damaged(host):
    """Files and links of a deb, a file of the wheel, the environment."""
    for each in host.path("/usr/lib").glob("libeccl.so*"):
        each.unlink()
    with module(host).open("a") as file:
        file.write("# edited\n")
    host.path("/etc/profile.d/topsrider.sh").unlink()


def test_verify_and_repair_are_the_two_commands_that_one_has_to_know(operator, host, given, schema):
    assert operator.json("install", given)["outcome"] == "committed"
    assert files_verified(operator)[0] == 0
    whole, history = operator.digest(), operator.json("history")["transactions"]
    assert operator.json("repair")["outcome"] == "no_change"
    assert operator.json("history")["transactions"] == history, "nothing to do is no transaction"

    damaged(host)
    broken = operator.digest()
    code, failing = files_verified(operator)
    assert code == 5 and len(failing) >= 3, failing
    assert [hint for _, hint in failing.values() if "topsctl repair" not in hint and "topsctl env" not in hint] == []
    planned = operator.json("repair", "--dry-run")
    assert {each["name"]: each["action"] for each in planned["plan"]["packages"]} == {
        "tops-eccl": "reinstall", "tops-sdk": "keep", "topsfactor": "keep", "torch_gcu": "reinstall"}
    assert any("tops-eccl is installed again: '/usr/lib/libeccl.so" in warning for warning in planned["warnings"]), planned["warnings"]
    repaired = operator.json("repair")
    schema(repaired, "repair")
    assert repaired["outcome"] == "committed", repaired
    number = str(repaired["transaction"])
    assert f"transaction  {number}, repair\n" in operator.topsctl("history", number).out
    assert [each["command"] for each in operator.json("history", number)["reports"]] == ["repair"]
    assert files_verified(operator) == (0, {})
    different = [line for line in whole.diff(operator.digest(), ("mtime_ns", "nlink")) if "/var/lib/dpkg" not in line and "ld.so.cache" not in line
                 and "aux-cache" not in line and "/var/lib/topsctl" not in line]
    assert different == []
    assert operator.json("rollback")["outcome"] == "rolled_back"
    assert operator.changes_since(broken) == [], "a repair is a transaction as any other"


def test_an_install_puts_right_what_verify_finds_too(operator, host, given):
    operator.json("install", given)
    damaged(host)
    assert operator.json("install", given)["outcome"] == "committed"
    assert files_verified(operator) == (0, {})
    assert operator.json("install", given)["outcome"] == "no_change"


def test_a_repair_needs_the_bundle_that_was_installed(operator, host, given, bundle, tmp_path):
    nothing = operator.topsctl("repair")
    assert nothing.code == 4 and "nothing to repair" in nothing.err and "topsctl install BUNDLE" in nothing.err, nothing
    operator.json("install", given)
    host.path(ECCL).unlink()
    moved = given.rename(tmp_path / "moved")
    assert operator.topsctl("repair").code == 2
    other = operator.topsctl("repair", bundle(python=host.python_minor(), only_needed=True, generation="2.4.87"), "--stack", OLD_STACK)
    assert other.code == 3 and "changes no versions" in other.err, other
    assert not host.path(ECCL).exists()
    assert operator.json("repair", moved)["outcome"] == "committed"
    assert host.path(ECCL).exists()


def test_a_package_that_was_exchanged_since_is_not_run(operator, host, with_eccl, tmp_path):
    given = shutil.copytree(with_eccl(":"), tmp_path / "given")
    operator.json("install", given)
    host.path(ECCL).unlink()
    shutil.rmtree(given)
    shutil.copytree(with_eccl("touch /etc/exchanged"), given)
    for argv in (["repair"], ["repair", "--dry-run"]):
        refused = operator.topsctl(*argv)
        assert refused.code == 3 and "is not the package that was installed" in refused.err, refused
    assert not host.path("/etc/exchanged").exists() and not host.path(ECCL).exists()
    assert operator.json("repair", with_eccl(":"))["outcome"] == "committed", "who names a bundle trusts it"


def test_an_interpreter_that_others_can_change_by_now_is_not_run(operator, host, given):
    host.run(["python3", "-m", "venv", "--without-pip", "--system-site-packages", "/opt/venv"], check=True)
    operator.json("install", given, "--python", "/opt/venv/bin/python3")
    host.path(ECCL).unlink()
    host.run(["chown", "-R", "2000", "/opt/venv"], check=True)
    refused = operator.topsctl("repair")
    assert refused.code == 4 and "writable by users other than root" in refused.err, refused
    assert operator.json("repair", "--python", "/opt/venv/bin/python3")["outcome"] == "committed"


def test_what_was_not_installed_is_not_brought_by_a_repair(operator, host, given):
    operator.json("install", given, "--components", "eccl,sdk")
    host.path(ECCL).unlink()
    assert operator.json("repair")["outcome"] == "committed"
    assert set(operator.dpkg_states()) == {"tops-eccl", "tops-sdk"}


def test_what_no_package_of_the_bundle_can_put_right_is_no_success(operator, host, given):
    """Somebody's pip has put another torch in the place of the one that the stack leaves unchanged."""
    operator.json("install", given)
    record, = host.root.glob("usr/lib/python3/dist-packages/torch-*.egg-info/PKG-INFO")
    record.write_text(record.read_text() + "# another\n")
    for argv in (["install", given], ["install", given, "--dry-run"], ["repair"]):
        refused = operator.topsctl(*argv)
        assert refused.code == 4 and "already installed, but check" in refused.err and "reinstall the earlier torch" in refused.err, refused


def test_what_becomes_of_an_edited_configuration_file_is_said(operator, host, bundle):
    old = bundle(python=host.python_minor(), only_needed=True, generation="2.4.87")
    operator.json("install", old, "--stack", OLD_STACK)
    edited = host.path("/etc/tops-sdk/sdk.conf")
    edited.write_text(edited.read_text() + "# mine\n")
    for options in (("--dry-run",), ()):
        report = operator.json("install", bundle(python=host.python_minor(), only_needed=True), *options)
        said, = [warning for warning in report["warnings"] if ".dpkg-dist" in warning]
        assert said.startswith("tops-sdk: configuration file '/etc/tops-sdk/sdk.conf' was modified and stays so")
    assert edited.read_text().endswith("# mine\n")
