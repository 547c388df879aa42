"""Transfers by --relay: targets feed each other, and what they cannot bring each other comes from the workstation."""

import random
import time

import pytest

from hosts.workstation import CACHE, CHUNK, DESTINATION, by_target, missing_at, sent, statuses

CHUNKS = 12
SIZE = CHUNKS * CHUNK + 5


@pytest.fixture
def large(tmp_path):
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / "one.bin").write_bytes(random.Random(1).randbytes(SIZE))
    (folder / "small").write_text("a little")
    return folder


def relayed(target):
    return sum(file["relayed_bytes"] for file in target["files"])


def assert_whole(document, bundle, hosts):
    assert set(statuses(document).values()) == {"done"} and document["error"] is None, document
    for host in hosts:
        assert missing_at(host.root, DESTINATION, by_target(document)[f"root@{host.name}"], bundle) == [], host.name


def targets_of(hosts):
    return [f"root@{host.name}" for host in hosts]


def separate(fleet, hosts):
    """From here on these hosts cannot reach each other; the workstation reaches them all."""
    for host in hosts:
        fleet.network.ip(host.links[0].machine, *(f"route add unreachable {other.address}/32"
                                                  for other in hosts if other is not host))


def test_the_workstation_sends_everything_once_and_the_targets_feed_each_other(make_workstation, large):
    station = make_workstation(4)
    targets = targets_of(station.hosts)
    # Whoever comes when the others are done has nobody to be fed by: all have topsctl, and the head is not quick.
    station.json("transfer", large / "small", *targets, "--all", "--dest", "/tmp/first")
    document = station.json("transfer", large, *targets, "--all", "--relay", "--limit-rate", "8M")
    assert_whole(document, large, station.hosts)
    heads = [target for target in document["targets"] if target["fed_by"] is None]
    total = SIZE  # "small" is there already
    assert [sent(head) for head in heads] == [total], document
    fed = [target for target in document["targets"] if target["fed_by"]]
    assert [(sent(target), relayed(target)) for target in fed] == [(0, total)] * 3, document
    # A chain: nobody feeds two.
    assert len({target["fed_by"] for target in fed}) == 3
    again = station.json("transfer", large, *targets, "--all", "--relay")
    assert all(sent(target) == relayed(target) == 0 for target in again["targets"])


def test_targets_that_cannot_reach_each_other_are_sent_to_directly(make_workstation, large):
    station = make_workstation(3)
    separate(station.fleet, station.hosts)
    document = station.json("transfer", large, *targets_of(station.hosts), "--all", "--relay")
    assert_whole(document, large, station.hosts)
    assert all(relayed(target) == 0 and sent(target) >= SIZE for target in document["targets"]), document


@pytest.mark.long
def test_a_link_that_breaks_on_the_way_is_made_up_for_directly(make_workstation, large):
    station = make_workstation(3)
    targets = targets_of(station.hosts)
    station.json("transfer", large / "small", *targets, "--all", "--dest", "/tmp/first")  # carries topsctl there
    process = station.start("transfer", large, *targets, "--all", "--relay", "--limit-rate", "12M")
    wait_for_a_chunk(station.hosts)
    separate(station.fleet, station.hosts)
    document, _ = station.finished("transfer", process)
    assert_whole(document, large, station.hosts)
    assert all(sent(target) + relayed(target) >= SIZE for target in document["targets"]), document
    assert any(0 < relayed(target) < SIZE for target in document["targets"]), document


@pytest.mark.whole
def test_a_feeder_that_dies_takes_nobody_with_it(make_workstation, large):
    station = make_workstation(3)
    targets = targets_of(station.hosts)
    station.json("transfer", large / "small", *targets, "--all", "--dest", "/tmp/first")
    process = station.start("transfer", large, *targets, "--all", "--relay", "--limit-rate", "12M")
    wait_for_a_chunk(station.hosts)
    for host in station.hosts[:2]:
        host.kill("topsctl receive")
    document, _ = station.finished("transfer", process)
    assert_whole(document, large, station.hosts)
    assert any(target["retries"] for target in document["targets"])


def test_deployments_are_fed_too(make_workstation, bundle):
    station = make_workstation(3)
    packages = bundle(python="3.9", only_needed=True)
    document = station.json("deploy", packages, *targets_of(station.hosts), "--relay", "--limit-rate", "400K",
                            "--allow-system-python")
    assert set(statuses(document).values()) == {"done"}, document
    total = sum(file["size"] for file in document["targets"][0]["files"])
    assert sum(sent(target) for target in document["targets"]) == total
    assert sum(relayed(target) for target in document["targets"]) == 2 * total


def wait_for_a_chunk(hosts, deadline_s=60):
    """Until each host has the marks of at least two chunks."""
    begun = time.monotonic()
    while not all(_marks(host) >= 2 for host in hosts):
        assert time.monotonic() - begun < deadline_s, "no chunk arrives"
        time.sleep(0.02)


def _marks(host):
    marks = [path.read_bytes() for path in host.path(f"{CACHE}/received/parts").glob("*.marks")]
    return sum(any(mark[at:at + 32]) for mark in marks for at in range(0, len(mark), 32))
