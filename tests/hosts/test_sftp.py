"""Transfers to hosts that let one send files and run nothing: SFTP that is forced, a shell that ends at once, a jail."""

import os
import random
import time

import pytest

from hosts import kernel
from hosts.fleet_host import CONFIG
from hosts.users import USERS, User
from hosts.workstation import CHUNK, DESTINATION, Workstation, by_target, missing_at, sent, statuses

NO_SHELL = "/usr/sbin/nologin"
JAIL = "/srv/jail"
SLOW_SHELL = "/usr/local/bin/slow-sh"
OTHERS = (User("files", sudo=None), User("noshell", shell=NO_SHELL, sudo=None), User("jailed", shell=NO_SHELL, sudo=None),
          User("slow", shell=SLOW_SHELL, sudo=None))
RULES = ["Match User files", "    ForceCommand internal-sftp",
         "Match User jailed", "    ForceCommand internal-sftp", f"    ChrootDirectory {JAIL}"]


@pytest.fixture
def make_station(make_fleet, topsctl_release, schema):
    """make_station() -> Workstation with one host, which has the users above and serves SFTP without a program."""
    def make():
        station = Workstation(make_fleet(1, users=USERS + OTHERS, sshd_config=RULES), topsctl_release, schema)
        host, = station.hosts
        config = host.path(CONFIG)
        config.write_text(config.read_text().replace("Subsystem sftp /usr/lib/openssh/sftp-server",
                                                     "Subsystem sftp internal-sftp"))
        host.path(SLOW_SHELL).write_text('#!/bin/sh\nsleep 4\nexec /bin/sh "$@"\n')
        host.path(SLOW_SHELL).chmod(0o755)
        upload = host.path(f"{JAIL}/upload")
        upload.mkdir(parents=True)
        owner = host.path("/home/jailed").stat().st_uid
        os.chown(upload, owner, owner)
        host.stop_sshd()
        host.start_sshd()
        return station
    return make


@pytest.fixture
def station(make_station):
    return make_station()


@pytest.fixture
def large(tmp_path):
    """A folder to be sent with --all: 24 MiB that nobody compresses, and a little in a folder below."""
    folder = tmp_path / "large"
    (folder / "below").mkdir(parents=True)
    (folder / "one.bin").write_bytes(random.Random(3).randbytes(6 * CHUNK + 5))
    (folder / "below" / "small name, with: signs").write_text("a little")
    (folder / "empty").write_text("")
    return folder


def assert_whole(document, bundle, root, destination=DESTINATION):
    target, = document["targets"]
    assert target["status"] == "done" and target["method"] == "sftp" and document["error"] is None, document
    assert missing_at(root, destination, target, bundle) == []


def part_of(host, name="one.bin"):
    return host.path(f"{DESTINATION}/.{name}.topsctl-part")


def grown(part, size, seconds=60):
    """Waits until the part has so many bytes."""
    deadline = time.monotonic() + seconds
    while not (part.exists() and part.stat().st_size >= size):
        assert time.monotonic() < deadline, "the part does not grow"
        time.sleep(0.01)


@pytest.mark.parametrize("user, destination, seen", [
    ("files", DESTINATION, DESTINATION),
    ("noshell", DESTINATION, DESTINATION),
    ("jailed", "/upload/deep/below", f"{JAIL}/upload/deep/below"),
])
def test_all_files_arrive_and_nothing_is_sent_again(station, large, user, destination, seen):
    host, = station.hosts
    document = station.json("transfer", large, f"{user}@h1", "--all", "--dest", destination)
    assert_whole(document, large, host.root, seen)
    target, = document["targets"]
    assert sent(target) == sum(file["size"] for file in target["files"]) > 0 and target["connections"] == 1
    owner = host.path(f"/home/{user}").stat().st_uid
    assert {path.stat().st_uid for path in host.path(seen).rglob("*")} == {owner}
    assert not host.path(f"/home/{user}/.cache").exists()
    again = station.json("transfer", large, f"{user}@h1", "--all", "--dest", destination)
    assert_whole(again, large, host.root, seen)
    target, = again["targets"]
    assert sent(target) == 0 and target["connections"] == 0 and all(file["reused"] for file in target["files"])
    text = station.topsctl("transfer", large, f"{user}@h1", "--all", "--dest", destination)
    assert text.code == 0 and "via SFTP" in text.out, text


