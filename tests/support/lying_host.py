"""The far end of a connection that speaks topsctl's protocol and lies: for ForceCommand, with two files of Python.

The first is run for what it is asked to do, the second for the logs that are wanted of it.
"""

import datetime
import json
import os
import re
import struct
import sys
from pathlib import Path


def say(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def frame(kind, payload):
    say(kind.encode() + struct.pack("<I", len(payload)) + payload)


def heard():
    head = sys.stdin.buffer.read(5)
    if len(head) < 5:
        sys.exit(0)
    return chr(head[0]), sys.stdin.buffer.read(struct.unpack("<I", head[1:])[0])


def result(status, report):
    frame("X", json.dumps({"status": status, "report": json.dumps(report), "last_words": None}).encode())


def report(**more):
    return {"status": "ok", "command": "launch", "error": None, **more}


def answer(**plan):
    """To the question what the host would start."""
    return report(host={"name": "liar", "address": "127.0.0.1", "digests": {}, "versions": {}}, refused=[],
                  plan={"python": "/usr/bin/python3", "engine": "topsctl", "ranks": 1, "master_port": "29999", **plan})


def rank(number, in_world=None):
    return {"rank": number, "in_world": in_world, "log": "x", "lines": 1, "pid": 5, "last_line": "forged", "iteration": None}


def record(ranks, status):
    return {"schema": 1, "run": "20260101T000000Z-1", "request": {"words": ["x"]}, "log_folder": "/x", "directory": "/x",
            "digests": {}, "pid": 1, "process_start": "1", "started_at": "2026-01-01T00:00:00Z", "ended_at": None,
            "status": status, "ended_by": None, "attempts": [{"first_cause": None, "ranks": ranks}]}


def log(name, data):
    frame("k", json.dumps({"name": name}).encode() + b"\n" + data)


def main():
    token = re.search("topsctl-[0-9a-f]{24}", os.environ["SSH_ORIGINAL_COMMAND"])[0]
    say(f"{token} run\n".encode())
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    frame("W", json.dumps({"topsctl_version": "9", "time": now, "uid": 0}).encode())
    kind, payload = heard()
    words = json.loads(payload).get("words", [])
    if "--dry-run" in words:
        result(0, answer())
        return
    script = Path(sys.argv[2] if kind == "K" else sys.argv[1])
    exec(script.read_text(), globals())
    if kind == "K":
        frame("k", b"")


if __name__ == "__main__":
    main()
