"""A fleet: a workstation and several hosts with a real sshd each, in a network of their own."""

import contextlib
import subprocess

from hosts import kernel
from hosts.client import Client, accounts_with_home
from hosts.fleet_host import FleetHost, HostOptions
from hosts.network import BEHIND, LAN, Network
from hosts.storage import Storage

FIRST_NUMBER = 11


class Fleet:
    """`client`, `hosts`, and `home`: the home folder of the client, with its key, its config and its known hosts."""

    def __init__(self, lower, place, hash_cache, options, behind_jump=False):
        if behind_jump and len(options) < 2:
            raise ValueError("a host behind another needs another: at least two hosts")
        self.hosts = []
        self.client = None
        self._storage = Storage(place)
        self.home = self._storage.path / "home"
        self.network = None
        try:
            self._make_home()
            self.network = Network()
            machine = self.network.new_machine()
            link = self.network.join(machine, LAN, 1)
            accounts = accounts_with_home(self._storage.path / "passwd", self.home)
            self.client = Client(machine, link, self.home, accounts)
            for place_of_host, each in enumerate(options):
                hidden = behind_jump and place_of_host == len(options) - 1
                self._add_host(lower, place, hash_cache, place_of_host, each, hidden)
            if behind_jump:
                first, last = self.hosts[0], self.hosts[-1]
                first.links.append(self.network.join(first.links[0].machine, BEHIND, FIRST_NUMBER))
                last.jump = first
            self._write_config()
            for host in self.hosts:
                host.wait_for_sshd()
        except BaseException:
            self.remove()
            raise

    def _make_home(self):
        ssh = self.home / ".ssh"
        ssh.mkdir(parents=True, mode=0o700)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "fleet", "-f", ssh / "id_ed25519"], check=True)

    def _add_host(self, lower, place, hash_cache, index, options, hidden):
        links = [self.network.join(self.network.new_machine(), BEHIND if hidden else LAN, FIRST_NUMBER + index)]
        public_key = (self.home / ".ssh" / "id_ed25519.pub").read_text()
        self.hosts.append(FleetHost(lower, place, hash_cache, f"h{index + 1}", options, self.network, links, public_key))

    def _write_config(self):
        """Hosts have their names h1, h2, ... in the client's ssh_config, and their keys in known_hosts."""
        ssh = self.home / ".ssh"
        (ssh / "config").write_text("".join(
            f"Host {host.name}\n    HostName {host.address}\n    Port {host.port}\n" for host in self.hosts))
        (ssh / "known_hosts").write_text("".join(
            f"{host.known_hosts_name} {host.public_key}\n" for host in self.hosts if host.options.known))

    @contextlib.contextmanager
    def agent(self, hide_key=True):
        """An ssh-agent with the key -> the environment that tells a command of it; without the file of the key
        meanwhile unless hide_key=False."""
        socket, key, hidden = self.home / "agent", self.home / ".ssh" / "id_ed25519", self._storage.path / "key"
        environment = {"SSH_AUTH_SOCK": str(socket)}
        agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket], preexec_fn=kernel.die_with_parent,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        try:
            agent.stdout.readline()  # it listens
            self.client.run(["ssh-add", "-q", key], env=environment, check=True)
            if hide_key:
                key.rename(hidden)
            yield environment
        finally:
            if hidden.exists():
                hidden.rename(key)
            agent.kill()
            agent.communicate()
            socket.unlink(missing_ok=True)

    def remove(self):
        """Ends, unmounts and deletes everything; may be called twice."""
        if self.client is not None:
            self.client.remove()
        for host in reversed(self.hosts):
            host.remove()
        if self.network is not None:
            self.network.remove()
        self._storage.remove()


def options_of(hosts, common, each):
    """HostOptions for `hosts` hosts: what is common to all, and what `each` (number of the host -> options) has."""
    return [HostOptions(**{**common, **each.get(number, {})}) for number in range(hosts)]
