"""Tests of the long line and the sshd that need no root."""

import subprocess
import time

import pytest

from support.delay_proxy import delay_proxy
from support.own_sshd import unprivileged_sshd

pytestmark = pytest.mark.whole  # of the proxy itself, which benchmarks use


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with unprivileged_sshd(tmp_path_factory.mktemp("own") / "sshd") as running:
        yield running


def seconds(action):
    start = time.monotonic()
    assert action().returncode == 0
    return time.monotonic() - start


def test_an_sshd_runs_as_whoever_started_it(server):
    seen = server.ssh("id -un; echo $HOME; exit 3")
    assert (seen.returncode, seen.stdout) == (3, f"{server.user}\n{server.home}\n"), seen
    assert server.ssh("cat", input="given").stdout == "given"


def test_a_delay_is_felt_and_the_bytes_arrive(server, tmp_path):
    (tmp_path / "sent").write_bytes(bytes(range(256)) * (1 << 16))
    near = min(seconds(lambda: server.ssh("true")) for _ in range(3))
    try:
        with delay_proxy(server.port, 40) as proxy:
            server.write_client_files(proxy.port)
            # Five round trips at least: versions, key exchange, authentication, channel, command.
            assert seconds(lambda: server.ssh("true")) > near / 2 + 0.2
            with open(tmp_path / "sent", "rb") as sent:
                server.ssh(f"cat > {tmp_path}/got", stdin=sent, check=True)
    finally:
        server.write_client_files(server.port)
    assert (tmp_path / "got").read_bytes() == (tmp_path / "sent").read_bytes()


def test_a_cut_line_is_silent_and_a_healed_one_goes_on(server):
    try:
        with delay_proxy(server.port, 2) as proxy:
            server.write_client_files(proxy.port)
            session = subprocess.Popen(["ssh", "-F", server.config, "own", "cat"], text=True, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for line, change in (("before\n", None), ("meanwhile\n", proxy.heal)):
                session.stdin.write(line)
                session.stdin.flush()
                if change:
                    with pytest.raises(subprocess.TimeoutExpired):
                        session.wait(0.3)
                    change()
                assert session.stdout.readline() == line
                proxy.cut()
            proxy.heal()
            assert server.kill_sessions() >= 1
            session.communicate()
            assert session.returncode == 255
    finally:
        server.write_client_files(server.port)
