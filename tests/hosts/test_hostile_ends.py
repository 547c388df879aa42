"""What others may have planted: names in a bundle, folders and programs at the far end, and a far end that lies."""

import hashlib
import os
import random
import re
import time
from contextlib import suppress

import pytest

from hosts.users import USERS, User
from hosts.workstation import CACHE, CHUNK, DESTINATION, missing_at, statuses

LIAR = "/usr/local/bin/liar"
OPS, FREE = 2000, 2001  # ids of two of the users
# Says first what the one at the other end waits for: the word is in the command line that it was given.
SPEAKS = "#!/bin/bash\nword=$(printf %s \"$2\" | grep -o 'topsctl-[0-9a-f]\\{24\\}' | head -n 1)\n"
LIES = {
    "nothing": "exit 0",
    "one long line": "head -c 900K /dev/zero; exit 1",
    "an error": "echo this account is not available >&2; exit 1",
    "lines without end": "exec yes this is not what you want",
    "a line without end": "exec cat /dev/zero",
    "fifty mebibytes of errors": "head -c 50M /dev/zero >&2; exit 3",
    "a gibibyte": "exec head -c 1G /dev/urandom",
    "another answer": "echo \"$word no folder for it\"",
    "an answer with escape sequences": "printf '%s absent \\033[31mLinux\\033]0;title\\007\\n' \"$word\"",
    "a run that is none": "echo \"$word run\"; exec head -c 1G /dev/urandom",
    "a run of zeros": "echo \"$word run\"; exec cat /dev/zero",
    "a welcome without end": "echo \"$word run\"; printf 'W\\377\\377\\377\\377'; exec cat /dev/zero",
    "a welcome, and chunks": "echo \"$word run\"; printf 'W\\2\\0\\0\\0{}C\\377\\0\\0\\0'; exec cat /dev/zero",
    "welcomes without end": "echo \"$word run\"; while printf 'W\\2\\0\\0\\0{}'; do :; done",
    "a state for no question": "echo \"$word run\"; printf 'W\\2\\0\\0\\0{}p\\4\\0\\0\\0pingS\\2\\0\\0\\0{}'; exec cat",
    "taken, and thrown away": "echo \"$word send\"; exec cat >/dev/null",
    "taken, and answered with a flood": "case $2 in *umask*) echo \"$word send\"; exec cat /dev/zero ;; "
                                        "*) echo \"$word absent Linux x86_64\" ;; esac",
    "ready, and no program": "case $2 in *umask*) echo \"$word send\"; cat >/dev/null; echo \"$word ready\" ;; "
                             "*) echo \"$word absent Linux x86_64\" ;; esac",
}


def owned_folder(host, path, owner, mode=0o755):
    """Makes a folder of a host and what is missing above it."""
    place = host.path(path)
    place.mkdir(parents=True, exist_ok=True)
    os.chown(place, owner, owner)
    place.chmod(mode)
    return place


def assert_refused(document, code, words=""):
    error = document["targets"][0]["error"]
    assert error["code"] == code and words in error["message"] and error["hint"], document


def assert_sent(document, host, packages):
    assert missing_at(host.root, DESTINATION, document["targets"][0], packages) == []


@pytest.mark.parametrize("name", [b"two\nlines", b"\x1b[31mred", b"tab\there", b"back\rwards", b"\xff\xfe", b"del\x7f",
                                  "c1\u0085control".encode(), "turned\u202eround".encode()])
def test_a_name_that_deceives_is_refused_before_anything_is_sent(make_workstation, tmp_path, name):
    station = make_workstation(1)
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "good").write_text("good")
    (folder / os.fsdecode(name)).write_text("bad")
    refused = station.json("transfer", folder, "root@h1", "--all", code=3)
    assert refused["error"]["code"] == "bad_bundle" and refused["targets"] == []
    outcome = station.topsctl("transfer", folder, "root@h1", "--all")
    assert outcome.code == 3 and os.fsdecode(name) not in outcome.err + outcome.out
    assert "Accepted" not in station.hosts[0].sshd_log()


