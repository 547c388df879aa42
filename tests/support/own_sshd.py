"""An sshd of one's own on the loopback, for tests that need no root: one user, the one who runs it, and one key."""

import contextlib
import os
import pwd
import signal
import socket
import subprocess
import time
from pathlib import Path

from hosts import kernel

SSHD = "/usr/sbin/sshd"


class OwnSshd:
    """All its files are in `folder`. `home` is HOME of the commands it runs; `config` is for `ssh -F`, with Host own."""

    def __init__(self, folder, sshd_config=(), sftp="internal-sftp"):
        self.folder = Path(folder)
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        self.address = "127.0.0.1"
        self.home = self.folder / "home"
        self.key, self.host_key = self.folder / "id_ed25519", self.folder / "host_key"
        self.config, self.known_hosts = self.folder / "ssh_config", self.folder / "known_hosts"
        self.log = self.folder / "sshd.log"
        self.home.mkdir(parents=True)
        for key in (self.key, self.host_key):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # sshd of root refuses to start without
        self._sshd_config, self._sftp = sshd_config, sftp
        self.port = self._process = None
        # Somebody may take the free port before sshd does.
        for _ in range(5):
            if self._starts():
                self.write_client_files(self.port)
                return
        raise RuntimeError(f"sshd does not start: {self.log.read_text()}")

    def _starts(self):
        with socket.create_server((self.address, 0)) as free:
            self.port = free.getsockname()[1]
        config = self.folder / "sshd_config"
        config.write_text("\n".join([
            *self._sshd_config, f"ListenAddress {self.address}", f"Port {self.port}", f"HostKey {self.host_key}",
            "PidFile none", f"AuthorizedKeysFile {self.key}.pub", "AuthenticationMethods publickey", "UsePAM no",
            "StrictModes no", "UseDNS no", "PrintMotd no", f"Subsystem sftp {self._sftp}", f"SetEnv HOME={self.home}", ""]))
        self._process = subprocess.Popen([SSHD, "-D", "-f", config, "-E", self.log], stdin=subprocess.DEVNULL,
                                         preexec_fn=kernel.die_with_parent)
        deadline = time.monotonic() + 10
        while self._process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(ConnectionRefusedError):
                socket.create_connection((self.address, self.port)).close()
                return True
            time.sleep(0.01)
        self.end()
        return False

    def write_client_files(self, port):
        """Config and known hosts for this port: that of a proxy, or its own."""
        key = " ".join(Path(f"{self.host_key}.pub").read_text().split()[:2])
        self.known_hosts.write_text(f"[{self.address}]:{port} {key}\n")
        self.config.write_text(
            f"Host own\n    HostName {self.address}\n    Port {port}\n    User {self.user}\n    IdentityFile {self.key}\n"
            f"    IdentitiesOnly yes\n    UserKnownHostsFile {self.known_hosts}\n    GlobalKnownHostsFile /dev/null\n")

    def ssh(self, *argv, **options):
        """OpenSSH's client with these files; a CompletedProcess with text unless told otherwise."""
        return subprocess.run(["ssh", "-F", self.config, "-o", "BatchMode=yes", "own", *argv],
                              **{"capture_output": True, "text": True, "timeout": 60, "check": False, **options})

    def kill_sessions(self):
        """SIGKILL to every sshd of a connection; the commands run there go on until the end."""
        sessions = _below(self._process.pid, lambda command: command.startswith("sshd"))
        for pid in sessions:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(sessions)

    def end(self):
        """Ends sshd and all that is still below it."""
        for pid in _below(self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()


def _below(top, is_wanted=lambda command: True):
    """The pids of the descendants of a process whose command line is wanted, and is that of all on the way."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if is_wanted(command):
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found, more = set(), {top}
    while more:
        more = {pid for pid, parent in parents.items() if parent in more} - found
        found |= more
    return found


@contextlib.contextmanager
def unprivileged_sshd(folder, sshd_config=(), **options):
    """An OwnSshd in a new folder, ended with all its sessions; `sshd_config` lines come before its own and prevail."""
    server = OwnSshd(folder, sshd_config, **options)
    try:
        yield server
    finally:
        server.end()
