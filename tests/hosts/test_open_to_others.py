"""What root reads, loads and runs where other users can change it, or where somebody has put something that never ends."""

import json
import os

import pytest

from hosts.host import Host

SITE = "/usr/local/lib/python3.9/dist-packages"
WHEEL = f"{SITE}/torch_gcu"
LIBRARY = "/usr/lib/libeccl.so"
PROFILE = "/etc/profile.d/topsrider.sh"
OTHER = 3001  # a user
RAN = "/var/ran-as-root"
WITH_ACL = ("import os, struct; os.setxattr('{}', 'system.posix_acl_access', struct.pack('<I' + 'HHI' * 5, 2, 1, 6, 2**32 - 1, "
            f"2, 6, {OTHER}, 4, 4, 2**32 - 1, 16, 6, 2**32 - 1, 32, 4, 2**32 - 1))")  # setfacl -m u:OTHER:rw
PLANTED = f"import os; os.getuid() == 0 and open('{RAN}', 'a').write('x')\n"


@pytest.fixture(scope="module")
def whole(host_factory, bundle, topsctl_release):
    host = host_factory()
    host.install_binary(topsctl_release)
    host.copy_in(bundle(python=host.python_minor(), only_needed=True), "/srv/bundle")
    done = host.run(["topsctl", "install", "/srv/bundle", "--yes"], timeout=600)
    assert done.returncode == 0, done
    return host


@pytest.fixture
def host(whole, host_place):
    made = Host(whole.root, host_place)
    yield made
    made.remove()


def asked(host, *words):
    """(exit status, document); ends by itself."""
    done = host.run(["timeout", "-k", "5", "60", "topsctl", *words, "--json"], timeout=90)
    return done.returncode, json.loads(done.stdout)


def told(document, check):
    found, = [each for each in document["checks"] if each["id"] == check]
    return found["status"], found["observed"]


@pytest.mark.parametrize("setup, check, outcome, words, intact", [
    (f"ln -sf /dev/zero {WHEEL}/info.py", "torch-gcu-installed", "fail", "is no file", False),
    (f"ln -sf /dev/zero {LIBRARY}", "eccl-files", "fail", "is no file", False),
    (f"sed -i 's/^torch_gcu.info.py,sha256=/torch_gcu\\/info.py,md5=/' {WHEEL}-*/RECORD; echo >> {WHEEL}/info.py", "torch-gcu-installed", "fail",
     "no digest in RECORD that can be compared", False),
    (f"rm /var/lib/dpkg/info/tops-eccl.md5sums; echo >> {LIBRARY}", "eccl-files", "unknown", "has no md5sums", None),
    (f"echo 'export LD_PRELOAD=/x.so' >> {PROFILE}", "environment-file", "warn", "differs", None),
    (f"chmod 666 {PROFILE}", "environment-file", "warn", "users other than root can change", None),
    (f"chown {OTHER} {LIBRARY}", "eccl-files", "warn", f"users other than root can change '{LIBRARY}'", None),
    (f"python3 -c \"{WITH_ACL.format(LIBRARY)}\"", "eccl-files", "warn", "users other than root can change", None),
    (f"cp {LIBRARY} /tmp/l.so; chown {OTHER} /tmp/l.so; ln -sf /tmp/l.so {LIBRARY}", "eccl-files", "warn", "users other than root can change", None),
    (f"chmod 777 {WHEEL}", "torch-gcu-installed", "fail", "users other than root can change", False),
], ids=["endless file of a wheel", "endless file of a deb", "unknown digest", "no digests", "changed environment", "open environment",
        "owner of a library", "access list", "link to another's library", "open package"])
def test_what_is_not_proved_is_not_called_intact(host, setup, check, outcome, words, intact):
    assert host.run(["bash", "-c", setup]).returncode == 0
    code, status = asked(host, "status")
    assert told(status, check)[0] == outcome and words in told(status, check)[1], status
    assert status["intact"] is intact and code == (5 if intact is False else 0)
    assert not status["next"]["command"].startswith(". "), "the file of the environment, or what it names, is in doubt"
    shown = host.run(["topsctl", "status"]).stdout
    assert f"{check}: " in shown and ("intact, " in shown) == (intact is True), shown
    code, verify = asked(host, "verify", "--level", "import")
    assert told(verify, check)[0] == outcome and code == (5 if intact is False else code)
    assert not host.path(RAN).exists()


