"""Attacks over the network and by other users of a target: on relays, on the folders of a transfer, and on passwords."""

import json
import os
import random
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from hosts.users import SUDO_PASSWORD
from hosts.workstation import CHUNK, HOME, by_target, missing_at
from support.waiting import wait_for

FREE = 2001  # the id of a user
LISTENING = re.compile(r" [0-9A-F]{8}:([0-9A-F]{4}) 00000000:0000 0A ")
CONNECTED = " [0-9A-F]{{8}}:{:04X} [0-9A-F]{{8}}:[0-9A-F]{{4}} 01 "  # to this port
# Begins a handshake and sends a byte of it now and then, for two minutes, or until nobody listens.
SLOW = """
import socket, sys, time
stranger = socket.create_connection((sys.argv[1], int(sys.argv[2])))
for byte in b"\\x16\\x03\\x01\\x3f\\x00\\x01\\x00\\x3e\\xfc" + bytes(600):
    stranger.send(bytes([byte]))
    time.sleep(0.2)
"""
PASSWORD = re.compile(rb"(?<!-)" + SUDO_PASSWORD.encode())  # not the name of the option


def topsctl_processes(host):
    return [each for each in host.processes() if re.match(r"\S*topsctl ", each.command)]


def sockets_of(host):
    """The kernel's table of the host's network; "" while no topsctl runs there."""
    for process in topsctl_processes(host):
        with suppress(OSError), open(f"/proc/{process.pid}/net/tcp", encoding="ascii") as table:
            return table.read()
    return ""


def relay_port(host):
    """The port on which a receiver waits for another host; None while none does."""
    ports = [int(port, 16) for port in LISTENING.findall(sockets_of(host))]
    return next((port for port in ports if port != host.port), None)


def send_what_hosts_say(hosts, to=None):
    """Whose packets are what hosts say to each other: those of that hardware address, or the hosts' own."""
    for host in hosts:
        host.ip(*(f"neighbour replace {other.address} lladdr {to or other.links[0].mac} nud permanent dev {host.links[0].name}"
                  for other in hosts if other is not host))