@pytest.mark.parametrize("owner", [0, OPS])
def test_a_link_in_place_of_the_destination_is_refused_and_not_followed(make_workstation, packages, owner):
    station = make_workstation(1)
    host, = station.hosts
    victim = owned_folder(host, "/srv/victim", 0)
    (victim / "kept").write_text("kept")
    host.path(DESTINATION).symlink_to("/srv/victim")
    os.lchown(host.path(DESTINATION), owner, owner)
    assert_refused(station.json("transfer", packages, "root@h1", code=4), "permission", "is a link")
    assert_refused(station.json("transfer", packages, "free@h1", code=4), "permission", "is a link")
    assert [path.name for path in victim.iterdir()] == ["kept"] and host.path(DESTINATION).is_symlink()


@pytest.mark.parametrize("owner, mode, words", [(OPS, 0o700, "another user"), (OPS, 0o777, "another user"),
                                                (0, 0o777, "by other users"), (0, 0o770, "by other users"), (0, 0o1777, "by other users")])
def test_a_destination_that_others_may_write_to_is_refused(make_workstation, packages, owner, mode, words):
    station = make_workstation(1)
    host, = station.hosts
    place = owned_folder(host, DESTINATION, owner, mode)
    assert_refused(station.json("transfer", packages, "root@h1", code=4), "permission", words)
    assert list(place.iterdir()) == []


def test_a_file_in_place_of_the_destination_is_refused(make_workstation, packages):
    station = make_workstation(1)
    station.hosts[0].path(DESTINATION).write_text("kept")
    assert_refused(station.json("transfer", packages, "root@h1", code=4), "permission", "is not a directory")
    assert station.hosts[0].path(DESTINATION).read_text() == "kept"


def test_links_in_place_of_files_are_replaced_and_not_followed(make_workstation, packages):
    station = make_workstation(1)
    host, = station.hosts
    place = owned_folder(host, DESTINATION, 0, 0o700)
    host.path("/srv/kept").write_text("kept")
    names = [path.name for path in packages.rglob("*") if path.suffix in (".deb", ".whl")]
    for name in names:
        (place / name).symlink_to("/srv/kept")
    document = station.json("transfer", packages, "root@h1")
    assert_sent(document, host, packages)
    assert host.path("/srv/kept").read_text() == "kept" and host.path("/srv/kept").stat().st_nlink == 1


def test_a_link_in_place_of_a_folder_below_is_not_followed(make_workstation, tmp_path):
    station = make_workstation(1)
    host, = station.hosts
    (tmp_path / "bundle" / "below").mkdir(parents=True)
    (tmp_path / "bundle" / "below" / "file").write_text("sent")
    owned_folder(host, "/srv/victim", 0)
    owned_folder(host, DESTINATION, 0, 0o700).joinpath("below").symlink_to("/srv/victim")
    refused = station.json("transfer", tmp_path / "bundle", "root@h1", "--all", code=[1, 4])
    assert refused["targets"][0]["status"] == "failed"
    assert list(host.path("/srv/victim").iterdir()) == []


@pytest.mark.parametrize("place", ["", "/bin", "/received", "/received/parts"])
@pytest.mark.parametrize("planted", ["a link", "another user's", "open to others"])
def test_a_cache_that_is_not_ours_alone_is_refused_or_passed_over(make_workstation, packages, place, planted):
    station, place = make_workstation(1), CACHE + place
    host, = station.hosts
    victim = owned_folder(host, "/srv/victim", FREE if planted == "another user's" else 0, 0o755)
    if planted == "a link":
        owned_folder(host, os.path.dirname(place), 0, 0o700)
        host.path(place).symlink_to("/srv/victim")
        victim = host.path("/srv/victim")
    elif planted == "another user's":
        victim = owned_folder(host, place, FREE, 0o755)
    else:
        victim = owned_folder(host, place, 0, 0o777)
    document = station.json("transfer", packages, "root@h1", code=[0, 4])
    assert [str(path) for path in victim.rglob("*")] == []
    if document["error"] is None:
        assert_sent(document, host, packages)


