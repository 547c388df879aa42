"""install.sh of the archive: installs, upgrades and removes topsctl; a failure or a kill at any rename leaves old or new."""

import os
import shutil
import signal
import subprocess

import pytest

from hosts.digest import tree_digest

PREFIX = "usr/local"
# Doubles of mv: at the n-th call they fail as on a disk that is broken, or kill the script as a power cut would.
FAILING_MV = """#!/bin/sh
n=$(($(cat "$COUNT") + 1))
echo $n >"$COUNT"
[ $n -ne "$STRIKE" ] || { %s; }
exec /bin/mv "$@"
"""
STRIKES = {"fail": "echo 'mv: no' >&2; exit 1", "kill": "kill -KILL $PPID; exit 1"}


def write_digests(archive):
    names = sorted(os.path.relpath(path, archive) for path in archive.rglob("*") if path.is_file() and path.name != "files.sha256")
    done = subprocess.run(["sha256sum", *names], cwd=archive, capture_output=True, text=True, check=True)
    (archive / "files.sha256").write_text(done.stdout)


def as_older(archive):
    """Makes it an older version, with a page that the newer one lacks and another program."""
    (archive / "VERSION").write_text("0.0.9\n")
    (archive / "bin/topsctl").write_text("#!/bin/sh\necho topsctl 0.0.9\n")
    (archive / "share/man/man1/topsctl-former.1").write_text("former\n")
    write_digests(archive)
    return archive


@pytest.fixture(scope="module")
def older(unpacked, tmp_path_factory):
    """The archive of an older version."""
    return as_older(shutil.copytree(unpacked, tmp_path_factory.mktemp("older") / "topsctl"))


