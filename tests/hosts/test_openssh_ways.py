"""SSH as OpenSSH does it, over an sshd of one's own: which settings count, and what is said when a login does not work."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from support.own_sshd import unprivileged_sshd
from support.waiting import wait_for

SFTP_SERVER = "/usr/lib/openssh/sftp-server"


class Station:
    """A client with a home of its own, and the servers that it sends one file to."""

    def __init__(self, folder, topsctl):
        self.folder, self.topsctl, self.home = folder, topsctl, folder / "client"
        self.bundle = folder / "bundle"
        for each in (self.home, self.bundle):
            each.mkdir()
        (self.bundle / "notes.txt").write_text("hello\n")
        self.environment = {"PATH": os.environ["PATH"], "HOME": os.fspath(self.home), "LC_ALL": "C.UTF-8", "SHELL": "/bin/sh"}
        self.config = folder / "config"

    def start(self, target, *options, json_wanted=True):
        argv = [self.topsctl, *(["--json"] if json_wanted else []), "transfer", "--all", self.bundle, target, "-F", self.config,
                "--dest", self.folder / "received", *options]
        return subprocess.Popen(argv, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def transfer(self, target, *options, code=0):
        process = self.start(target, *options)
        out, err = process.communicate(timeout=120)
        assert process.returncode == code, out + err
        return json.loads(out)

    def error(self, target, *options):
        return self.transfer(target, *options, code=6)["targets"][0]["error"]

    def has_received(self):
        return (self.folder / "received" / "notes.txt").read_text() == "hello\n"


@pytest.fixture
def station(tmp_path, topsctl_dev):
    return Station(tmp_path, topsctl_dev)


@pytest.fixture
def server(tmp_path):
    with unprivileged_sshd(tmp_path / "sshd", sftp=SFTP_SERVER) as running:
        yield running


def known(server, name):
    key = " ".join(Path(f"{server.host_key}.pub").read_text().split()[:2])
    server.known_hosts.write_text(f"{name} {key}\n")


@pytest.mark.parametrize("text", [
    "Host a\n HostName {address}\nHost a*\n Port {port}\n User {user}\n IdentityFile {key}\n UserKnownHostsFile {known_hosts}\n",
    "Host a\n HostName {address}\n Port {port}\n UserKnownHostsFile {known_hosts}\nHost 127.0.0.1\n User nobody\n"
    "Host *\n User {user}\n IdentityFile {key}\n",
])
def test_sections_after_a_host_name_count_for_the_name_that_was_given(station, server, text):
    station.config.write_text(text.format(**vars(server)))
    station.transfer("a")
    assert station.has_received()


def test_a_host_key_is_known_and_saved_by_its_alias(station, server):
    station.config.write_text(server.config.read_text() + "    HostKeyAlias a.cluster\n")
    assert "is unknown" in station.error("own")["message"]
    station.transfer("own", "--accept-new")
    assert server.known_hosts.read_text().splitlines()[-1].startswith("a.cluster ")
    known(server, "a.cluster")
    station.transfer("own")


def test_a_certificate_opens_the_door(station, tmp_path):
    ca, key = tmp_path / "ca", tmp_path / "user_key"
    for each in (ca, key):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", each], check=True)
    with unprivileged_sshd(tmp_path / "sshd", [f"TrustedUserCAKeys {ca}.pub", "AuthorizedKeysFile none"]) as server:
        subprocess.run(["ssh-keygen", "-q", "-s", ca, "-I", "me", "-n", server.user, f"{key}.pub"], check=True)
        text = server.config.read_text().replace(str(server.key), str(key))
        station.config.write_text(text)
        station.transfer("own")
        (tmp_path / "user_key-cert.pub").rename(tmp_path / "elsewhere.pub")
        assert "authentication failed" in station.error("own")["message"]
        station.config.write_text(text + f"    CertificateFile {tmp_path}/elsewhere.pub\n")
        station.transfer("own")


def test_keys_of_an_agent_are_offered_as_files_name_them(station, tmp_path):
    socket = tmp_path / "agent"
    with unprivileged_sshd(tmp_path / "sshd", ["MaxAuthTries 3"]) as server:
        agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL)
        try:
            wait_for(socket.exists)
            station.environment["SSH_AUTH_SOCK"] = os.fspath(socket)
            for number in range(6):
                other = tmp_path / f"other{number}"
                subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], check=True)
                subprocess.run(["ssh-add", "-q", other], env=station.environment, check=True)
            subprocess.run(["ssh-add", "-q", server.key], env=station.environment, check=True)
            server.key.rename(tmp_path / "away")  # the public one stays
            station.config.write_text(server.config.read_text())
            station.transfer("own")
            station.config.write_text(server.config.read_text().replace("IdentitiesOnly yes", "IdentitiesOnly no"))
            station.transfer("own")
            station.config.write_text(server.config.read_text() + "    IdentityAgent none\n")
            assert "authentication failed" in station.error("own")["message"]
        finally:
            agent.kill()
            agent.wait()


def test_a_connection_that_openssh_has_open_is_used(station, server, tmp_path):
    path = tmp_path / "control"
    text = server.config.read_text() + f"    ControlPath {path}\n"
    (tmp_path / "master_config").write_text(text)
    station.config.write_text(text.replace(str(server.key), "none"))
    assert "authentication failed" in station.error("own")["message"]
    master = subprocess.Popen(["ssh", "-F", tmp_path / "master_config", "-M", "-N", "own"], stdin=subprocess.DEVNULL)
    try:
        wait_for(path.exists)
        station.transfer("own")
        assert station.has_received()
    finally:
        master.terminate()
        master.wait()


def test_a_connection_that_another_user_has_open_is_not_used(station, server, tmp_path):
    """Passwords would go to that user."""
    path = tmp_path / "control"
    text = server.config.read_text() + f"    ControlPath {path}\n"
    (tmp_path / "master_config").write_text(text)
    station.config.write_text(text.replace(str(server.key), "none"))
    master = subprocess.Popen(["ssh", "-F", tmp_path / "master_config", "-M", "-N", "own"], stdin=subprocess.DEVNULL)
    try:
        wait_for(path.exists)
        os.chown(path, 65534, 65534)
        assert "authentication failed" in station.error("own")["message"]
        os.chown(path, 0, 0)
        path.parent.chmod(0o777)
        assert "authentication failed" in station.error("own")["message"], "who can change the directory can exchange the socket"
        path.parent.chmod(0o700)
        station.transfer("own")
    finally:
        master.terminate()
        master.wait()


@pytest.mark.parametrize("keyword, code", [("UserKnownHostsFile", 2), ("IdentityFile", 6)])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(station, server, tmp_path, keyword, code):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines = [line for line in server.config.read_text().splitlines() if not line.split()[:1] == [keyword]]
    station.config.write_text("\n".join([*lines, f"    {keyword} {pipe}\n"]))
    assert station.transfer("own", code=code)["error"] is not None


def test_a_login_that_takes_longer_than_the_connection_may_take_succeeds(station, tmp_path):
    slow = tmp_path / "slow"
    with unprivileged_sshd(tmp_path / "sshd", ["AuthorizedKeysCommand /usr/bin/sleep 3", "AuthorizedKeysCommandUser root"]) as server:
        # The command is asked for a key that no file has, so another one is offered first.
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", slow], check=True)
        lines = server.config.read_text().splitlines()
        first = next(at for at, line in enumerate(lines) if line.split()[:1] == ["IdentityFile"])
        station.config.write_text("\n".join([*lines[:first], f"    IdentityFile {slow}", *lines[first:]]) + "\n")
        begun = time.monotonic()
        process = station.start("own", "--connect-timeout", "1", json_wanted=False)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, out + err
        assert time.monotonic() - begun > 3, "the login was not slow"
        said = [line for line in err.splitlines() if "still logging in after 1 s" in line]
        assert len(said) == 1 and said[0].startswith("'own' ("), err


def test_a_server_that_says_nothing_is_given_up(station, tmp_path):
    listener = subprocess.Popen(["/usr/bin/python3", "-c", "import socket, time\ns = socket.create_server(('127.0.0.1', 0))\n"
                                 "print(s.getsockname()[1], flush=True)\ntime.sleep(600)"], stdout=subprocess.PIPE, text=True)
    try:
        station.config.write_text(f"Host a\n HostName 127.0.0.1\n Port {listener.stdout.readline().strip()}\n ConnectTimeout 1\n")
        message = station.error("a")["message"]
        assert "cannot connect to 'a' (" in message and "no SSH server answered within 1 s" in message
    finally:
        listener.kill()
        listener.wait()


@pytest.mark.parametrize("line, words", [
    ("exec 1>&2", "a start-up file of its shell redirects standard output to standard error"),
    ("read answer", "a start-up file of its shell reads standard input"),
    ("yes motd", "a start-up file of its shell does not stop writing to standard output, first: 'motd'"),
])
@pytest.mark.sampled(2)
def test_a_start_up_file_that_is_in_the_way_is_named(station, server, line, words):
    (server.home / ".bashrc").write_text(f"{line}\n")
    station.config.write_text(server.config.read_text())
    error = station.error("own")
    assert words in error["message"] and ".bashrc" in error["hint"]


def test_a_redirected_shell_is_seen_where_topsctl_lies_already(station, server):
    station.config.write_text(server.config.read_text())
    station.transfer("own")
    (server.home / ".bashrc").write_text("exec 1>&2\n")
    assert "redirects standard output" in station.error("own")["message"]


def test_a_host_that_never_answers_holds_up_no_signal(station, tmp_path):
    with unprivileged_sshd(tmp_path / "sshd", ["ForceCommand exec cat >/dev/null"]) as server:
        station.config.write_text(server.config.read_text())
        process = station.start("own")
        wait_for(lambda: "Accepted publickey" in server.log.read_text())
        process.terminate()
        process.communicate(timeout=30)
        assert process.returncode == 143


def test_a_second_factor_without_a_terminal_is_named(station, tmp_path):
    with unprivileged_sshd(tmp_path / "sshd", ["AuthenticationMethods publickey,password", "PasswordAuthentication yes"]) as server:
        station.config.write_text(server.config.read_text())
        error = station.error("own")
        assert "the server wants a second factor, and there is no terminal to answer 'Password for" in error["message"]
        assert "terminal" in error["hint"]


def test_messages_name_the_hop_with_its_port_and_user(station, server):
    text = server.config.read_text().replace("Host own", "Host gate")
    place = f"jump host 'gate' ({server.user}@{server.address}:{server.port}) on the way to 'node'"
    station.config.write_text(text + "Host node\n    HostName 127.0.0.1\n    Port 1\n    ProxyJump gate\n")
    assert f"cannot reach '127.0.0.1:1' through {place}" in station.error("node")["message"]
    server.known_hosts.write_text("")
    assert f"the host key of {place} is unknown" in station.error("node")["message"]
    known(server, f"[{server.address}]:{server.port}")
    station.config.write_text(text.replace(str(server.key), "none") + "Host node\n    ProxyJump gate\n")
    assert f"cannot log in to {place}: authentication failed" in station.error("node")["message"]


def test_a_proxy_command_gets_its_tokens(station, server, tmp_path):
    gate = tmp_path / "gate"
    gate.write_text(server.config.read_text())
    station.config.write_text(
        server.config.read_text().replace("Host own", "Host node")
        + f"    ProxyCommand sh -c 'echo %n-%%d-%r >{tmp_path}/ran; exec ssh -F {gate} -o BatchMode=yes -W %h:%p own'\n")
    station.transfer("node")
    assert (tmp_path / "ran").read_text() == f"node-%d-{server.user}\n"


def test_what_topsctl_does_not_do_is_warned_of(station, server):
    station.config.write_text("VerifyHostKeyDNS yes\nUseKeychain yes\n" + server.config.read_text())
    warnings = station.transfer("own")["warnings"]
    assert [warning.split(" in ")[0] for warning in warnings] == ["'VerifyHostKeyDNS yes'", "'UseKeychain yes'"]


def test_errors_of_remote_commands_are_said_once_with_their_hint(station, server):
    text = server.config.read_text()
    station.config.write_text(text.replace("Host own", "Host own own2"))
    argv = [station.topsctl, "history", "--root", station.folder, "-F", station.config, "--target", "own"]
    for more in ([], ["--target", "own2"]):
        done = subprocess.run([*argv, *more], env=station.environment, capture_output=True, text=True, check=False, timeout=120)
        said = done.stdout + done.stderr
        assert done.returncode == 4 and "error: error:" not in said and "| hint:" not in said, said
        assert said.count("is not a Debian or Ubuntu system") == 1 + len(more) // 2, said
        assert said.count("hint:  give the root directory") == 1 + len(more) // 2, said
