"""A host of a fleet: a real sshd, chrooted into the host's root, in namespaces that last as long as the host."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hosts import kernel
from hosts.container import Container, prepare_podman
from hosts.host import DEFAULT_ENVIRONMENT, Host
from hosts.users import USERS, add_users, sshd_rules

CONFIG = "/etc/ssh/sshd_config"
KEY = "/etc/ssh/ssh_host_ed25519_key"
PID_FILE = "/run/sshd.pid"
LOG = "/var/log/sshd.log"


@dataclass(frozen=True)
class HostOptions:
    """`sshd_config` is text or lines. They come first, and the first value of an option is the one sshd takes; from the
    first Match on they come last."""
    port: int = 22
    sshd_config: object = ()
    users: tuple = USERS
    known: bool = True  # is its key in the client's known_hosts?


class Process(NamedTuple):
    """A process of a host: its pid outside, its pid inside, its command line, and its environment."""
    pid: int
    pid_inside: int
    command: str
    environ: dict


class FleetHost(Host):
    """Everything of Host too; commands run that way are in the host's network, but see no process of sshd's."""

    volatile = True  # what a fleet is to show is no matter of disks, and several hosts share one

    def __init__(self, lower, place, hash_cache, name, options, network, links, public_key):
        self.containers = []
        super().__init__(lower, place, "overlay", hash_cache)
        self.name = self.hostname = name
        self.options = options
        self.port = options.port
        self.links = links
        self.address = links[0].address
        self.jump = None  # the host by which alone it is reached
        self._network = network
        self.network = network.path(links[0].machine)
        self._init = None
        try:
            self._prepare(public_key)
            # Its children are whatever sshd leaves behind when it or a session is killed.
            self._init = self.start(["/bin/sh"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
            self._ask_for_sshd()
        except BaseException:
            self.remove()
            raise

    def _prepare(self, public_key):
        add_users(self, self.options.users, public_key)
        self.path("/etc/hostname").write_text(f"{self.name}\n")
        with open(self.path("/etc/hosts"), "a", encoding="utf-8") as file:
            file.write(f"127.0.1.1 {self.name}\n")  # or sudo complains
        for old in self.path("/etc/ssh").glob("ssh_host_*"):
            old.unlink()
        self._make_key()
        prepare_podman(self)
        self.path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        own = [f"Port {self.port}", f"HostKey {KEY}", f"PidFile {PID_FILE}", "UsePAM yes", "UseDNS no",
               "PasswordAuthentication yes", "ChallengeResponseAuthentication yes", "PrintMotd no", "X11Forwarding no",
               "AcceptEnv LANG LC_*", "Subsystem sftp /usr/lib/openssh/sftp-server"]
        given = self.options.sshd_config
        given = given.splitlines() if isinstance(given, str) else list(given)
        matches = next((n for n, line in enumerate(given) if line.lower().startswith("match")), len(given))
        self.path(CONFIG).write_text("\n".join([*given[:matches], *own, *sshd_rules(self.options.users),
                                                *given[matches:], ""]))

    def _make_key(self):
        key = self.path(KEY)
        for old in (key, key.with_name(f"{key.name}.pub")):
            old.unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", self.name, "-f", key], check=True)

    @property
    def public_key(self):
        """Type and key, as known_hosts has them after the name."""
        return " ".join(self.path(f"{KEY}.pub").read_text().split()[:2])

    @property
    def fingerprint(self):
        """As `ssh` shows it: SHA256:..."""
        shown = subprocess.run(["ssh-keygen", "-l", "-f", self.path(f"{KEY}.pub")], check=True, capture_output=True,
                               text=True)
        return shown.stdout.split()[1]

    @property
    def known_hosts_name(self):
        return self.address if self.port == 22 else f"[{self.address}]:{self.port}"

    def start_sshd(self):
        """Returns when sshd listens."""
        self._ask_for_sshd()
        self.wait_for_sshd()

    def _ask_for_sshd(self):
        self.path(PID_FILE).unlink(missing_ok=True)
        self._init.stdin.write(f"/usr/sbin/sshd -f {CONFIG} -E {LOG}\n")
        self._init.stdin.flush()

    def wait_for_sshd(self, seconds=20):
        deadline = time.monotonic() + seconds
        while not (self.path(PID_FILE).exists() and self.path(PID_FILE).read_text().strip()):
            if time.monotonic() > deadline or self._init.poll() is not None:
                raise RuntimeError(f"sshd of {self.name} does not listen: {self.sshd_log() or 'it logged nothing'}")
            time.sleep(0.005)

    def stop_sshd(self):
        """Ends the one that listens, at once; sessions go on, and new connections are refused."""
        number = int(self.path(PID_FILE).read_text())
        self._kill([process for process in self.processes() if process.pid_inside == number], signal.SIGKILL)

    def kill_sessions(self):
        """SIGKILL to every sshd of a connection, and to none of the commands run there; the number of them."""
        return len(self.kill(r"^sshd: (?!.*\[listener\])"))

    def change_key(self):
        """Another host key, as after a new installation; what clients know of the host is left as it was."""
        self.stop_sshd()
        self._make_key()
        self.start_sshd()

    def cut(self):
        """Packets to and from the host are lost; nothing is refused or closed."""
        for link in self.links:
            self._network.cut(link)

    def heal(self):
        for link in self.links:
            self._network.heal(link)

    def ip(self, *commands):
        """Commands of ip(8) in the host's network."""
        self._network.ip(self.links[0].machine, *commands)

    def beside(self, argv, env=None, timeout=120, check=False):
        """Runs argv among the processes and mounts that sshd has, unlike run(); a CompletedProcess with text. What it
        leaves in the background stays."""
        shell = min((each for each in self.processes() if each.pid_inside > 1), key=lambda each: each.pid_inside)
        return subprocess.run(["nsenter", "-t", str(shell.pid), "-m", "-p", "-n", "-i", "-u", "-r", "-w", "--",
                               *map(os.fspath, argv)], env={**DEFAULT_ENVIRONMENT, **(env or {})}, text=True,
                              check=check, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)

    def add_container(self, name):
        """A running Container of the host's own podman, which `docker` is another name of there."""
        self.containers.append(Container(self, name, self._storage.path / "containers" / name))
        return self.containers[-1]

    def show(self, folder, inside):
        """Shows what the test has mounted on `folder` also to sshd, at a path of the host."""
        self.path(inside).mkdir(parents=True)
        mount = kernel.clone_mount(folder)
        try:
            with open(f"/proc/{self._init.pid}/ns/mnt", "rb") as namespace:
                def attach():
                    kernel.enter_namespace(namespace.fileno(), kernel.CLONE_NEWNS)
                    kernel.attach_mount(mount, inside)
                kernel.in_child(attach)
        finally:
            os.close(mount)

    def remove(self):
        """Its containers end with it."""
        self.end_started()
        while self._init is not None and self._pids():  # one that waits for a disk takes its time to end
            time.sleep(0.01)
        for container in self.containers:
            container.remove()
        self.containers.clear()
        super().remove()

    def sshd_log(self):
        log = self.path(LOG)
        return log.read_text(errors="replace") if log.exists() else ""

    def processes(self):
        """Every process of the host, also of its containers, as found in its network: a list of Process."""
        outside = len(_namespace_pids(Path("/proc/self")))
        found = []
        for number in self._pids():
            with suppress(OSError):  # it ended while we looked
                folder = Path(f"/proc/{number}")
                pids = _namespace_pids(folder)
                if len(pids) == outside or (len(pids) == outside + 1 and pids[-1] == 1):
                    continue  # inside.py, which the host has no part in
                command = (folder / "cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
                environ = dict(pair.partition("=")[::2] for pair in
                               (folder / "environ").read_bytes().decode(errors="replace").split("\0") if pair)
                if command:
                    found.append(Process(number, pids[-1], command, environ))
        return found

    def _pids(self):
        """Of all in the host's network, until they have ended for good."""
        own, found = os.stat(self.network), []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with suppress(OSError):
                    if os.path.samestat(os.stat(folder / "ns/net"), own):
                        found.append(int(folder.name))
        return found

    def kill(self, pattern, number=signal.SIGKILL):
        """Sends a signal to each process whose command line has the regular expression, and after SIGKILL waits for
        their end; the processes."""
        return self._kill([process for process in self.processes() if re.search(pattern, process.command)], number)

    def _kill(self, processes, number):
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process.pid, number)
        while number == signal.SIGKILL and any(_lives(process.pid) for process in processes):
            time.sleep(0.002)
        return processes


def _namespace_pids(folder):
    for line in (folder / "status").read_text().splitlines():
        if line.startswith("NSpid:"):
            return [int(part) for part in line.split()[1:]]
    return []


def _lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