@pytest.fixture(scope="module")
def small(unpacked, tmp_path_factory):
    """An archive with few files, so that each rename can be struck at."""
    folder = tmp_path_factory.mktemp("small") / "topsctl"
    for name in ("install.sh", "VERSION", "bin/topsctl", "lib/systemd/system/topsctl-recover.service",
                 "share/man/man1/topsctl.1", "share/topsctl/slurm/upgrade-nodes"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(unpacked / name, folder / name)
    write_digests(folder)
    return folder


@pytest.fixture(scope="module")
def small_older(small, tmp_path_factory):
    return as_older(shutil.copytree(small, tmp_path_factory.mktemp("small-older") / "topsctl"))


@pytest.fixture(scope="module")
def bare(unpacked, tmp_path_factory):
    """install.sh alone: it puts in order what an earlier run left, and has nothing to install."""
    folder = tmp_path_factory.mktemp("bare")
    shutil.copy(unpacked / "install.sh", folder)
    return folder


@pytest.fixture
def image(tmp_path):
    """A directory to install below, with what others have put there."""
    (tmp_path / "image" / PREFIX / "bin").mkdir(parents=True)
    (tmp_path / "image" / PREFIX / "bin" / "other").write_text("other\n")
    return tmp_path / "image"


@pytest.fixture
def run(image, tmp_path):
    """run(archive, *options, strike=None, how=None) -> the ended install.sh"""
    (tmp_path / "bin").mkdir()

    def call(archive, *options, strike=None, how=None):
        environment = {**os.environ}
        if strike:
            double = tmp_path / "bin" / "mv"
            double.write_text(FAILING_MV % STRIKES[how])
            double.chmod(0o755)
            (tmp_path / "count").write_text("0\n")
            environment |= {"PATH": f"{tmp_path / 'bin'}:{environment['PATH']}", "COUNT": str(tmp_path / "count"),
                            "STRIKE": str(strike)}
        return subprocess.run(["sh", archive / "install.sh", "--destdir", image, *options], capture_output=True, text=True,
                              check=False, env=environment)

    return call


def digest(image):
    return tree_digest(image)


def differences(before, after):
    return before.diff(after, ignore=("mtime_ns",))


def installed(image):
    done = subprocess.run([image / PREFIX / "bin/topsctl", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def left_beside(image):
    return sorted(path.name for path in image.rglob(".*"))


def test_it_installs_upgrades_and_removes_and_nothing_is_left(image, run, unpacked, older):
    before = digest(image)
    done = run(older)
    assert (done.returncode, done.stderr) == (0, "") and installed(image) == "topsctl 0.0.9"
    done = run(unpacked)
    assert (done.returncode, done.stderr) == (0, "") and installed(image) != "topsctl 0.0.9"
    assert not (image / PREFIX / "share/man/man1/topsctl-former.1").exists()
    for name in ("bin/topsctl", "share/doc/topsctl/README.md", "lib/systemd/system/topsctl-recover.service"):
        assert (image / PREFIX / name).read_bytes() == (unpacked / name).read_bytes()
    assert left_beside(image) == []
    done = subprocess.run(["sh", image / PREFIX / "share/topsctl/install.sh", "--uninstall", "--destdir", image], check=False,
                          capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and differences(before, digest(image)) == []


def test_another_prefix_stands_in_the_files(image, run, unpacked):
    before = digest(image)
    assert run(unpacked, "--prefix", "/opt/topsctl").returncode == 0
    unit = (image / "opt/topsctl/lib/systemd/system/topsctl-recover.service").read_text()
    assert "ExecStart=/opt/topsctl/bin/topsctl recover\n" in unit and "/usr/local" not in unit
    assert run(unpacked, "--prefix", "/opt/topsctl", "--uninstall").returncode == 0
    assert differences(before, digest(image)) == []


def test_what_cmake_installs_is_what_the_archive_has(unpacked, repository, tmp_path):
    subprocess.run(["cmake", "--install", repository / "build/release", "--prefix", "/usr/local"], check=True, capture_output=True,
                   env={**os.environ, "DESTDIR": str(tmp_path)})
    expected, found = digest(tmp_path / PREFIX), digest(unpacked)
    extra = {"/install.sh", "/VERSION", "/files.sha256"}
    assert found.keys() - expected.keys() == extra and expected.keys() <= found.keys()
    assert [path for path in expected if (expected[path].sha256, expected[path].mode) != (found[path].sha256, found[path].mode)] == []


@pytest.mark.parametrize("how", STRIKES)
@pytest.mark.parametrize("action, fewest", [("install", 8), ("upgrade", 9), ("uninstall", 7)])
def test_a_strike_at_any_rename_leaves_old_or_new(image, run, small, small_older, bare, action, fewest, how):
    if action != "install":
        assert run(small_older).returncode == 0
    before = digest(image)
    archive, options = (small_older, ["--uninstall"]) if action == "uninstall" else (small, [])
    strike = 1
    while (done := run(archive, *options, strike=strike, how=how)).returncode != 0:
        if how == "fail":
            assert done.returncode == 1 and "nothing was changed" in done.stderr
        else:
            assert done.returncode == -signal.SIGKILL
            assert action != "upgrade" or installed(image).startswith("topsctl ")
            done = run(bare)
            assert "an earlier run was cut off" in done.stderr and "is not an unpacked archive" in done.stderr
        assert differences(before, digest(image)) == [] and left_beside(image) == [], f"strike {strike}"
        strike += 1
    assert strike > fewest and left_beside(image) == []


@pytest.mark.parametrize("options, status, words", [
    (["--prefix", "/usr"], 2, "belongs to the package manager"),
    (["--prefix", "usr/local"], 2, "is not absolute"),
    (["--prefix", "/usr/../etc"], 2, "unusable prefix"),
    (["--prefix"], 2, "needs a directory"),
    (["--frefix"], 2, "unknown option"),
    (["--uninstall"], 1, "has not installed topsctl"),
])
def test_a_refusal_says_the_way_out(run, image, unpacked, options, status, words):
    before = digest(image)
    done = run(unpacked, *options)
    assert done.returncode == status and words in done.stderr and "\nhint:  " in done.stderr
    assert differences(before, digest(image)) == []


def test_a_file_of_others_is_replaced_only_on_request(image, run, unpacked):
    (image / PREFIX / "bin/topsctl").write_text("mine\n")
    done = run(unpacked)
    assert done.returncode == 1 and "'/usr/local/bin/topsctl' is there already" in done.stderr
    assert (image / PREFIX / "bin/topsctl").read_text() == "mine\n"
    assert run(unpacked, "--replace").returncode == 0 and installed(image).startswith("topsctl ")


def test_a_place_that_cannot_be_written_is_told(image, run, small):
    (image / PREFIX / "share").write_text("a file, not a directory\n")
    before = digest(image)
    done = run(small)
    assert done.returncode == 1 and "error: cannot write to '" in done.stderr and "\nhint:  run it as root" in done.stderr
    (image / PREFIX / "share").unlink()
    (image / PREFIX / "lib").write_text("a file, not a directory\n")
    assert "hint:  see the line above" in (done := run(small)).stderr and done.returncode == 1
    (image / PREFIX / "lib").unlink()
    (image / PREFIX / "share").write_text("a file, not a directory\n")
    assert differences(before, digest(image)) == []


def test_a_damaged_archive_is_refused(image, run, older, tmp_path):
    damaged = tmp_path / "damaged"
    shutil.copytree(older, damaged)
    (damaged / "share/topsctl/schemas/install.schema.json").write_text("{}\n")
    before = digest(image)
    done = run(damaged)
    assert done.returncode == 1 and "the archive is damaged" in done.stderr
    assert differences(before, digest(image)) == []


def test_without_its_tool_cmake_installs_nothing_and_says_so(repository, tmp_path):
    configured = subprocess.run(["cmake", "--preset", "release", "-B", tmp_path / "build", "-DTOPSCTL_GO_MD2MAN="], cwd=repository,
                                capture_output=True, text=True, check=False)
    assert configured.returncode == 0 and "go-md2man is missing" in configured.stdout, configured.stderr
    done = subprocess.run(["cmake", "--install", tmp_path / "build", "--prefix", tmp_path / "installed"], capture_output=True,
                          text=True, check=False)
    assert done.returncode != 0 and "go-md2man is missing" in done.stderr and "packaging/install-packages" in done.stderr
    assert not (tmp_path / "installed").exists()
