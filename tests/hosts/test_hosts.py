"""Tests of the hosts themselves: each is clean, separate, quick to make, and shows a command what a machine would."""

import signal
import subprocess
import time

import pytest


def test_a_clean_host_costs_under_a_second(make_host):
    make_host()  # the first one may have to read the root from disk
    start = time.monotonic()
    make_host()
    assert time.monotonic() - start < 1


def test_what_one_host_changes_no_other_sees(make_host, test_root):
    one, other = make_host(), make_host()
    assert one.run(["sh", "-c", "echo changed > /etc/motd; rm /etc/hostname"]).returncode == 0
    assert one.path("/etc/motd").read_text() == "changed\n"
    assert not one.path("/etc/hostname").exists()
    assert not other.path("/etc/motd").exists() or other.path("/etc/motd").read_text() != "changed\n"
    assert other.path("/etc/hostname").exists() and (test_root / "etc/hostname").exists()


def test_a_command_is_in_its_own_namespaces(host):
    seen = host.run(["sh", "-c", "ls -d /proc/[0-9]* | wc -l; cat /proc/net/dev; hostname"])
    lines = seen.stdout.splitlines()
    assert int(lines[0]) <= 5
    assert [line.split(":")[0].strip() for line in lines[3:-1]] == ["lo"]
    assert lines[-1] == "t20"


def test_the_loopback_and_the_devices_work(host):
    code = ("import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(1);"
            "socket.create_connection(s.getsockname());"
            "socket.gethostbyname(socket.gethostname()); open('/dev/null', 'w').write('x');"
            "open('/dev/shm/x', 'w').write('x'); import pty; pty.openpty()")
    done = host.run(["python3", "-c", code])
    assert (done.returncode, done.stderr) == (0, "")


def test_status_output_and_signals_come_back_as_from_subprocess(host):
    assert host.run(["sh", "-c", "echo out; echo err >&2; exit 3"]).returncode == 3
    assert host.run(["sh", "-c", "kill -SEGV $$"]).returncode == -signal.SIGSEGV
    assert host.run(["no-such-command"]).returncode == 127
    assert host.run(["cat"], input="given").stdout == "given"
    assert host.run(["cat"]).stdout == ""
    assert host.run(["sh", "-c", "echo $ONE$HOME"], env={"ONE": "1", "HOME": None}).stdout == "1\n"
    assert host.run(["id", "-u"], user=65534).stdout == "65534\n"
    with pytest.raises(subprocess.CalledProcessError):
        host.run(["false"], check=True)


def test_a_login_shell_reads_the_profile(host):
    host.path("/etc/profile.d/greeting.sh").write_text("export GREETING='from the profile'\n")
    for shell in ("sh", "bash"):
        assert host.login_shell('echo "$GREETING"', shell=shell).stdout == "from the profile\n"


def test_a_timeout_ends_all_that_was_started(host):
    with pytest.raises(subprocess.TimeoutExpired):
        host.run(["sh", "-c", "sleep 1000 & sleep 1000"], timeout=1)


def test_a_background_process_ends_with_its_command(host):
    assert host.run(["sh", "-c", "nohup sleep 1000 >/dev/null 2>&1 & exit 0"]).returncode == 0


def test_a_started_command_can_be_told_to_stop_and_be_killed(host):
    polite = host.start(["sh", "-c", "trap 'echo stopping; exit 5' TERM; echo ready; while :; do sleep 0.05; done"])
    assert polite.stdout.readline() == "ready\n"
    polite.terminate()
    assert polite.communicate(timeout=10)[0] == "stopping\n"
    assert polite.returncode == 5
    killed = host.start(["sh", "-c", "echo ready; sleep 1000"])
    assert killed.stdout.readline() == "ready\n"
    killed.kill()
    killed.communicate(timeout=10)
    assert killed.returncode == -signal.SIGKILL


def test_hard_links_stay_whole_when_one_name_is_written(host):
    assert host.run(["sh", "-c", "cd /opt; echo 1 > a; ln a b; echo 2 > a; cat b"]).stdout == "2\n"
    lower = host.run(["find", "/usr", "-xdev", "-type", "f", "-links", "+1"]).stdout.splitlines()
    if lower:
        links = host.path(lower[0]).stat().st_nlink
        host.run(["chmod", "g+w", lower[0]])
        assert host.path(lower[0]).stat().st_nlink == links


def test_dpkg_and_python_work_inside(host):
    assert host.run(["dpkg", "--audit"]).returncode == 0
    assert host.run(["dpkg-query", "-W", "-f", "${Status}", "python3"]).stdout == "install ok installed"
    assert host.python_minor().startswith("3.")
    assert host.run(["python3", "-m", "pip", "--version"]).returncode == 0


def test_files_can_be_copied_in(host, tmp_path):
    (tmp_path / "tree" / "below").mkdir(parents=True)
    (tmp_path / "tree" / "below" / "file").write_text("content")
    host.copy_in(tmp_path / "tree", "/opt/tree")
    assert host.run(["cat", "/opt/tree/below/file"]).stdout == "content"
    host.install_binary("/bin/true")
    assert host.run(["ls", "-l", "/usr/local/bin/topsctl"]).stdout.startswith("-rwxr-xr-x")


@pytest.mark.whole
def test_a_copied_host_is_the_same_and_no_overlay(make_host):
    overlay, copy = make_host(), make_host(kind="copy")
    # A copy keeps what the overlay shows; only directory times of the top are made anew.
    assert overlay.digest().diff(copy.digest()) == []
    assert copy.run(["true"]).returncode == 0
