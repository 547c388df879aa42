"""Hosts that cannot take an install: refused with exit 4, a message and a hint, and nothing changed."""

import json
import shutil
import subprocess

import pytest

from hosts.operations import Operator


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def fitting(bundle, host):
    return bundle(python=host.python_minor(), only_needed=True)


def refused(outcome, words, code=4):
    assert outcome.code == code, outcome
    for word in words:
        assert word in outcome.err, outcome
    assert outcome.err.count("hint:") == 1, outcome


def test_a_root_without_dpkg(run_topsctl, fitting, topsctl_release, tmp_path):
    root = tmp_path / "empty"
    root.mkdir()
    for command in (["install", fitting], ["rollback"], ["recover"], ["verify"], ["env"], ["history"]):
        refused(run_topsctl([*command, "--root", root], binary=topsctl_release), ["not a Debian or Ubuntu system"])
    assert list(root.iterdir()) == []


def test_not_root(topsctl_host, fitting):
    topsctl_host.copy_in(fitting, "/srv/bundle")
    before = topsctl_host.digest()
    for command in (["install", "/srv/bundle"], ["rollback"], ["recover"], ["history", "prune"]):
        done = topsctl_host.run(["topsctl", *command], user=1000)
        assert done.returncode == 4 and "only root" in done.stderr and "hint:" in done.stderr, done
    assert before.diff(topsctl_host.digest()) == []


def test_an_ordinary_user_may_see_the_plan(topsctl_host, fitting):
    topsctl_host.copy_in(fitting, "/srv/bundle")
    before = topsctl_host.digest()
    done = topsctl_host.run(["topsctl", "install", "/srv/bundle", "--dry-run"], user=1000)
    assert done.returncode == 0 and "step 3 of 9" in done.stdout, done
    assert before.diff(topsctl_host.digest()) == []


def test_an_ordinary_user_is_told_that_only_root_may_ask_another_roots_interpreters(topsctl_host, fitting, schema):
    topsctl_host.copy_in(fitting, "/srv/bundle")
    status = topsctl_host.path("/srv/other/var/lib/dpkg/status")
    status.parent.mkdir(parents=True)
    status.write_text("")
    told = {}
    for user in (0, 1000):
        done = topsctl_host.run(["topsctl", "inspect", "/srv/bundle", "--against", "/srv/other", "--json"], user=user)
        document = json.loads(done.stdout)
        schema(document, "inspect")
        told[user] = {finding["id"]: json.dumps(finding) for finding in document["findings"]}
    assert "the target has no Python" in told[0]["no-interpreter-for-wheel"] and "interpreters-not-asked" not in told[0], told
    assert "only root may" in told[1000]["interpreters-not-asked"] and "no-interpreter-for-wheel" not in told[1000], told


def test_a_machine_without_proc(operator, host, fitting):
    script = 'umount -l /proc; exec "$@"'
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", operator.binary, "install", fitting, "--root",
                           host.root], capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "/proc is not mounted" in done.stderr and "hint:" in done.stderr, done


def test_a_root_that_may_not_be_written(topsctl_host, fitting):
    topsctl_host.copy_in(fitting, "/srv/bundle")
    before = topsctl_host.digest(["/run/*"])
    done = topsctl_host.run(["sh", "-c", "mount -o remount,bind,ro / && exec topsctl install /srv/bundle"])
    assert done.returncode == 4 and "read-only" in done.stderr.lower() and "hint:" in done.stderr, done
    assert before.diff(topsctl_host.digest(["/run/*"])) == []


@pytest.mark.parametrize("lock", ["lock-frontend", "lock"])
def test_dpkg_is_in_use(topsctl_host, fitting, lock):
    topsctl_host.copy_in(fitting, "/srv/bundle")
    hold = ("import fcntl, os, subprocess, sys; f = open('/var/lib/dpkg/%s', 'w'); fcntl.lockf(f, fcntl.LOCK_EX);"
            "sys.exit(subprocess.call(['topsctl', 'install', '/srv/bundle', '--lock-timeout', '0']))" % lock)
    done = topsctl_host.run(["python3", "-c", hold])
    assert done.returncode == 4 and "held by python3 (pid" in done.stderr and "--lock-timeout" in done.stderr, done