def test_the_packages_of_a_stack_go_to_targets_of_both_kinds_in_one_run(station, packages):
    host, = station.hosts
    document = station.json("transfer", packages, "jailed@h1", "root@h1", "--dest", "/upload/of")
    targets = by_target(document)
    assert {name: target["method"] for name, target in targets.items()} == {"jailed@h1": "sftp", "root@h1": "topsctl"}
    assert missing_at(host.path(JAIL), "/upload/of", targets["jailed@h1"], packages) == []
    assert missing_at(host.root, "/upload/of", targets["root@h1"], packages) == []
    missing = station.json("transfer", packages, "root@h1", "jailed@h1", "--dest", "/of", code=9)
    assert statuses(missing) == {"root@h1": "done", "jailed@h1": "failed"}
    error = by_target(missing)["jailed@h1"]["error"]
    assert error["code"] == "permission" and "--dest" in error["hint"] and by_target(missing)["jailed@h1"]["method"] is None


def test_a_dry_run_makes_nothing_there(station, large):
    host, = station.hosts
    document = station.json("transfer", large, "files@h1", "--all", "--dry-run")
    target, = document["targets"]
    assert target["status"] == "planned" and target["method"] == "sftp" and sent(target) == 0
    assert not host.path(DESTINATION).exists()


def test_a_killed_transfer_goes_on_with_the_chunks_that_are_missing(station, large):
    host, = station.hosts
    process = station.start("transfer", large, "files@h1", "--all", "--limit-rate", "8M")
    grown(part_of(host), 2 * CHUNK + 1)
    process.kill()
    process.communicate()
    assert not host.path(f"{DESTINATION}/one.bin").exists()
    document = station.json("transfer", large, "files@h1", "--all")
    assert_whole(document, large, host.root)
    one, = (file for file in document["targets"][0]["files"] if file["name"] == "one.bin")
    assert one["resumed_at"] >= 2 * CHUNK and one["sent_bytes"] == one["size"] - one["resumed_at"]


def test_a_flipped_byte_of_a_part_is_found_and_its_chunk_alone_sent_again(station, large):
    host, = station.hosts
    process = station.start("transfer", large, "files@h1", "--all", "--limit-rate", "8M")
    grown(part_of(host), 3 * CHUNK)
    process.kill()
    process.communicate()
    with open(part_of(host), "r+b") as part:
        part.seek(CHUNK + 17)
        byte = part.read(1)
        part.seek(CHUNK + 17)
        part.write(bytes([byte[0] ^ 1]))
    there = part_of(host).stat().st_size // CHUNK
    document = station.json("transfer", large, "files@h1", "--all")
    assert_whole(document, large, host.root)
    one, = (file for file in document["targets"][0]["files"] if file["name"] == "one.bin")
    # Chunks grow one after the other, and the last whole one may still have holes.
    assert (there - 2) * CHUNK <= one["resumed_at"] <= (there - 1) * CHUNK


def test_a_lost_connection_is_tried_again(station, large):
    host, = station.hosts
    process = station.start("transfer", large, "files@h1", "--all", "--limit-rate", "8M")
    grown(part_of(host), 2 * CHUNK)
    assert host.kill_sessions() > 0
    document, _ = station.finished("transfer", process)
    assert_whole(document, large, host.root)
    assert document["targets"][0]["retries"] >= 1


