"""The network of a fleet: one namespace per machine, joined by veth pairs to bridges in a namespace of their own.

Namespaces are held by open handles only, so that all of it vanishes with the process that made it.
"""

import os
import subprocess
from dataclasses import dataclass

from hosts import kernel

LAN = "10.77.0"
BEHIND = "10.77.1"  # the network that only the first host has a link to
# What Ubuntu has, whatever this machine was tuned to.
SETTINGS = {"ipv4/tcp_rmem": "4096 131072 6291456", "ipv4/tcp_wmem": "4096 16384 4194304"}
FORWARDING, DISABLED = 3, 0  # states of a port of a bridge


@dataclass
class Link:
    """An interface of a machine and the port of the bridge at its other end."""
    machine: int
    name: str
    address: str
    mac: str
    bridge: str
    port: str


class Network:
    """Addresses are only inside; the machine's own network is not touched."""

    def __init__(self):
        self.links = []
        self.handles = []
        self.switch = self.new_machine()
        self.ip(self.switch, *(line for bridge in (LAN, BEHIND) for line in (
            f"link add {bridge} type bridge", f"link set {bridge} up")))

    def new_machine(self):
        """A handle on a namespace for a machine without any link."""
        self.handles.append(kernel.new_network_namespace(SETTINGS))
        return self.handles[-1]

    def path(self, machine):
        """Where another process opens the namespace of a machine."""
        return f"/proc/{os.getpid()}/fd/{machine}"

    def join(self, machine, lan, number):
        """Gives a machine the address `number` of a network; every other machine there knows it without asking."""
        name = f"eth{sum(link.machine == machine for link in self.links)}"
        place = len(self.links)
        link = Link(machine, name, f"{lan}.{number}", f"02:00:00:00:{place >> 8:02x}:{place & 255:02x}", lan, f"p{place}")
        self.ip(self.switch,
                f"link add {link.port} type veth peer name {name} address {link.mac} netns {self.path(machine)}",
                f"link set {link.port} master {lan} up")
        known = [other for other in self.links if other.bridge == lan]
        self.ip(machine, f"address add {link.address}/24 dev {name}", f"link set {name} up",
                *(_knows(link, other) for other in known))
        for other in known:
            self.ip(other.machine, _knows(other, link))
        self.links.append(link)
        return link

    def cut(self, link):
        """From here on packets from and to this link are lost, and nobody is told."""
        self._set_port(link, DISABLED)

    def heal(self, link):
        self._set_port(link, FORWARDING)

    def _set_port(self, link, state):
        self.run(self.switch, ["bridge", "link", "set", "dev", link.port, "state", str(state)])

    def ip(self, machine, *commands):
        self.run(machine, ["ip", "-batch", "-"], input="".join(f"{command}\n" for command in commands))

    def run(self, machine, argv, **options):
        """Runs a command of this machine's file system in the namespace; it must succeed."""
        done = subprocess.run(argv, preexec_fn=lambda: kernel.enter_namespace(machine, kernel.CLONE_NEWNET), text=True,
                              capture_output=True, check=False, **options)
        if done.returncode != 0:
            raise OSError(f"'{' '.join(argv)}' in a test network: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def remove(self):
        for handle in self.handles:
            os.close(handle)
        self.handles.clear()


def _knows(link, other):
    # Without this, a host that does not answer would be unreachable at once instead of silent.
    return f"neighbour replace {other.address} lladdr {other.mac} nud permanent dev {link.name}"