def test_a_program_below_somebody_elses_folder_is_never_run(make_workstation, topsctl_release, tmp_path):
    """What lies there is topsctl and root's now; whoever owns a folder above can put another in its place at any time."""
    station = make_workstation(1)
    host, = station.hosts
    digest = hashlib.sha256(topsctl_release.read_bytes()).hexdigest()
    host.copy_in(topsctl_release.resolve(), f"/srv/of-root/{digest}/topsctl")
    owned_folder(host, "/var/tmp/topsctl-0", FREE)
    host.path("/var/tmp/topsctl-0/bin").symlink_to("/srv/of-root")
    os.lchown(host.path("/var/tmp/topsctl-0/bin"), FREE, FREE)
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "file").write_bytes(random.Random(3).randbytes(2 * CHUNK))
    run = station.start("transfer", tmp_path / "bundle", "root@h1", "--all", "--limit-rate", "4M")
    seen = set()
    while run.poll() is None:
        for each in host.processes():
            if each.command.endswith("/topsctl receive"):
                with suppress(OSError):  # it ended while we looked
                    seen.add(os.readlink(f"/proc/{each.pid}/exe"))
        time.sleep(0.05)
    station.finished("transfer", run)
    assert seen and not [program for program in seen if "/var/tmp/topsctl-0" in program or "/srv" in program], seen


def test_a_program_that_was_changed_since_it_was_last_seen_is_replaced(make_workstation, packages, topsctl_release):
    station = make_workstation(1)
    host, = station.hosts
    content = topsctl_release.read_bytes()
    for _ in range(2):
        station.json("transfer", packages, "root@h1")
    place = host.path(f"{CACHE}/bin/{hashlib.sha256(content).hexdigest()}/topsctl")
    assert place.with_name("topsctl.seen").read_text().strip()
    with open(place, "r+b") as file:
        file.seek(len(content) - 100)
        file.write(b"#")
    station.json("transfer", packages, "root@h1")
    assert place.read_bytes() == content


@pytest.mark.parametrize("planted", ["a script", "a longer file", "a link", "somebody else's"])
def test_a_false_program_under_the_digest_is_replaced_and_not_run(make_workstation, packages, topsctl_release, planted):
    station = make_workstation(1)
    host, = station.hosts
    content = topsctl_release.read_bytes()
    false = b"#!/bin/sh\ntouch /srv/was-run\n" if planted != "a longer file" else content + b"\0"
    place = owned_folder(host, f"{CACHE}/bin/{hashlib.sha256(content).hexdigest()}", 0, 0o700) / "topsctl"
    host.path("/srv/false").write_bytes(false)
    host.path("/srv/false").chmod(0o755)
    if planted == "a link":
        place.symlink_to("/srv/false")
    else:
        place.write_bytes(content if planted == "somebody else's" else false)
        place.chmod(0o755)
        if planted == "somebody else's":
            os.chown(place, FREE, FREE)
    document = station.json("transfer", packages, "root@h1")
    assert_sent(document, host, packages)
    assert not host.path("/srv/was-run").exists() and host.path("/srv/false").read_bytes() == false
    assert not place.is_symlink() and place.read_bytes() == content and place.stat().st_uid == 0


@pytest.mark.parametrize("lie", LIES)
def test_a_far_end_that_lies_is_told_and_costs_little(make_workstation, packages, lie):
    station = make_workstation(1, users=(*USERS, User("liar", shell=LIAR)))
    host, = station.hosts
    host.path(LIAR).write_text(SPEAKS + LIES[lie] + "\n")
    host.path(LIAR).chmod(0o755)
    # Address space in bytes: none of what it says may be kept without end.
    document = station.json("transfer", packages, "liar@h1", code=[4, 6], prefix=["prlimit", f"--as={1 << 30}"])
    assert statuses(document) == {"liar@h1": "failed"}
    error = document["targets"][0]["error"]
    assert error["code"] in ("unreachable", "host_unfit") and 0 < len(error["message"]) < 4000, document
    assert "liar@h1" in error["message"] or "remote topsctl" in error["message"] or "'h1'" in error["message"], document
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", error["message"]), document
    assert not host.path(DESTINATION).exists()


def test_a_far_end_that_lies_ends_no_other(make_workstation, packages):
    station = make_workstation(2, users=(*USERS, User("liar", shell=LIAR)))
    station.hosts[0].path(LIAR).write_text(SPEAKS + LIES["a gibibyte"] + "\n")
    station.hosts[0].path(LIAR).chmod(0o755)
    document = station.json("transfer", packages, "root@h2", "liar@h1", code=9)
    assert statuses(document) == {"root@h2": "done", "liar@h1": "failed"}
    assert_sent(document, station.hosts[1], packages)