def test_an_interpreter_that_reads_what_others_can_change_is_not_run(host):
    host.path(SITE).chmod(0o777)
    planted = host.path(f"{SITE}/evil.pth")
    planted.write_text(PLANTED)
    os.chown(planted, OTHER, OTHER)
    for words in (("status",), ("verify",), ("repair", "--dry-run"), ("doctor",), ("inspect", "/srv/bundle", "--against", "/"),
                  ("snapshot", "--output", "/srv/state.json")):
        asked(host, *words)
        assert not host.path(RAN).exists(), words
    code, verify = asked(host, "verify")
    assert code == 5 and f"through '{SITE}'" in told(verify, "torch-gcu-installed")[1], verify
    asked(host, "verify", "--python", "/usr/bin/python3")
    assert host.path(RAN).exists(), "who names it trusts it"


def test_what_cannot_be_read_is_not_called_nothing(host):
    host.path("/var/lib/dpkg/status").chmod(0o600)
    done = host.run(["topsctl", "status"], user=65534, env={"HOME": "/tmp"})
    assert done.returncode == 4 and "nothing is installed" not in done.stdout, done


@pytest.mark.parametrize("link", [False, True])
def test_root_writes_no_notes_where_another_user_can_change_the_way(host, link):
    home = host.path("/srv/mal")
    home.mkdir()
    os.chown(home, OTHER, OTHER)
    host.path("/var/of-root").mkdir()
    if link:
        (home / "state").symlink_to("/var/of-root")
        os.chown(home / "state", OTHER, OTHER, follow_symlinks=False)
    host.path("/srv/quick.py").write_text("print(1)\n")
    done = host.run(["topsctl", "launch", "--preflight", "none", "--nproc", "1", "--log-dir", "/srv/logs", "--", "/srv/quick.py"],
                    env={"XDG_STATE_HOME": "/srv/mal/state"})
    assert done.returncode == 0, done
    assert list(host.path("/var/of-root").iterdir()) == [] and [each.name for each in home.iterdir()] == ["state"] * link


@pytest.mark.parametrize("words, env", [(("runs", "logs", "/srv/logs"), {}), (("status",), {"TZ": "/srv/pipe"})])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(host, words, env):
    host.path("/srv/quick.py").write_text("print(1)\n")
    assert host.run(["topsctl", "launch", "--preflight", "none", "--nproc", "1", "--log-dir", "/srv/logs", "--", "/srv/quick.py"]).returncode == 0
    log = host.path("/srv/logs/attempt_0/rank_0.log")
    log.unlink()
    for pipe in (log, host.path("/srv/pipe")):
        os.mkfifo(pipe)
    done = host.run(["timeout", "-s", "KILL", "20", "topsctl", *words], env=env)
    assert done.returncode == (3 if words[0] == "runs" else 0), done


def test_the_shim_is_not_written_into_a_directory_that_is_there(host):
    host.path("/srv/theirs").mkdir()
    host.path("/srv/link").symlink_to("/srv/theirs")
    for place in ("/srv/theirs", "/srv/link"):
        assert host.run(["topsctl", "shim", "--write", place]).returncode == 3
    assert list(host.path("/srv/theirs").iterdir()) == []
    assert host.run(["topsctl", "shim", "--write", "/srv/new"]).returncode == 0 and host.path("/srv/new/sitecustomize.py").exists()


def test_root_patches_no_project_through_a_link_of_another_user(host):
    tree = host.path("/srv/tree")
    tree.mkdir()
    (tree / "c.py").write_text('cfg = dict(backend="nccl", cudnn_benchmark=True)\n')
    home = host.path("/srv/mal")
    home.mkdir()
    (home / "project").symlink_to("/srv/tree")
    for each in (home, home / "project"):
        os.chown(each, OTHER, OTHER, follow_symlinks=False)
    words = ["topsctl", "doctor", "--api", "t2x", "--apply", "--yes", "--project"]
    assert host.run([*words, "/srv/mal/project"]).returncode == 4 and "cudnn_benchmark=True" in (tree / "c.py").read_text()
    assert host.run([*words, "/srv/tree"]).returncode in (0, 5) and "cudnn_benchmark=False" in (tree / "c.py").read_text()
