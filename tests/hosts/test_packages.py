"""The Debian package of topsctl: installed, upgraded, removed and purged on real dpkg; its pages, and what shells complete."""

import contextlib
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading

import jsonschema
import pytest

from hosts.release_packages import OLDER
from hosts.test_confirmation import NEW_CONNECTION, OLD_CONNECTION
from support.boms import cyclonedx_faults
from support.programs import needed

KINDS = ("debian-11", "debian-12", "ubuntu-like")
ENABLED = "/etc/systemd/system/multi-user.target.wants/topsctl-recover.service"
# dpkg's own records of what it did, and the index of all manual pages.
RECORDS = ("/var/lib/dpkg/status*", "/var/lib/dpkg/available*", "/var/lib/dpkg/lock*", "/var/lib/dpkg/triggers/*",
           "/var/log/dpkg.log", "/var/cache/man", "/var/cache/ldconfig")
# The package brings no library and no module; reading these takes most of the time.
FAR_AWAY = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/python3*")
FORMATS = {"sh", "fish", "docker-env-file", "dockerfile", "systemd", "json", "modulefile"}


def dpkg(host, *argv, expected=0):
    done = host.run(["dpkg", *argv], env={"DEBIAN_FRONTEND": "noninteractive"})
    assert done.returncode == expected, f"dpkg {argv}\n{done.stdout}{done.stderr}"
    return done.stderr


def given(host, released):
    return "/" + os.path.relpath(host.copy_in(released.deb, f"/var/tmp/{released.deb.name}"), host.root)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled(3)
def test_it_is_installed_upgraded_removed_and_purged_and_nothing_is_left(kind, make_package_host, released, older_packages):
    host = make_package_host(kind)
    older, newer = given(host, older_packages), given(host, released)
    before = host.digest((*RECORDS, *FAR_AWAY))
    dpkg(host, "--install", older)
    assert host.run(["topsctl", "--version"]).stdout == f"topsctl {released.version}\n"
    assert os.readlink(host.path(ENABLED)).endswith("/systemd/system/topsctl-recover.service")
    assert "ExecStart=/usr/bin/topsctl recover\n" in host.path("/lib/systemd/system/topsctl-recover.service").read_text()
    dpkg(host, "--install", newer)
    version = host.run(["dpkg-query", "--show", "--showformat=${Version} ${db:Status-Status}", "topsctl"]).stdout
    assert version == f"{released.version} installed" and older_packages.version == OLDER
    assert host.run(["dpkg", "--verify", "topsctl"]).stdout == ""
    assert host.path(ENABLED).is_symlink()
    dpkg(host, "--remove", "topsctl")
    assert host.run(["topsctl", "--version"]).returncode == 127
    dpkg(host, "--purge", "topsctl")
    assert before.diff(host.digest((*RECORDS, *FAR_AWAY)), ignore=("mtime_ns",)) == []


@pytest.fixture(scope="session")
def repository_of_two(repository, released, tmp_path_factory):
    """A folder of two releases, signed: the older one made first, as it would be."""
    folder, home = tmp_path_factory.mktemp("releases"), tmp_path_factory.mktemp("gnupg")
    home.chmod(0o700)
    gpg = ["gpg", "--homedir", home, "--batch", "--quiet", "--passphrase", ""]
    subprocess.run([*gpg, "--quick-generate-key", "Test of releases", "ed25519", "sign", "never"], check=True, capture_output=True)
    (home / "key.asc").write_bytes(subprocess.run([*gpg, "--export-secret-keys", "--armor"], check=True, capture_output=True).stdout)
    subprocess.run(["gpgconf", "--homedir", home, "--kill", "gpg-agent"], check=True)
    for more in (["--version", OLDER], []):
        subprocess.run([repository / "packaging/release", "--no-build", "--fast", "--sign", home / "key.asc", *more, folder], check=True,
                       capture_output=True)
    assert sorted(path.name for path in folder.glob("*.deb")) == sorted({f"topsctl_{OLDER}_amd64.deb", released.deb.name})
    return folder


