"""Tests of the containers of a fleet's hosts: what one enters over SSH and docker is a real one."""

import pytest


@pytest.fixture
def fleet(make_fleet, fleet_root):
    if not (fleet_root / "usr/bin/podman").exists():
        pytest.skip("the release of the hosts has no podman")
    return make_fleet()


def ssh(fleet, user, command, **options):
    return fleet.client.run(["ssh", "-o", "BatchMode=yes", f"{user}@h1", command], **options)


def test_a_container_is_entered_over_ssh(fleet):
    host, = fleet.hosts
    box = host.add_container("topsrider")
    seen = ssh(fleet, "root", "docker exec -i -e GIVEN=value topsrider "
                              "sh -c 'hostname; echo $GIVEN; cat > /srv/sent; exit 5'", input="sent")
    assert (seen.returncode, seen.stdout) == (5, "topsrider\nvalue\n"), seen
    assert box.path("/srv/sent").read_text() == "sent" and not host.path("/srv/sent").exists()
    assert ssh(fleet, "root", "docker inspect --format '{{.State.Running}}' topsrider").stdout == "true\n"
    assert ssh(fleet, "root", "docker container inspect --format '{{.Name}}' topsrider").stdout == "topsrider\n"
    assert ssh(fleet, "free", "sudo docker exec topsrider id -u").stdout == "0\n"
    assert ssh(fleet, "free", "docker exec topsrider true").returncode == 125
    assert "no such container" in ssh(fleet, "root", "docker exec another true").stderr
    assert [each.command for each in host.processes() if "infinity" in each.command] == ["sleep infinity"]
    assert int(box.run(["sh", "-c", "ls /proc | grep -c '^[0-9]'"]).stdout) <= 4


def test_containers_are_separate_and_can_be_stopped(fleet):
    host, = fleet.hosts
    one, other = host.add_container("one"), host.add_container("other")
    one.path("/srv/mark").write_text("of the test\n")
    assert one.run(["cat", "/srv/mark"]).stdout == "of the test\n"
    assert other.run(["cat", "/srv/mark"]).returncode == 1
    one.stop()
    assert ssh(fleet, "root", "docker inspect --format '{{.State.Running}}' one").stdout == "false\n"
    assert ssh(fleet, "root", "docker exec one true").returncode != 0
    one.start()
    assert one.run(["cat", "/srv/mark"]).stdout == "of the test\n"