def test_scripts_cannot_be_run(topsctl_host, with_eccl):
    topsctl_host.copy_in(with_eccl("true"), "/srv/bundle")
    done = topsctl_host.run(["sh", "-c", "mkdir /srv/was && cp -a /var/lib/dpkg/. /srv/was && "
                                         "mount -t tmpfs -o noexec none /var/lib/dpkg && cp -a /srv/was/. /var/lib/dpkg && "
                                         "topsctl install /srv/bundle"])
    assert done.returncode == 4 and "noexec" in done.stderr and "remount,exec" in done.stderr, done


def test_dpkg_has_unfinished_packages(operator, host, fitting):
    status = host.path("/var/lib/dpkg/status")
    status.write_text(status.read_text() + "\nPackage: half\nStatus: install ok half-configured\nVersion: 1\n"
                      "Architecture: all\nMaintainer: a <a@b.c>\nDescription: half\n")
    refused(operator.topsctl("install", fitting), ["half (install ok half-configured)", "dpkg --audit"])


def test_no_interpreter_fits_the_wheels(operator, bundle, host):
    assert host.python_minor() not in ("3.6", "3.8") or pytest.skip("this host's Python is one of the vendor's")
    refused(operator.topsctl("install", bundle(only_needed=True)), ["no interpreter matches", "3.6, 3.8", "--components"])


def test_an_interpreter_that_is_not_there(operator, fitting):
    outcome = operator.topsctl("install", fitting, "--python", "/usr/bin/python9")
    refused(outcome, ["/usr/bin/python9", "omit --python"])
    assert "for example --python" not in outcome.err, outcome


def test_an_interpreter_that_was_named_and_does_not_fit_is_not_proposed(operator, bundle, host):
    assert host.python_minor() not in ("3.6", "3.8") or pytest.skip("this host's Python is one of the vendor's")
    outcome = operator.topsctl("install", bundle(only_needed=True), "--python", "python3")
    refused(outcome, ["no interpreter matches", "omit --python"])
    assert "specify an interpreter" not in outcome.err, outcome


def test_an_interpreter_that_the_system_manages(operator, host, fitting):
    stdlib = host.run(["python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"], check=True).stdout.strip()
    host.path(f"{stdlib}/EXTERNALLY-MANAGED").write_text("[externally-managed]\nError=managed\n")
    refused(operator.topsctl("install", fitting), ["PEP 668", "--allow-system-python"])
    assert operator.json("install", fitting, "--allow-system-python")["outcome"] == "committed"


def test_nothing_to_roll_back(operator, host):
    before = host.digest()
    refused(operator.topsctl("rollback"), ["nothing to roll back"])
    assert before.diff(host.digest()) == []


@pytest.mark.parametrize("first, then", [("2.5.136", "2.5.137"), ("1.10.0", "1.10.1")])
@pytest.mark.parametrize("which", ["all", "the host's", "another's"])
def test_a_renamed_wheel_is_judged_as_the_install_judges_it(operator, run_topsctl, topsctl_release, bundle, host, tmp_path, first, then, which):
    given = shutil.copytree(bundle(), tmp_path / "given")
    shutil.copytree(bundle(python=host.python_minor(), only_needed=True), given, dirs_exist_ok=True)
    fits = f"py{host.python_minor()}"
    for wheel in list(given.rglob("torch_gcu*.whl")):
        if which == "all" or (fits in wheel.name) == (which == "the host's"):
            wheel.rename(wheel.with_name(wheel.name.replace(first, then)))
    verdict = run_topsctl(["inspect", given, "--deep", "--json"], binary=topsctl_release).json["verdict"]
    installed = operator.topsctl("install", given, "--dry-run")
    if which == "the host's":  # which wheel is taken, the host alone can tell
        assert verdict["warnings"] > 0 and installed.code == 3 and "wheel-name-differs" in installed.err, installed
    else:
        assert verdict["installable"] == (installed.code == 0) == (which == "another's"), (verdict, installed)