def test_a_planted_link_or_a_folder_of_others_is_refused(station, packages):
    host, = station.hosts
    owner = host.path("/home/files").stat().st_uid
    outside = host.path("/srv/outside")
    outside.mkdir()
    os.chown(outside, owner, owner)
    host.path(DESTINATION).symlink_to("/srv/outside")
    refused = station.json("transfer", packages, "files@h1", code=4)
    assert refused["error"]["code"] == "permission" and "link" in refused["error"]["message"]
    assert list(outside.iterdir()) == []
    host.path(DESTINATION).unlink()
    host.path(DESTINATION).mkdir(mode=0o700)
    refused = station.json("transfer", packages, "files@h1", code=4)
    assert refused["error"]["code"] == "permission"
    host.path(DESTINATION).rmdir()
    host.path(DESTINATION).mkdir(mode=0o755)
    os.chown(host.path(DESTINATION), owner + 1, owner + 1)
    host.path(DESTINATION).chmod(0o777)
    refused = station.json("transfer", packages, "files@h1", code=4)
    assert refused["error"]["code"] == "permission" and "other users" in refused["error"]["message"]
    assert list(host.path(DESTINATION).iterdir()) == []


@pytest.fixture
def small(tmp_path):
    """small(host, mebibytes) -> a folder that a host shows as /srv/small, on a file system of that size."""
    place = tmp_path / "small"

    def make(host, mebibytes):
        place.mkdir()
        kernel.mount("tmpfs", str(place), "tmpfs", 0, f"size={mebibytes}m,mode=1777")
        host.show(str(place), "/srv/small")
        return place

    yield make
    kernel.unmount(str(place), kernel.MNT_DETACH)


def test_a_file_system_without_room_is_told_before_anything_is_sent(station, large, small):
    place = small(station.hosts[0], 8)
    refused = station.json("transfer", large, "files@h1", "--all", "--dest", "/srv/small/in", code=4)
    assert refused["error"]["code"] == "no_space" and "free" in refused["error"]["message"]
    assert list((place / "in").iterdir()) == []


def test_a_file_system_that_others_fill_meanwhile_is_told_and_what_has_arrived_is_kept(station, large, small):
    host, = station.hosts
    place = small(host, 40)
    process = station.start("transfer", large, "files@h1", "--all", "--dest", "/srv/small/in", "--limit-rate", "8M")
    grown(place / "in" / ".one.bin.topsctl-part", 2 * CHUNK)
    with pytest.raises(OSError), open(place / "filler", "wb", buffering=0) as filler:
        while True:
            filler.write(bytes(1 << 16))
    document, _ = station.finished("transfer", process, code=4)
    assert document["error"]["code"] == "no_space", document
    assert not (place / "in" / "one.bin").exists()
    (place / "filler").unlink()
    again = station.json("transfer", large, "files@h1", "--all", "--dest", "/srv/small/in")
    one, = (file for file in again["targets"][0]["files"] if file["name"] == "one.bin")
    assert one["resumed_at"] >= CHUNK and (place / "in" / "one.bin").read_bytes() == (large / "one.bin").read_bytes()


@pytest.mark.parametrize("user", ["files", "noshell"])
def test_commands_that_run_something_there_say_that_they_cannot(station, packages, user):
    host, = station.hosts
    for words in (("deploy", packages, f"{user}@h1"), ("transfer", packages, f"{user}@h1/box")):
        refused = station.json(*words, code=4)
        error = refused["targets"][0]["error"]
        assert error["code"] == "host_unfit" and "cannot run programs" in error["message"] and error["hint"], refused
    outcome = station.topsctl("history", "--target", f"{user}@h1")
    assert outcome.code == 4 and "cannot run programs" in outcome.out + outcome.err, outcome
    assert not host.path(DESTINATION).exists()


def test_a_shell_that_is_slow_still_runs_programs(station, packages):
    host, = station.hosts
    document = station.json("transfer", packages, "slow@h1")
    target, = document["targets"]
    assert target["method"] == "topsctl" and missing_at(host.root, DESTINATION, target, packages) == []
