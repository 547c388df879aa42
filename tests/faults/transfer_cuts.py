"""Faults struck at transfers and deployments over SSH: links that are cut, and sessions, receivers and clients that are killed."""

import json
import os
import random
import signal
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from hosts import kernel
from hosts.fleet import Fleet, options_of
from hosts.operations import PACKAGES
from hosts.workstation import CACHE, CHUNK, DESTINATION, HOME, Workstation, digest_of, events_in, missing_at
from support.waiting import wait_for

SIZE = 35 * CHUNK + 12_345
RATE = "80M"  # bytes a second: time enough to strike
TARGET = "root@h1"
NAME = "large.bin"
PARTS = f"{CACHE}/received/parts"
PATIENCE = 400  # seconds, after which a run is taken for one that hangs
NOTICED = 17  # seconds after which a client has noticed that a link is dead
# Chunks of a connection that may have been sent, and not been verified when it is lost: what SSH lets a sender be ahead (2 MiB),
# what pipes hold (1 MiB), and the one that is begun.
IN_FLIGHT = 3
# Of a link beside SSH: what its socket buffers hold at either end (4 and 6 MiB), what is begun, and what waits for its digest.
IN_FLIGHT_DIRECT = 6


def cut_until_noticed(host, _run):
    host.cut()
    time.sleep(NOTICED)
    host.heal()


def cut_for_a_moment(host, _run):
    host.cut()
    time.sleep(3)
    host.heal()


def cut_and_kill_client(host, run):
    host.cut()
    time.sleep(0.5)
    kill_client(host, run)
    host.heal()


def kill_sessions(host, _run):
    host.kill_sessions()


def kill_receiver(host, _run):
    """Those that sshd started, and not what they left behind to watch over an install."""
    for process in host.processes():
        with suppress(OSError):
            parent = int(Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[1])
            if process.command.endswith("/topsctl receive") and b"sshd" in Path(f"/proc/{parent}/cmdline").read_bytes():
                os.kill(process.pid, signal.SIGKILL)


def kill_client(_host, run):
    run.kill()
    run.wait()


TRANSFER_FAULTS = {"receiver killed": kill_receiver, "sessions killed": kill_sessions, "client killed": kill_client,
                   "link cut, client killed": cut_and_kill_client, "link cut": cut_until_noticed}
DEPLOY_FAULTS = {"receiver killed": kill_receiver, "sessions killed": kill_sessions, "link cut briefly": cut_for_a_moment,
                 "link cut": cut_until_noticed, "client killed": kill_client}


@dataclass
class Point:
    """One fault and what came of it; `wrong` is empty if all is as it must be."""
    kind: str
    at: float  # bytes that had been verified, or seconds since the install began
    code: int = None
    retries: int = 0
    resumed_at: int = 0
    sent_bytes: int = 0
    outcome: str = ""
    wrong: list = field(default_factory=list)

    def require(self, condition, text):
        if not condition:
            self.wrong.append(str(text))


class Campaign:
    """Makes a fleet of one host for every point."""

    def __init__(self, lower, place, binary, scratch, schema):
        self.lower, self.place, self.binary, self.schema = lower, place, binary, schema
        self.scratch = Path(scratch)
        self.hash_cache = {}

    @contextmanager
    def station(self):
        fleet = Fleet(self.lower, self.place, self.hash_cache, options_of(1, {}, {}))
        try:
            yield Workstation(fleet, self.binary, self.schema)
        finally:
            fleet.remove()

    @contextmanager
    def running(self, station, *argv):
        """(Popen, what tells its events so far) of a run that ends with the block at the latest."""
        path = self.scratch / "events"
        with open(path, "w", encoding="utf-8") as events:
            run = station.start(*argv, stderr=events)
            try:
                yield run, lambda: events_in(path.read_text(errors="replace"))
            finally:
                if run.poll() is None:
                    run.kill()
                run.wait()


