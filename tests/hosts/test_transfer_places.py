"""Where transfers put things: other file systems, homes that take no program, machines that fit none, and several runs at once."""

import os
import random
from pathlib import Path

import pytest

from faults.transfer_cuts import verified_bytes
from hosts import kernel
from hosts.workstation import CACHE, CHUNK, DESTINATION, digest_of, events_in, missing_at, sent, statuses
from support.waiting import wait_for


@pytest.fixture
def large(tmp_path):
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / "large.bin").write_bytes(random.Random(11).randbytes(8 * CHUNK + 1))
    return folder


@pytest.fixture
def mounted(tmp_path):
    """mounted(flags) -> a file system in memory of its own."""
    places = []

    def make(flags=0, size="300m"):
        places.append(tmp_path / f"disk{len(places)}")
        places[-1].mkdir()
        kernel.mount("tmpfs", places[-1], "tmpfs", flags, f"size={size},mode=700")
        return places[-1]

    yield make
    for place in places:
        kernel.unmount(place, kernel.MNT_DETACH)


def assert_sent(station, document, bundle, destination=DESTINATION):
    assert document["targets"][0]["status"] == "done", document
    assert missing_at(station.hosts[0].root, destination, document["targets"][0], bundle) == []


def programs(host):
    return sorted(str(path.relative_to(host.root)) for place in ("root", "home", "var/tmp", "opt", "dev/shm")
                  for path in host.path(place).rglob("bin/*/topsctl"))


def test_a_home_where_no_program_may_run_is_passed_over(make_workstation, packages, mounted):
    station = make_workstation(1)
    host, = station.hosts
    disk = mounted(kernel.MS_NOEXEC)
    host.show(disk, Path(CACHE).parent)
    document = station.json("transfer", packages, "root@h1")
    assert_sent(station, document, packages)
    assert [path.rsplit("/", 2)[0] for path in programs(host)] == ["var/tmp/topsctl-0/bin"]
    assert host.path("/var/tmp/topsctl-0").stat().st_mode & 0o777 == 0o700
    assert not list(disk.rglob("topsctl")) or not [path for path in disk.rglob("topsctl") if path.is_file()]
    again = station.json("transfer", packages, "root@h1")
    assert sent(again["targets"][0]) == 0 and len(programs(host)) == 1


def test_a_home_that_may_not_be_written_to_is_passed_over(make_workstation, packages):
    station = make_workstation(1)
    host, = station.hosts
    os.chown(host.path("/home/free"), 0, 0)
    document = station.json("transfer", packages, "free@h1")
    assert_sent(station, document, packages)
    assert programs(host)[0].startswith("var/tmp/topsctl-2001/bin/")
    assert sent(station.json("transfer", packages, "free@h1")["targets"][0]) == 0


def test_another_file_system_holds_what_is_received_for_it(make_workstation, large, mounted):
    station = make_workstation(1)
    host, = station.hosts
    disk = mounted()
    host.show(disk, "/srv/disk")
    document = station.json("transfer", large, "root@h1", "--all", "--dest", "/srv/disk/here")
    target, = document["targets"]
    assert target["status"] == "done" and digest_of(disk / "here" / "large.bin") == digest_of(large / "large.bin")
    assert (disk / "here").stat().st_mode & 0o777 == 0o700 and (disk / "here" / ".topsctl").stat().st_mode & 0o777 == 0o700
    assert not list(host.path(CACHE).glob("received/*/*"))
    again = station.json("transfer", large, "root@h1", "--all", "--dest", "/srv/disk/here")
    assert sent(again["targets"][0]) == 0


def test_a_disk_without_room_is_told_before_anything_is_sent(make_workstation, large, mounted):
    station = make_workstation(1)
    host, = station.hosts
    disk = mounted(size="60m")
    host.show(disk, "/srv/disk")
    document = station.json("transfer", large, "root@h1", "--all", "--dest", "/srv/disk/here", code=4)
    error = document["targets"][0]["error"]
    assert error["code"] == "no_space" and "/srv/disk/here" in error["message"] and error["hint"], document
    assert not [path for path in disk.rglob("*") if path.is_file() and path.stat().st_blocks > 8]


def test_a_file_system_that_is_read_only_is_told(make_workstation, packages, mounted):
    station = make_workstation(1)
    station.hosts[0].show(mounted(kernel.MS_RDONLY), "/srv/disk")
    document = station.json("transfer", packages, "root@h1", "--dest", "/srv/disk/here", code=4)
    assert document["targets"][0]["error"]["code"] == "permission", document


@pytest.mark.parametrize("system, machine", [("Linux", "aarch64"), ("Darwin", "x86_64")])
def test_a_machine_of_another_kind_is_told_apart(make_workstation, packages, system, machine):
    station = make_workstation(1)
    host, = station.hosts
    host.path("/usr/local/bin/uname").write_text(f"#!/bin/sh\ncase $1 in -s) echo {system};; *) echo {machine};; esac\n")
    host.path("/usr/local/bin/uname").chmod(0o755)
    document = station.json("transfer", packages, "root@h1", code=4)
    error = document["targets"][0]["error"]
    assert error["code"] == "host_unfit" and f"{system} {machine}" in error["message"], document
    assert programs(host) == [] and not host.path(DESTINATION).exists()


def test_a_machine_without_a_way_to_check_the_program_is_told(make_workstation, packages):
    station = make_workstation(1)
    host, = station.hosts
    host.path("/usr/bin/sha256sum").unlink()
    document = station.json("transfer", packages, "root@h1", code=4)
    assert "sha256sum" in document["targets"][0]["error"]["hint"], document
    assert programs(host) == []


def test_several_runs_at_once_do_each_other_no_harm(make_workstation, large, packages):
    station = make_workstation(1)
    host, = station.hosts
    runs = [station.start("transfer", *words, "root@h1") for words in (
        (large, "--all"), (large, "--all"), (large, "--all", "--dest", "/srv/other"), (packages, "--dest", "/srv/packages"))]
    documents = [station.finished("transfer", run)[0] for run in runs]
    for document, (folder, place) in zip(documents, ((large, DESTINATION), (large, DESTINATION), (large, "/srv/other"),
                                                     (packages, "/srv/packages"))):
        assert_sent(station, document, folder, place)
    assert not list(host.path(f"{CACHE}/received/parts").iterdir())
    assert len(programs(host)) == 1
    assert [path.name for path in host.path(f"{CACHE}/bin").iterdir()] == [programs(host)[0].split("/")[-2]]


def test_a_file_that_changes_while_it_is_sent_is_not_taken_for_what_it_was(make_workstation, large):
    station = make_workstation(1)
    with open(large.parent / "events", "w", encoding="utf-8") as events:
        run = station.start("transfer", large, "root@h1", "--all", "--limit-rate", "8M", "--connections", "1", stderr=events)
    wait_for(lambda: verified_bytes(events_in((large.parent / "events").read_text())) > 0 or run.poll() is not None)
    with open(large / "large.bin", "r+b") as file:
        file.seek(7 * CHUNK)
        file.write(b"changed")
    document, _ = station.finished("transfer", run, code=[3, 6])
    error = document["targets"][0]["error"]
    assert "changed" in error["message"] + error["hint"], error
    assert not (station.hosts[0].path(DESTINATION) / "large.bin").exists()
    document = station.json("transfer", large, "root@h1", "--all")
    assert_sent(station, document, large)
    assert statuses(document) == {"root@h1": "done"}
