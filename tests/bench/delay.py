"""Long and narrow lines for a fleet: delayed() puts a relay between the client and all hosts, shaped() limits an uplink.

Both are doubles of a real line: the delay is fixed, nothing is lost, and hosts reach each other as before.
"""

import contextlib
import subprocess

from hosts import kernel
from hosts.network import LAN
from support.compiled import compiled

NEAR, FAR = "near", "far"  # the two devices of the relay
BESIDE = "client"  # the bridge that only the client is at while there is a delay
QUEUE = 20000


@contextlib.contextmanager
def delayed(fleet, rtt_ms):
    """Within it a packet from the client to a host and its answer take `rtt_ms` longer; connections survive both ends."""
    network, port = fleet.network, fleet.client.link.port

    def enter():
        kernel.die_with_parent()
        kernel.enter_namespace(network.switch, kernel.CLONE_NEWNET)

    relay = subprocess.Popen([compiled("delay_relay"), str(round(rtt_ms * 500)), NEAR, FAR], preexec_fn=enter, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        if relay.stdout.readline() != "ready\n":
            raise OSError(relay.communicate()[1].strip() or "the delay relay does not start")
        network.ip(network.switch, f"link add {BESIDE} type bridge", f"link set {BESIDE} up",
                   f"link set {NEAR} txqueuelen {QUEUE} master {BESIDE} up",
                   f"link set {FAR} txqueuelen {QUEUE} master {LAN} up", f"link set {port} master {BESIDE}")
        yield
    finally:
        relay.kill()
        relay.communicate()
        network.ip(network.switch, f"link set {port} master {LAN}")
        with contextlib.suppress(OSError):  # it was not made
            network.ip(network.switch, f"link delete {BESIDE}")


@contextlib.contextmanager
def shaped(fleet, megabits, machine=None):
    """Within it what a machine (the client, or a host of the fleet) sends is limited to `megabits` per second."""
    link = (machine or fleet.client).links[0]
    # The bucket holds a whole frame of 64 KiB and 2 ms; the queue 50 ms, as in a usual switch.
    burst = max(128 * 1024, megabits * 1_000_000 // 8 // 500)
    fleet.network.run(link.machine, ["tc", "qdisc", "add", "dev", link.name, "root", "tbf", "rate", f"{megabits}mbit",
                                     "burst", str(burst), "latency", "50ms"])
    try:
        yield
    finally:
        fleet.network.run(link.machine, ["tc", "qdisc", "delete", "dev", link.name, "root"])


def connect_ms(client, host, count=5):
    """The least time a TCP connection to sshd takes: one round trip, in milliseconds."""
    code = ("import socket, sys, time\n"
            "def once():\n"
            "    start = time.monotonic()\n"
            "    socket.create_connection((sys.argv[1], int(sys.argv[2]))).close()\n"
            "    return time.monotonic() - start\n"
            "print(min(once() for _ in range(int(sys.argv[3]))) * 1000)")
    done = client.run(["/usr/bin/python3", "-ISc", code, host.address, str(host.port), str(count)], check=True)
    return float(done.stdout)


RECEIVE = """
import socket, threading
server = socket.create_server(("", 5001))
print("ready", flush=True)
def take(connection):
    block = bytearray(1 << 20)
    while connection.recv_into(block):
        pass
while True:
    threading.Thread(target=take, args=(server.accept()[0],), daemon=True).start()
"""
SEND = """
import socket, sys, threading, time
address, streams, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
block, sent, end = bytes(1 << 20), [0] * streams, time.monotonic() + seconds
def give(number):
    connection = socket.create_connection((address, 5001))
    while time.monotonic() < end:
        sent[number] += connection.send(block)
threads = [threading.Thread(target=give, args=(number,)) for number in range(streams)]
[thread.start() for thread in threads]
time.sleep(seconds / 2)
half, begin = sum(sent), time.monotonic()
[thread.join() for thread in threads]
print((sum(sent) - half) / (time.monotonic() - begin) * 8 / 1e9)
"""


def gigabits(fleet, host, streams=8, seconds=2):
    """What plain TCP streams from the client to a host carry together in the second half of the time, in Gbit/s."""
    receiver = host.start(["python3", "-Sc", RECEIVE])
    try:
        if receiver.stdout.readline() != "ready\n":
            raise OSError(f"the receiver does not start: {receiver.communicate()[1]}")
        sender = ["/usr/bin/python3", "-ISc", SEND, host.address, str(streams), str(seconds)]
        return float(fleet.client.run(sender, check=True, timeout=seconds + 60).stdout)
    finally:
        receiver.kill()
        receiver.communicate()