def verified_bytes(events):
    """The most that the far end was told to have, verified."""
    return max((event["verified_bytes"] for event in events if event["event"] == "target"), default=0)


class Transfers(Campaign):
    """Of one large file, whose chunks are followed by the events of the run."""

    def __init__(self, *arguments, size=SIZE):
        super().__init__(*arguments)
        self.size = size
        self.bundle = self.scratch / "large"
        self.bundle.mkdir()
        (self.bundle / NAME).write_bytes(random.Random(7).randbytes(size))
        self.digest = digest_of(self.bundle / NAME)

    def words(self, *more):
        return ["transfer", self.bundle, TARGET, "--all", "--connect-timeout", "5", *more]

    def strike(self, kind, after):
        """Strikes when so many bytes have been verified, and brings the transfer to its end."""
        with self.station() as station:
            host, = station.hosts
            with self.running(station, *self.words("--limit-rate", RATE)) as (run, events):
                wait_for(lambda: verified_bytes(events()) >= after or run.poll() is not None)
                point = Point(kind, verified_bytes(events()))
                TRANSFER_FAULTS[kind](host, run)
                out = run.communicate(timeout=PATIENCE)[0]
            point.code = run.returncode
            told = verified_bytes(events())
            self.require_no_false_file(point, host)
            if point.code == 0:
                document = json.loads(out)
                self.schema(document, "transfer")
                self.judge_end(point, host, document)
                file, = document["targets"][0]["files"]
                # While others of several connections go on, what one has lost is sent again without a retry of the whole.
                most = max(1, point.retries) * document["targets"][0]["connections"] * \
                    (IN_FLIGHT_DIRECT if document["targets"][0]["direct"] else IN_FLIGHT) * CHUNK
                point.require(file["sent_bytes"] <= self.size + most,
                              f"{file['sent_bytes']} bytes of {self.size} were sent with {point.retries} retries")
            else:
                point.require(point.code == -signal.SIGKILL, f"it ended with {point.code}: {out}")
                self.resume(point, station, told)
            return point

    def resume(self, point, station, told):
        """The run after one that was ended must go on with what is missing, and send that only."""
        document = station.json(*self.words())
        self.judge_end(point, station.hosts[0], document)
        file, = document["targets"][0]["files"]
        point.require(point.retries == 0 and file["sent_bytes"] + file["resumed_at"] == self.size,
                      f"{file['resumed_at']} bytes were there, and {file['sent_bytes']} of {self.size} were sent")
        point.require(file["resumed_at"] >= told, f"{told} bytes had been verified, and {file['resumed_at']} were there")

    def judge_end(self, point, host, document, destination=DESTINATION):
        target, = document["targets"]
        point.retries = target["retries"]
        point.resumed_at, point.sent_bytes = target["files"][0]["resumed_at"], target["files"][0]["sent_bytes"]
        point.wrong += missing_at(host.root, destination, target, self.bundle)
        if host.path(PARTS).exists():
            point.require(not list(host.path(PARTS).iterdir()), "parts are left over")

    def require_no_false_file(self, point, host, destination=DESTINATION):
        file = host.path(destination) / NAME
        point.require(not file.exists() or digest_of(file) == self.digest, f"{NAME} is there, and is not what was sent")

    def flip(self, after, seed):
        """A byte of what had been received is another afterwards: that chunk is sent again, and no other."""
        with self.station() as station:
            host, = station.hosts
            with self.running(station, *self.words("--limit-rate", RATE)) as (run, events):
                wait_for(lambda: verified_bytes(events()) >= after or run.poll() is not None)
                point = Point("byte flipped", verified_bytes(events()))
                kill_client(host, run)
            wait_for(lambda: not host.kill(r"/topsctl receive$"))
            part, = host.path(PARTS).glob("*.part")
            chunks = marked_chunks(part.with_suffix(".marks"))
            flipped = random.Random(seed).choice(chunks)
            with open(part, "r+b") as file:
                file.seek(flipped * CHUNK + seed % 1000)
                byte = file.read(1)[0]
                file.seek(-1, os.SEEK_CUR)
                file.write(bytes([byte ^ 0x10]))
            document = station.json(*self.words())
            self.judge_end(point, host, document)
            kept = sum(min(CHUNK, self.size - chunk * CHUNK) for chunk in chunks if chunk != flipped)
            point.require(point.resumed_at == kept, f"{kept} bytes were good, and {point.resumed_at} were taken as such")
            point.require(point.sent_bytes == self.size - kept, f"{point.sent_bytes} bytes were sent again")
            point.code = 0
            return point

    def fill_disk(self, after):
        """The disk there is filled by somebody else; once there is room again, the transfer goes on where it was."""
        with self.station() as station, small_disk(self.scratch, self.size + (110 << 20)) as disk:
            host, = station.hosts
            host.show(disk, "/srv/small")
            before = beside_cache(host)
            words = self.words("--dest", "/srv/small/here")
            with self.running(station, *words, "--limit-rate", RATE) as (run, events):
                wait_for(lambda: verified_bytes(events()) >= after or run.poll() is not None)
                point = Point("disk full", verified_bytes(events()))
                fill(disk / "filler")
                out = run.communicate(timeout=PATIENCE)[0]
            point.code = run.returncode
            document, told = json.loads(out), verified_bytes(events())
            self.schema(document, "transfer")
            came_too_late = point.code == 0 and digest_of(disk / "here" / NAME) == self.digest
            if came_too_late and after > CHUNK:  # nothing was left to write when the disk was full
                return self.fill_disk(after // 2)
            error = document["targets"][0]["error"]
            point.require(point.code == 4 and error["code"] == "no_space" and error["hint"], f"{point.code}: {error}")
            point.require(not (disk / "here" / NAME).exists(), "the file has its name")
            point.require(list((disk / "here" / ".topsctl" / "parts").glob("*.part")), "what had arrived is gone")
            again = station.topsctl(*words, "--json")
            self.schema(again.json, "transfer")
            target, = again.json["targets"]
            # All of it may have arrived in the last moment: that needs no more room.
            is_whole = again.code == 0 and [file["sent_bytes"] for file in target["files"]] == [0]
            point.require(is_whole or (again.code == 4 and target["error"]["code"] == "no_space"), again)
            (disk / "filler").unlink()
            document = station.json(*words)
            target, = document["targets"]
            file, = target["files"]
            point.resumed_at, point.sent_bytes = file["resumed_at"], file["sent_bytes"]
            point.require(digest_of(disk / "here" / NAME) == self.digest, "the file is not what was sent")
            point.require(file["resumed_at"] >= told and file["sent_bytes"] + file["resumed_at"] == self.size,
                          f"{told} were verified; {file}")
            point.require(beside_cache(host) == before, "something else was touched")
            return point


def beside_cache(host):
    """What lies in the home folder and where others may write, but for topsctl's own."""
    found = (str(path.relative_to(host.root)) for place in (HOME, "/srv", "/tmp", "/var/tmp")
             for path in host.path(place).rglob("*"))
    return sorted(path for path in found if "topsctl" not in path and not path.endswith(".cache"))


def marked_chunks(marks):
    data = marks.read_bytes()
    return [index for index in range(len(data) // 32) if any(data[32 * index:32 * index + 32])]


@contextmanager
def small_disk(scratch, size):
    """A file system of its own, in memory."""
    place = Path(scratch) / "disk"
    place.mkdir(exist_ok=True)
    kernel.mount("tmpfs", place, "tmpfs", 0, f"size={size},mode=755")
    try:
        yield place
    finally:
        kernel.unmount(place, kernel.MNT_DETACH)


def fill(path):
    """Writes until there is no room."""
    with open(path, "wb", buffering=0) as file:
        with suppress(OSError):
            while True:
                file.write(bytes(1 << 20))
        with suppress(OSError):
            while True:
                file.write(bytes(4096))


class Deployments(Campaign):
    """Of a whole bundle to one host; every one must end committed or restored, and its report be there."""

    CONFIRM = {"client killed": 3}

    def __init__(self, *arguments, packages):
        super().__init__(*arguments)
        self.packages = packages
        self._seconds = None

    def seconds(self):
        """How long an install takes that nothing strikes, from its process to the run result."""
        if self._seconds is None:
            with self.station() as station, self.running(station, "deploy", self.packages, TARGET) as (run, _):
                self._wait_for_install(station, run)
                began = time.monotonic()
                out = run.communicate(timeout=PATIENCE)[0]
                assert run.returncode == 0, out
                self._seconds = time.monotonic() - began
        return self._seconds

    def _wait_for_install(self, station, run):
        def runs():
            return any("/topsctl install " in process.command for process in station.hosts[0].processes())
        wait_for(lambda: runs() or run.poll() is not None)

    def strike(self, kind, fraction):
        """Strikes when that much of an install is over; 0: as soon as it runs."""
        delay = fraction * self.seconds() if fraction else 0
        confirm = self.CONFIRM.get(kind, 300)
        with self.station() as station:
            host, = station.hosts
            words = ["deploy", self.packages, TARGET, "--connect-timeout", "5", "--confirm-timeout", str(confirm)]
            with self.running(station, *words) as (run, _):
                self._wait_for_install(station, run)
                time.sleep(delay)
                point = Point(kind, round(delay, 2))
                DEPLOY_FAULTS[kind](host, run)
                out = run.communicate(timeout=PATIENCE)[0]
            point.code = run.returncode
            wait_for(lambda: ended(station, host))
            if kind == "client killed":
                self.judge_without_client(point, station, host)
            else:
                self.judge(point, station, host, json.loads(out))
            return point

    def judge(self, point, station, host, document):
        self.schema(document, "deploy")
        target, = document["targets"]
        point.retries = target["reconnects"]
        point.outcome = require_ended(point, station, host)
        point.require(point.code == 0 and point.outcome == "committed", f"exit {point.code}: {target['error']}")
        point.require(target["report"] is not None and target["report"]["outcome"] == "committed", "there is no report")
        point.require(target["confirmation"] is not None, "there is no confirmation")

    def judge_without_client(self, point, station, host):
        point.outcome = require_ended(point, station, host)

        def is_reported():
            shown = history(station, host, "show", "1")
            return shown["reports"] and not any(each["rebuilt"] for each in shown["reports"])
        # The watchdog writes it once the journal says that all is restored.
        try:
            wait_for(is_reported, seconds=10)
        except TimeoutError:
            point.require(False, "there is no report")


def history(station, host, *words):
    outcome = station.topsctl("history", *words, "--root", host.root, "--json")
    assert outcome.code == 0, outcome
    return outcome.json


def ended(station, host):
    """Nothing is under way there, and nothing waits for anybody."""
    transactions = history(station, host)["transactions"]
    return bool(transactions) and transactions[-1]["outcome"] in ("committed", "rolled_back") and \
        not transactions[-1]["confirm_until"]


def require_ended(point, station, host):
    """The packages there must be what the outcome says, all or none."""
    transactions = history(station, host)["transactions"]
    point.require(len(transactions) == 1, f"{len(transactions)} transactions")
    outcome = transactions[-1]["outcome"]
    states = host.run(["dpkg-query", "-W", "-f", "${Package} ${Status}\n", *PACKAGES]).stdout.splitlines()
    wanted = [f"{name} install ok installed" for name in PACKAGES] if outcome == "committed" else []
    point.require(sorted(states) == wanted, f"{outcome}, and dpkg says {states}")
    return outcome