@contextlib.contextmanager
def served(folder):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    handler.log_message = lambda *_: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("kind", [*KINDS[:2], pytest.param("debian-13", marks=pytest.mark.whole)])
def test_apt_installs_upgrades_and_removes_it_from_the_folder_of_a_release(kind, make_package_host, repository_of_two, released):
    host = make_package_host(kind)
    host.network = f"/proc/{os.getpid()}/ns/net"
    shutil.copytree(repository_of_two, host.path("/srv/release"))
    host.path("/srv/key.asc").write_bytes((repository_of_two / "topsctl-archive-key.asc").read_bytes())

    def apt(*words, expected=0):
        done = host.run(["apt-get", "-q", "-y", "-oDir::Etc::sourcelist=/srv/sources.list", "-oDir::Etc::sourceparts=-", *words],
                        env={"DEBIAN_FRONTEND": "noninteractive"})
        assert done.returncode == expected, f"apt-get {words}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def version():
        return host.run(["topsctl", "--version"]).stdout.split()[-1:]

    host.path("/srv/sources.list").write_text("deb [signed-by=/srv/key.asc] file:/srv/release ./\n")
    apt("update", "-oAPT::Update::Error-Mode=any")
    apt("install", f"topsctl={OLDER}")
    with served(repository_of_two) as place:
        host.path("/srv/sources.list").write_text(f"deb [signed-by=/srv/key.asc] {place} ./\n")
        apt("update", "-oAPT::Update::Error-Mode=any")
        apt("install", "topsctl")
        assert host.run(["dpkg-query", "-W", "-f", "${Version}", "topsctl"]).stdout == released.version
    assert version() == [released.version]
    apt("purge", "topsctl")
    assert version() == []
    with host.path("/srv/release/Packages").open("a") as index:
        index.write("\n")
    host.path("/srv/release/Packages.gz").unlink()
    host.path("/srv/sources.list").write_text("deb [signed-by=/srv/key.asc] file:/srv/release ./\n")
    refused = apt("update", expected=100)  # an index that is not the signed one
    assert "Packages" in refused and ("Hash Sum mismatch" in refused or "unexpected size" in refused), refused


def test_an_upgrade_keeps_what_the_administrator_has_disabled(make_package_host, released, older_packages):
    host = make_package_host("debian-12")
    dpkg(host, "--install", given(host, older_packages))
    host.path(ENABLED).unlink()  # what `systemctl disable` does
    dpkg(host, "--install", given(host, released))
    assert not host.path(ENABLED).is_symlink()


def test_transactions_outlive_the_package_and_an_unconfirmed_one_holds_it(make_package_host, released, bundle):
    host = make_package_host("debian-11")
    dpkg(host, "--install", given(host, released))
    host.copy_in(bundle(python=host.python_minor(), only_needed=True), "/srv/bundle")
    # Its watcher ends with this command: the host was rebooted.
    done = host.run(["topsctl", "install", "/srv/bundle", "--stack", "topsrider-t2x", "--components", "eccl",
                     "--confirm-timeout", "600"], timeout=300, env=OLD_CONNECTION)
    assert done.returncode == 0, done.stdout + done.stderr
    told = dpkg(host, "--remove", "topsctl", expected=1)
    assert "error: a transaction of topsctl is unfinished or awaits its confirmation" in told and "hint:  topsctl recover" in told
    assert host.run(["topsctl", "--version"]).returncode == 0 and host.path(ENABLED).is_symlink()
    assert host.run(["topsctl", "confirm", "1"], env=NEW_CONNECTION).returncode == 0
    kept = host.path("/var/lib/topsctl/transactions")
    names = sorted(path.name for path in kept.rglob("*"))
    assert "kept /var/lib/topsctl" in dpkg(host, "--purge", "topsctl")
    assert names and sorted(path.name for path in kept.rglob("*")) == names
    dpkg(host, "--install", given(host, released))
    assert host.run(["topsctl", "rollback"]).returncode == 0


def test_a_purge_removes_a_store_without_transactions(make_package_host, released):
    host = make_package_host("debian-12")
    dpkg(host, "--install", given(host, released))
    host.path("/var/lib/topsctl/transactions").mkdir(parents=True)
    host.path("/var/lib/topsctl/lock").touch()
    host.path("/var/log/topsctl").mkdir()
    dpkg(host, "--purge", "topsctl")
    assert not host.path("/var/lib/topsctl").exists() and not host.path("/var/log/topsctl").exists()


def test_lintian_finds_no_error_and_no_warning(released):
    needed("lintian")
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", released.deb],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_packages_are_the_same_from_other_surroundings(make_packages, released, tmp_path):
    other = make_packages(cwd=tmp_path, umask=0o077, env={**os.environ, "TZ": "Asia/Shanghai", "LC_ALL": "C"})
    sums = (released.folder / "SHA256SUMS").read_text()
    assert sums == (other.folder / "SHA256SUMS").read_text() and len(sums.splitlines()) == 3
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=released.folder, check=True, capture_output=True)


def test_the_bill_of_materials_is_that_of_the_program(released, unpacked, repository):
    bill = json.loads(released.bill.read_text())
    schema = json.loads((repository / "tests/data/schemas/cyclonedx-1.5.schema.json").read_text())
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(bill)) == [] and cyclonedx_faults(bill) == []
    digest = subprocess.run(["sha256sum", unpacked / "bin/topsctl"], capture_output=True, text=True, check=True).stdout.split()[0]
    assert bill["metadata"]["component"]["hashes"] == [{"alg": "SHA-256", "content": digest}]
    names = {component["name"] for component in bill["components"]}
    assert {path.stem for path in (unpacked / "share/doc/topsctl/third-party").iterdir()} <= names


