"""Tests of the fleets themselves, by OpenSSH's own client: who gets in and how, what is cut, and what is left."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hosts.client import Terminal
from hosts.storage import sweep
from hosts.users import LOGIN_PASSWORD, SUDO_PASSWORD
from support.waiting import wait_for

QUIET = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=2"]


@pytest.fixture
def fleet(make_fleet):
    return make_fleet()


def ssh(fleet, *argv, **options):
    return fleet.client.run(["ssh", *QUIET, *argv], **options)


def test_users_with_a_key_get_in_with_their_shells_and_sudo(fleet):
    for user, shell in (("root", "bash"), ("ops", "bash"), ("free", "bash"), ("fishy", "fish"), ("tcshy", "tcsh")):
        seen = ssh(fleet, f"{user}@h1", "echo $SHELL; id -un; sudo -n id -un; exit 7")
        lines = seen.stdout.split()
        assert lines[0].endswith(shell) and lines[1] == user, seen
        assert lines[2:] == ([] if user == "ops" else ["root"]) and seen.returncode == 7, seen
        assert "password is required" in seen.stderr if user == "ops" else seen.stderr == "", seen
    assert ssh(fleet, "pw@h1", "true").returncode == ssh(fleet, "kbd@h1", "true").returncode == 255


def test_a_terminal_answers_passwords(fleet):
    for user in ("pw", "kbd"):
        seen = fleet.client.on_terminal(["ssh", f"{user}@h1", "id -un; sudo id -un"],
                                        [("[Pp]assword: ", LOGIN_PASSWORD)])
        assert seen.returncode == 0 and seen.output.split()[-2:] == [user, "root"] and not seen.unanswered, seen
    methods = fleet.client.run(["ssh", *QUIET, "-v", "kbd@h1", "true"]).stderr
    assert "can continue: keyboard-interactive\n" in methods
    seen = fleet.client.on_terminal(["ssh", "-t", "ops@h1", "sudo id -un"], [(r"password for ops: ", SUDO_PASSWORD)])
    assert seen.returncode == 0 and "root" in seen.output.splitlines(), seen
    wrong = fleet.client.on_terminal(["ssh", "-o", "NumberOfPasswordPrompts=1", "pw@h1", "true"], [("assword: ", "wrong")])
    assert wrong.returncode == 255 and "denied" in wrong.output
    seen = fleet.client.on_terminal(["sh", "-c", "tty -s; echo $?"], [("never", "x")])
    assert seen == Terminal(0, "0\n", [("never", "x")])
    assert fleet.client.on_terminal(["stty", "size"]).output == "24 80\n"
    with pytest.raises(TimeoutError, match="never"):
        fleet.client.on_terminal(["sh", "-c", "echo so far; sleep 60"], [("never", "x")], timeout=0.5)


def test_hosts_have_their_own_roots_ports_names_and_keys(make_fleet):
    strict = "MaxSessions 0\nMatch User ops\n    MaxSessions 1\n    ForceCommand echo forced"
    fleet = make_fleet(3, each={1: {"port": 2222}, 2: {"known": False, "sshd_config": strict}})
    one, two, three = fleet.hosts
    assert ssh(fleet, "h1", "hostname; touch /srv/here").stdout == "h1\n"
    assert one.path("/srv/here").exists() and not two.path("/srv/here").exists()
    assert ssh(fleet, "h2", "echo $SSH_CONNECTION").stdout.split()[2:] == [two.address, "2222"]
    assert "verification failed" in ssh(fleet, "h3", "true").stderr
    assert "open failed" in ssh(fleet, "-o", "StrictHostKeyChecking=no", "h3", "true").stderr
    assert ssh(fleet, "-o", "StrictHostKeyChecking=no", "ops@h3", "true").stdout == "forced\n"
    shown = fleet.client.run(["ssh-keygen", "-l", "-F", "[10.77.0.12]:2222"]).stdout
    assert two.fingerprint.startswith("SHA256:") and two.fingerprint in shown
    before = one.fingerprint
    one.change_key()
    assert one.fingerprint != before and "IDENTIFICATION HAS CHANGED" in ssh(fleet, "h1", "true").stderr
    assert one.run(["ssh-keyscan", "-t", "ed25519", one.address]).stdout.split()[1:] == one.public_key.split()


def test_a_host_behind_another_is_reached_through_it_only(make_fleet):
    fleet = make_fleet(2, behind_jump=True)
    first, last = fleet.hosts
    assert last.jump is first and first.jump is None
    direct = ssh(fleet, "h2", "true")
    assert direct.returncode == 255 and "unreachable" in direct.stderr
    assert ssh(fleet, "-J", "free@h1", "ops@h2", "hostname; id -un").stdout.split() == ["h2", "ops"]
    last.cut()
    assert ssh(fleet, "h1", "hostname").stdout == "h1\n"
    # The ssh that it starts for the jump may outlive it, and has its output open.
    nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    assert ssh(fleet, "-J", "h1", "h2", "true", **nowhere).returncode == 255


def test_a_cut_host_is_silent_and_a_healed_one_goes_on(fleet):
    host, = fleet.hosts
    session = fleet.client.start(["ssh", *QUIET, "h1", "cat"], stdin=subprocess.PIPE)
    session.stdin.write("before\n")
    session.stdin.flush()
    assert session.stdout.readline() == "before\n"
    host.cut()
    assert "timed out" in ssh(fleet, "-o", "ConnectTimeout=1", "h1", "true").stderr
    session.stdin.write("meanwhile\n")
    session.stdin.flush()
    host.heal()
    assert session.stdout.readline() == "meanwhile\n"
    session.stdin.close()
    assert session.wait(10) == 0


def test_a_killed_session_leaves_its_command_and_a_stopped_sshd_refuses(fleet):
    host, = fleet.hosts
    session = fleet.client.start(["ssh", *QUIET, "h1", "echo ready; exec sleep 987"])
    assert session.stdout.readline() == "ready\n"
    assert host.kill_sessions() >= 1
    assert session.wait(10) == 255
    wait_for(lambda: [process.command for process in host.processes() if "sleep" in process.command] == ["sleep 987"])
    assert [process.command for process in host.kill("^sleep 987")] == ["sleep 987"]
    assert not [process for process in host.processes() if "sleep" in process.command]
    host.stop_sshd()
    assert "refused" in ssh(fleet, "h1", "true").stderr
    host.start_sshd()
    assert ssh(fleet, "h1", "true").returncode == 0


def test_what_a_process_was_given_is_seen(fleet):
    host, = fleet.hosts
    session = fleet.client.start(["ssh", *QUIET, "h1", "SECRET=abc sleep 988 & sleep 989"])
    wait_for(lambda: len([each for each in host.processes() if re.match("sleep 98[89]", each.command)]) == 2)
    secrets = {each.command: each.environ.get("SECRET") for each in host.processes()}
    assert (secrets["sleep 988"], secrets["sleep 989"]) == ("abc", None)
    host.kill("^sleep", signal.SIGTERM)
    session.communicate(timeout=10)


def test_an_agent_has_the_key(fleet):
    with fleet.agent() as environment:
        assert ssh(fleet, "h1", "true").returncode == 255
        assert ssh(fleet, "h1", "hostname", env=environment).stdout == "h1\n"
    assert ssh(fleet, "h1", "hostname").stdout == "h1\n"


def test_the_client_sees_this_machine_with_a_home_and_a_network_of_its_own(fleet, tmp_path):
    (tmp_path / "file").write_text("of this machine")
    seen = fleet.client.run(["sh", "-c", "cat file; echo; echo ~root $HOME; env | sort; cat /proc/net/dev; cat"],
                            cwd=tmp_path, env={"MORE": "1", "TERM": None}, input="given")
    lines = seen.stdout.splitlines()
    assert lines[:2] == ["of this machine", f"{fleet.home} {fleet.home}"] and lines[-1] == "given"
    assert "MORE=1" in lines and not [line for line in lines if line.startswith(("TERM", "SSH_A", "PYTEST"))]
    assert [line.split(":")[0].strip() for line in lines if re.match(r" *(lo|eth\d):", line)] == ["lo", "eth0"]
    with pytest.raises(subprocess.TimeoutExpired):
        fleet.client.run(["sh", "-c", "sleep 100 & sleep 100"], timeout=0.3)


KILLED = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from hosts.fleet import Fleet, options_of
from hosts.root_cache import enter_private_mounts
enter_private_mounts()
fleet = Fleet(Path(sys.argv[2]), Path(sys.argv[3]), {}, options_of(1, {}, {}))
fleet.client.start(["ssh", "h1", "sleep 986"])
while not fleet.hosts[0].kill("^sleep 986", 0):
    time.sleep(0.02)
print(*(process.pid for process in fleet.hosts[0].processes()), flush=True)
time.sleep(60)
"""


def test_nothing_outlives_a_run_that_is_killed(fleet_root, host_place):
    tests = Path(__file__).resolve().parent.parent
    run = subprocess.Popen([sys.executable, "-B", "-c", KILLED, tests, fleet_root, host_place], stdout=subprocess.PIPE)
    pids = run.stdout.readline().split()
    network = os.stat(f"/proc/{int(pids[0])}/ns/net").st_ino
    assert len(pids) >= 4
    run.kill()
    run.communicate()

    def left():
        return [link for link in Path("/proc").glob("[0-9]*/ns/net") if os.path.exists(link)
                and os.stat(link).st_ino == network]

    wait_for(lambda: not left())
    assert sweep(host_place) >= 2  # the home, and the root of the host
