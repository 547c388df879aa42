"""Links that are lost behind a jump host, where no connection of the client's own tells of it."""

import random

import pytest

from faults.transfer_cuts import verified_bytes
from hosts.workstation import CHUNK, DESTINATION, Workstation, events_in, missing_at
from support.waiting import wait_for

SOON = 120  # seconds; TCP alone would wait for a quarter of an hour


@pytest.fixture
def run(make_fleet, topsctl_release, schema, tmp_path):
    """A transfer through a jump host that has come a part of its way: (Workstation, Popen, bundle)."""
    station = Workstation(make_fleet(2, behind_jump=True), topsctl_release, schema)
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "large.bin").write_bytes(random.Random(9).randbytes(30 * CHUNK))
    with open(tmp_path / "events", "w", encoding="utf-8") as events:
        process = station.start("transfer", tmp_path / "bundle", "root@h2", "-J", "root@h1", "--all", "--limit-rate", "40M",
                                "--connect-timeout", "5", stderr=events)
    wait_for(lambda: verified_bytes(events_in((tmp_path / "events").read_text())) > 5 * CHUNK or process.poll() is not None)
    return station, process, tmp_path / "bundle"


@pytest.mark.long
def test_a_link_that_is_lost_behind_a_jump_host_is_noticed(run):
    station, process, bundle = run
    station.hosts[1].cut()
    process.wait(SOON)
    assert process.returncode == 6, process.stdout.read()
    station.hosts[1].heal()
    document = station.json("transfer", bundle, "root@h2", "-J", "root@h1", "--all")
    assert missing_at(station.hosts[1].root, DESTINATION, document["targets"][0], bundle) == []
    assert document["targets"][0]["files"][0]["resumed_at"] > 5 * CHUNK


def test_sessions_of_a_jump_host_that_are_killed_are_connected_anew(run):
    station, process, bundle = run
    station.hosts[0].kill_sessions()
    document = station.finished("transfer", process)[0]
    assert document["targets"][0]["retries"] >= 1
    assert missing_at(station.hosts[1].root, DESTINATION, document["targets"][0], bundle) == []