def memory_of(pid):
    """All that a process can write to."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            if " rw-p " in line:
                begin, end = (int(part, 16) for part in line.split()[0].split("-"))
                with suppress(OSError):
                    memory.seek(begin)
                    yield memory.read(end - begin)


def replace_sudo(host, script):
    place = host.path("/usr/local/bin/sudo")
    place.write_text(script)
    place.chmod(0o755)


@pytest.fixture
def large(tmp_path):
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / "one.bin").write_bytes(random.Random(1).randbytes(3 * CHUNK))
    return folder


@pytest.mark.long
def test_a_slow_stranger_holds_no_receiver(make_workstation, large):
    station = make_workstation(2)
    first, second = station.hosts
    send_what_hosts_say(station.hosts, "02:00:00:00:ff:ff")  # to nobody, so that the port stays open
    run = station.start("transfer", large, "root@h1", "root@h2", "--all", "--relay", "--direct", "never", "--limit-rate", "4M")
    fed, port = wait_for(lambda: next(((host, port) for host in (first, second) if (port := relay_port(host))), None))
    strangers = [station.fleet.client.start(["/usr/bin/python3", "-c", SLOW, fed.address, str(port)]) for _ in range(2)]
    wait_for(lambda: len(re.findall(CONNECTED.format(port), sockets_of(fed))) == len(strangers))
    send_what_hosts_say(station.hosts)
    begun = time.monotonic()
    document, _ = station.finished("transfer", run)
    assert time.monotonic() - begun < 45
    for host in station.hosts:
        assert missing_at(host.root, "/tmp/topsrider_install", by_target(document)[f"root@{host.name}"], large) == []
    for stranger in strangers:
        stranger.kill()


@pytest.mark.parametrize("home, owner, mode", [(HOME, 0, 0o777), ("/home/free", FREE, 0o755), ("/home/free", FREE, 0o777)])
def test_a_cache_that_others_could_exchange_is_neither_run_nor_filled(make_workstation, packages, home, owner, mode):
    station = make_workstation(1)
    host, = station.hosts
    cache = host.path(f"{home}/.cache")
    cache.mkdir(exist_ok=True)
    os.chown(cache, owner, owner)
    cache.chmod(mode)
    station.json("transfer", packages, "free@h1" if owner else "root@h1")
    assert bool([path for path in cache.rglob("*") if path.is_file()]) == (mode == 0o755)


@pytest.mark.parametrize("user, owner, mode, words", [("root", 0, 0o777, "by other users"), ("root", FREE, 0o755, "another user"),
                                                      ("free", FREE, 0o770, "by other users"), ("free", 0, 0o1777, None)])
def test_a_destination_below_what_others_could_exchange_is_refused(make_workstation, packages, user, owner, mode, words):
    station = make_workstation(1)
    host, = station.hosts
    above = host.path("/srv/above")
    above.mkdir()
    os.chown(above, owner, owner)
    above.chmod(mode)
    document = station.json("transfer", packages, f"{user}@h1", "--dest", "/srv/above/dest", code=0 if words is None else 4)
    if words is not None:
        assert document["error"]["code"] == "permission" and words in document["error"]["message"], document
        assert document["error"]["hint"] and list(above.iterdir()) == []


def test_a_password_stays_in_no_memory_of_a_target(make_workstation):
    station = make_workstation(1)
    host, = station.hosts
    replace_sudo(host, "#!/bin/sh\nread -r word\ntouch /tmp/was-read\nsleep 3\n")

    def look():
        """Once it was handed on: who may see the processes, and how often the password is in their memory."""
        wait_for(host.path("/tmp/was-read").exists)
        return [(os.stat(f"/proc/{process.pid}/environ").st_uid, sum(len(PASSWORD.findall(block))
                                                                     for block in memory_of(process.pid)))
                for process in topsctl_processes(host)]

    with ThreadPoolExecutor(1) as watch:
        looked = watch.submit(look)
        words = [station.binary, "history", "--target", "ops@h1", "--ask-sudo-pass"]
        station.fleet.client.on_terminal(words, [("sudo password for ops@h1:", SUDO_PASSWORD)])
    # The one that speaks, the one that keeps the run, and whoever helps them: the user's, and yet hidden from the user.
    assert len(looked.result()) >= 2 and set(looked.result()) == {(0, 0)}, looked.result()


def test_a_password_that_sudo_does_not_ask_for_is_left_to_nobody(make_workstation):
    """As with NOPASSWD, or when sudo remembers the user: what starts topsctl sees what is left of its input when it has ended."""
    station = make_workstation(1)
    host, = station.hosts
    replace_sudo(host, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\n"$@"\ncat >/tmp/left\ntouch /tmp/ended\n')
    words = [station.binary, "history", "--target", "ops@h1", "--ask-sudo-pass"]
    seen = station.fleet.client.on_terminal(words, [("sudo password for ops@h1:", SUDO_PASSWORD)])
    wait_for(host.path("/tmp/ended").exists)
    assert host.path("/tmp/left").read_bytes() == b"" and not seen.unanswered, seen


def test_a_match_of_ssh_config_that_changes_its_answer_is_asked_once(make_workstation):
    """At first the login is a user's, who needs a password for sudo; then it would be root's."""
    station = make_workstation(1)
    asked, script = station.fleet.home / "asked", station.fleet.home / "ask"
    script.write_text(f"echo >>{asked}\ntest $(wc -l <{asked}) -gt 1\n")
    station.configure(f'Match host h1 exec "sh {script}"\n  User root\nMatch host h1\n  User ops\n')
    seen = station.fleet.client.on_terminal([station.binary, "history", "--target", "h1", "--ask-sudo-pass"],
                                            [("sudo password for h1:", SUDO_PASSWORD)])
    assert seen.returncode == 0 and not seen.unanswered and asked.read_text() == "\n", seen
    assert "Accepted publickey for ops" in station.hosts[0].sshd_log()


def test_a_target_gets_the_password_of_no_other(make_workstation):
    station = make_workstation(2)
    replace_sudo(station.hosts[1], "#!/bin/sh\nhead -n 1 >/tmp/stolen\nexit 1\n")
    words = [station.binary, "history", "--target", "ops@h1", "--target", "ops@h2", "--ask-sudo-pass"]
    seen = station.fleet.client.on_terminal(words, [("sudo password for ops@h1:", SUDO_PASSWORD),
                                                    ("sudo password for ops@h2:", "of the second")])
    assert seen.returncode == 9 and not seen.unanswered, seen
    assert station.hosts[1].path("/tmp/stolen").read_text() == "of the second\n"


def test_a_log_in_for_transfers_allows_nothing_else(make_workstation, packages, topsctl_release):
    station = make_workstation(1)
    host, = station.hosts
    host.copy_in(topsctl_release.resolve(), "/usr/local/bin/topsctl")
    home = "/home/free"
    keys = host.path(f"{home}/.ssh/authorized_keys")
    keys.write_text('command="/usr/local/bin/topsctl receive --transfer-only --dest /var/tmp/drop",restrict ' + keys.read_text())
    before = keys.read_text()
    done = station.json("transfer", packages, "free@h1", "--dest", "/var/tmp/drop/new")
    assert missing_at(host.root, "/var/tmp/drop/new", done["targets"][0], packages) == []
    elsewhere = station.json("transfer", keys.parent, "free@h1", "--all", "--dest", f"{home}/.ssh", code=4)
    assert elsewhere["error"]["code"] == "permission" and "/var/tmp/drop" in elsewhere["error"]["hint"], elsewhere
    deployed = station.json("deploy", packages, "free@h1", "--dest", "/var/tmp/drop/new", code=4)
    assert deployed["error"]["code"] == "permission" and "only transfers" in deployed["error"]["message"], deployed
    for words in (["id"], ["exec /bin/sh -c 'id'"], []):
        shell = station.fleet.client.run(["ssh", "-T", "free@h1", *words])
        assert shell.returncode == 4 and "uid=" not in shell.stdout and "accepts only transfers" in shell.stderr, shell
    assert station.fleet.client.run(["sftp", "-b", "-", "free@h1"], input="ls /\n").returncode != 0
    assert keys.read_text() == before and host.run(["dpkg", "-s", "tops-eccl"]).returncode != 0


def test_a_directory_in_the_place_of_a_report_hides_it_from_nobody(topsctl_host, bundle):
    for name in ("topsrider_install_report.json", "topsrider_install.log"):
        planted = topsctl_host.path(f"/tmp/{name}/full")
        planted.mkdir(parents=True)
        os.chown(planted.parent, FREE, FREE)
    packages = bundle(python=topsctl_host.python_minor(), only_needed=True)
    topsctl_host.copy_in(packages, "/srv/bundle")
    done = topsctl_host.run(["topsctl", "install", "/srv/bundle", "--allow-system-python", "--json"])
    document = json.loads(done.stdout)
    left = [warning.split("written to '")[1].partition("'")[0] for warning in document["warnings"] if "is a directory" in warning]
    assert len(left) == 2 and json.loads(topsctl_host.path(left[0]).read_text())["outcome"] == document["outcome"] == "committed"