def test_no_file_names_a_place_on_the_machine_that_built_it(unpacked, repository):
    done = subprocess.run(["grep", "--recursive", "--files-with-matches", "--fixed-strings", repository, unpacked], check=False,
                          capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")


def test_every_command_has_a_manual_page_without_a_warning(unpacked, repository):
    needed("mandoc", "groff")
    pages = {path.stem: path for path in (unpacked / "share/man/man1").iterdir()}
    commands = {path.stem for path in (repository / "docs/commands").iterdir()} - {"topsctl"}
    assert pages.keys() == {"topsctl", *(f"topsctl-{command}" for command in commands)}
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages.values()], capture_output=True, text=True, check=False)
    assert (lint.returncode, lint.stdout) == (0, "")
    for page in pages.values():
        read = subprocess.run(["groff", "-ww", "-man", "-Tutf8", page], capture_output=True, text=True, check=False)
        assert (read.returncode, read.stderr) == (0, ""), page


def test_a_manual_page_refers_to_pages_that_are_there(unpacked):
    folder = unpacked / "share/man/man1"
    for page in folder.iterdir():
        see = page.read_text().partition(".SH SEE ALSO")[2]
        named = re.findall(r"\\fB([a-z-]+)\\f[PR]\(1\)", see)
        assert named and see.count("(1)") == len(named), page
        assert [name for name in named if not (folder / f"{name}.1").exists()] == [], page


@pytest.fixture
def shell_host(request, make_package_host, released, unpacked):
    """A host with man and three shells, and topsctl by its package or by its archive."""
    host = make_package_host("debian-12")
    if request.param == "package":
        dpkg(host, "--install", given(host, released))
    else:
        subprocess.run([unpacked / "install.sh", "--destdir", host.root], check=True, capture_output=True)
    return host


ZSH = r"""
zmodload zsh/zpty
zpty shell 'zsh -f -i'
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; echo RE""ADY'
zpty -r shell text '*READY*'
zpty -w -n shell $'TYPED \t'
zpty -r shell text '*LAST*'
sleep 0.3
while zpty -rt shell more; do text+="$more"; done
print -r -- "$text"
zpty -d shell
"""
BASH = """
. /usr/share/bash-completion/bash_completion
_completion_loader topsctl
COMP_WORDS=(TYPED '') COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
"$(complete -p topsctl | sed 's/.*-F \\([^ ]*\\) .*/\\1/')"
printf '%s\\n' "${COMPREPLY[@]}"
"""
# What is typed, and what shells offer then.
OFFERED = {
    "topsctl env --format": FORMATS,
    "topsctl install --stack": {"topsrider-i3x", "topsrider-t2x", "vccl-2.26.6"},
    "topsctl env --stack topsrider-t2x --profile": {"dev", "none", "prod", "staging"},
    "topsctl install b --stack topsrider-i3x --components": {"eccl", "sdk", "topsaten", "topsfactor", "topsgraph", "torch_gcu"},
    "topsctl rollback": {"1", "2"},
    "topsctl history show": {"1", "2", "3"},
}


def offers_of(host, typed, last):
    """What bash, zsh and fish offer behind the words typed."""
    bash = host.run(["bash", "--norc", "-c", BASH.replace("TYPED", typed)])
    # Without this variable, fish looks below /usr only, and install.sh says so.
    fish = host.run(["fish", "-c", f"complete -C '{typed} '"], env={"XDG_DATA_DIRS": "/usr/local/share:/usr/share"})
    zsh = host.run(["zsh", "-f", "-c", ZSH.replace("TYPED", typed).replace("LAST", last)], timeout=30)
    return [set(bash.stdout.split()), {line.split("\t")[0] for line in fish.stdout.splitlines()}, set(zsh.stdout.split())]


@pytest.mark.parametrize("shell_host", ["package", "archive"], indirect=True)
@pytest.mark.sampled(2)
def test_shells_and_man_find_what_was_installed(shell_host):
    # Three changes of a project, of which the first was rolled back: real transactions, without a stack.
    for number in (1, 2, 3):
        project = shell_host.path(f"/srv/project-{number}")
        project.mkdir(parents=True)
        (project / "start.sh").write_text("export WORLD_SIZE=8\ntorchrun train.py\n")
        shell_host.run(["topsctl", "doctor", "--project", f"/srv/project-{number}", "--apply"], check=True)
    shell_host.run(["topsctl", "rollback", "3"], check=True)
    for typed, wanted in OFFERED.items():
        for offered in offers_of(shell_host, typed, max(wanted)):
            assert offered >= wanted, typed
    for offered in offers_of(shell_host, "topsctl rollback", "2"):
        assert "3" not in offered
    man = shell_host.run(["man", "--warnings", "topsctl-install"], env={"MANWIDTH": "80", "PAGER": "cat", "LANG": "C.UTF-8"})
    assert "topsctl-install - installs a bundle as one transaction" in man.stdout and man.stderr == ""
