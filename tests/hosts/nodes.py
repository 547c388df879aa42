"""Nodes of a cluster that share this machine's file system: names, networks and processes of their own, n0 at the head."""

import os
import subprocess
import time

from hosts.network import LAN, Network

ENTER = 'mount --bind "$0/hosts" /etc/hosts && hostname "$1" && shift && exec "$@"'


def words_of(pid):
    """Its command line; nothing once it has ended."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().split("\0")[:-1]
    except OSError:
        return []


class Nodes:
    def __init__(self, folder, number):
        self.folder = folder
        folder.mkdir()
        self.network = Network()
        self.machines = [self.network.new_machine() for _ in range(number)]
        self.names = [f"n{node}" for node in range(number)]
        self.addresses = [f"{LAN}.{node + 1}" for node in range(number)]
        self.processes = []
        self.servers = {}  # sshd of a node
        self.environment = dict(os.environ)
        for node, machine in enumerate(self.machines):
            self.network.ip(machine, "link set lo up")
            self.network.join(machine, LAN, node + 1)
        (folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(
            f"{address} {name}\n" for address, name in zip(self.addresses, self.names)))

    def argv(self, node, *words):
        return ["nsenter", f"--net={self.network.path(self.machines[node])}", "unshare", "--mount", "--uts", "--pid", "--fork",
                "--kill-child", "--mount-proc", "sh", "-c", ENTER, str(self.folder), self.names[node], *map(str, words)]

    def start(self, node, *words):
        """A server of a node, until the end; then all that it has started is killed with it."""
        log = self.folder / f"{os.path.basename(words[0])}-{node}.log"
        with open(log, "wb") as output:
            self.processes.append(subprocess.Popen(self.argv(node, *words), env=self.environment, stdin=subprocess.DEVNULL,
                                                   stdout=output, stderr=output))

    def start_sshd(self, environment=None):
        """On every node; `ssh -F ssh.conf` of the folder gets there as root, who has these variables more."""
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / key], check=True)
        (self.folder / "sshd.conf").write_text(f"""HostKey {self.folder}/host
AuthorizedKeysFile {self.folder}/user.pub
StrictModes no
UsePAM no
PidFile none
PermitRootLogin yes
""" + ("SetEnv " + " ".join(f'"{name}={value}"' for name, value in environment.items()) + "\n" if environment else ""))
        (self.folder / "ssh.conf").write_text(f"""IdentityFile {self.folder}/user
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
BatchMode yes
""")
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        for node in range(len(self.names)):
            self.start_server(node)

    def shape(self, node, rate):
        """What leaves the node has this rate at most, such as "40mbit"."""
        device = self.run_in(node, "ip", "-o", "-4", "route", "show", f"{LAN}.0/24").split(" dev ")[1].split()[0]
        self.run_in(node, "tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst", "32k", "latency", "400ms")

    def run_in(self, node, *words):
        return subprocess.run(["nsenter", f"--net={self.network.path(self.machines[node])}", *words], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def start_server(self, node):
        self.start(node, "/usr/sbin/sshd", "-D", "-e", "-f", self.folder / "sshd.conf")
        self.servers[node] = self.processes[-1]
        self.wait_for(lambda: self.run("ssh", "-F", self.folder / "ssh.conf", self.names[node], "true").returncode == 0)

    def reboot(self, node):
        """All that runs there is killed, and its SSH server comes back."""
        self.servers[node].kill()
        self.servers[node].wait()
        self.start_server(node)

    def cut(self, node):
        """Its link is down, and no packet says so."""
        self.network.ip(self.machines[node], "link set eth0 down")

    def run(self, *words, env=None, timeout=180, cwd=None):
        """On n0."""
        return subprocess.run(self.argv(0, *words), env=self.environment | (env or {}), capture_output=True, text=True, timeout=timeout,
                              check=False, cwd=cwd)

    def pids(self, *words):
        """Of the processes on the nodes whose first arguments are these; other tests have such processes, too."""
        places = {os.fstat(machine).st_ino for machine in self.machines}

        def is_here(pid):
            try:
                return os.stat(f"/proc/{pid}/ns/net").st_ino in places
            except OSError:
                return False
        return [int(pid) for pid in filter(str.isdigit, os.listdir("/proc"))
                if words_of(pid)[1:len(words) + 1] == list(words) and is_here(pid)]

    def wait_for(self, is_so, patience_s=60):
        end = time.monotonic() + patience_s
        while not is_so():
            assert time.monotonic() < end, "".join(log.read_text()[-1000:] for log in self.folder.glob("*.log"))
            time.sleep(0.2)

    def remove(self):
        for process in reversed(self.processes):
            process.kill()  # unshare itself ignores SIGTERM
        for process in self.processes:
            process.wait()
        self.network.remove()
