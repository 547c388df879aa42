"""Faults struck at the links of a transfer beside SSH, and strangers on the port that waits for them."""

import json

from faults.transfer_cuts import CHUNK, IN_FLIGHT_DIRECT, PATIENCE, RATE, Point, Transfers, verified_bytes
from support.waiting import wait_for
from hosts import direct_links


def close_direct(host, _run):
    if not direct_links.break_links(host):
        raise AssertionError("there was no link beside SSH")


def block_direct(host, _run):
    direct_links.block_links(host)


DIRECT_FAULTS = {"direct links closed": close_direct, "direct links blocked": block_direct}
# How whoever connects to the direct port behaves.
STRANGERS = {"a stranger on the direct port": "garbage", "a peer that stops in the handshake": "half a handshake"}


class DirectTransfers(Transfers):
    """What the links do not bring comes over SSH."""

    def strike_direct(self, kind, after):
        """The same for the links beside SSH, of which one port alone may be opened: the rest goes over SSH at once."""
        with self.station() as station:
            host, = station.hosts
            with self.running(station, *self.words("--limit-rate", RATE, "--direct", "always", *direct_links.OPTIONS)) as (run, events):
                wait_for(lambda: verified_bytes(events()) >= after or run.poll() is not None)
                point = Point(kind, verified_bytes(events()))
                DIRECT_FAULTS[kind](host, run)
                out = run.communicate(timeout=PATIENCE)[0]
            self.judge_direct(point, host, run.returncode, out)
            point.require(point.sent_bytes <= self.size + 2 * IN_FLIGHT_DIRECT * CHUNK, f"{point.sent_bytes} bytes were sent")
            return point

    def meet_stranger(self, kind, _after):
        """Somebody else is on the port, from the address that may be."""
        with self.station() as station:
            host, = station.hosts
            with direct_links.stranger(station.fleet, host, STRANGERS[kind]) as met:
                with self.running(station, *self.words(*direct_links.OPTIONS)) as (run, _):
                    out = run.communicate(timeout=PATIENCE)[0]
                point = Point(kind, 0)
                self.judge_direct(point, host, run.returncode, out)
                point.outcome = f"{'met' if met() else 'missed'}, {'direct' if json.loads(out)['targets'][0]['direct'] else 'over SSH'}"
            return point

    def judge_direct(self, point, host, code, out):
        point.code = code
        point.require(code == 0, f"it ended with {code}: {out}")
        self.require_no_false_file(point, host)
        document = json.loads(out)
        self.schema(document, "transfer")
        self.judge_end(point, host, document)
        point.require(point.retries == 0, f"{point.retries} tries of its own")
