"""SSH servers of other makes, and an OpenSSH of few channels, on the loopback of a network of their own.

They run on this machine's own file system, as Debian has packaged them; only accounts and homes are the tests'.
"""

import json
import subprocess
import time
from pathlib import Path

from hosts.client import Client, accounts_with_home
from hosts.network import Network
from hosts.storage import Storage
from hosts.users import HASHES

PASSWORD_USER = "pw"  # may do what root may, and logs in by LOGIN_PASSWORD
ADDRESS = "127.0.0.1"
FIRST_PORT = 2201


def new_key(path, kind="ed25519"):
    """Makes a key without a passphrase; its path."""
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "", "-f", path], check=True)
    return path


class OtherServer:
    """One that listens. `home` is that of root when it logs in, `home_without_keys` that of PASSWORD_USER where keys count."""

    def __init__(self, bench, name, number):
        self.name = name
        self.port = FIRST_PORT + number
        self.folder = bench.folder / name
        self.home = self.folder / "home"
        self.home_without_keys = self.folder / "other-home"
        self.home_without_keys.mkdir(parents=True)
        self.log = self.folder / "log"
        (self.home / ".ssh").mkdir(parents=True, mode=0o700)
        (self.home / ".ssh" / "authorized_keys").write_text(bench.public_key)
        accounts = accounts_with_home(self.folder / "passwd", self.home)
        self._machine = Client(bench.client.machine, None, self.home, accounts)
        self._process = None

    def make_key(self, kind="ed25519"):
        """A host key as OpenSSH writes it; its path."""
        return new_key(self.folder / "host_key", kind)

    def start(self, *argv):
        """Returns when it listens."""
        with open(self.log, "ab") as log:
            self._process = self._machine.start(argv, stdout=log, stderr=log)
        deadline = time.monotonic() + 20
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} does not listen: {self.log.read_text(errors='replace')}")
            time.sleep(0.01)
        return self

    def _listens(self):
        sockets = Path(f"/proc/{self._process.pid}/net/tcp").read_text().splitlines()[1:]
        return any(line.split()[1].endswith(f":{self.port:04X}") and line.split()[3] == "0A" for line in sockets)

    def remove(self):
        self._machine.remove()


class OtherServers:
    """A workstation and such servers; `client`, `home` and `hosts` as a Fleet has them."""

    def __init__(self, place):
        self._storage = Storage(place)
        self.folder = self._storage.path
        self.hosts = []
        self.home = self.folder / "home"
        (self.home / ".ssh").mkdir(parents=True, mode=0o700)
        keys = [new_key(self.home / ".ssh" / f"id_{kind}", kind) for kind in ("ed25519", "rsa")]
        self.public_key = "".join(key.with_suffix(".pub").read_text() for key in keys)
        self.network = Network()
        accounts = accounts_with_home(self.folder / "passwd", self.home)
        self.client = Client(self.network.new_machine(), None, self.home, accounts)

    def _new(self, name):
        server = OtherServer(self, name, len(self.hosts))
        with open(self.home / ".ssh" / "config", "a", encoding="ascii") as config:
            config.write(f"Host {name}\n    HostName {ADDRESS}\n    Port {server.port}\n    StrictHostKeyChecking accept-new\n")
        self.hosts.append(server)
        return server

    def dropbear(self, name="dropbear"):
        server = self._new(name)
        with open(server.folder / "passwd", "a", encoding="utf-8") as accounts:
            accounts.write(f"{PASSWORD_USER}:{HASHES['log-in-pass']}:0:0::{server.home_without_keys}:/bin/sh\n")
        key = server.folder / "key"
        subprocess.run(["dropbearkey", "-t", "ed25519", "-f", key], check=True, capture_output=True)
        return server.start("/usr/sbin/dropbear", "-F", "-E", "-r", key, "-p", f"{ADDRESS}:{server.port}",
                            "-P", server.folder / "pid")

    def tinysshd(self, name="tinysshd"):
        server = self._new(name)
        keys = server.folder / "keys"
        subprocess.run(["/usr/sbin/tinysshd-makekey", "-q", keys], check=True)
        return server.start("systemd-socket-activate", "--accept", "--inetd", "--listen", f"{ADDRESS}:{server.port}",
                            "/usr/sbin/tinysshd", "-v", keys)

    def openssh(self, name, *config, key="ed25519"):
        server = self._new(name)
        lines = [*config, f"ListenAddress {ADDRESS}", f"Port {server.port}", f"HostKey {server.make_key(key)}", "PidFile none",
                 "UsePAM no", "UseDNS no", "PrintMotd no", "PermitRootLogin yes", "StrictModes no",
                 "Subsystem sftp internal-sftp"]
        (server.folder / "config").write_text("\n".join([*lines, ""]))
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd of root refuses to start without
        return server.start("/usr/sbin/sshd", "-D", "-e", "-f", server.folder / "config")

    def asyncssh(self, name, users):
        """See asyncssh_server.py."""
        server = self._new(name)
        spec = {"port": server.port, "host_key": str(server.make_key()), "home": str(server.home), "users": users}
        script = Path(__file__).with_name("asyncssh_server.py")
        return server.start("/usr/bin/python3", "-B", script, json.dumps(spec))

    def remove(self):
        """Ends all, and deletes what they wrote."""
        self.client.remove()
        for server in self.hosts:
            server.remove()
        self.network.remove()
        self._storage.remove()
