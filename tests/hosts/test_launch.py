"""topsctl launch on a host with eight dummy cards and a double of efsmi: busy cards, a full disk, too little memory."""

import json
import os

import pytest

from hosts.cards import CARDS, give_efsmi, host_with_cards

ALL = range(CARDS)


@pytest.fixture(scope="module")
def card_host(host_factory, topsctl_release):
    host = host_with_cards(host_factory, topsctl_release)
    yield host
    host.remove()


# Computes until the cards were looked at.
SPIN = """
import os, sys, time
rank = os.environ["RANK"]
card = open("/dev/gcu" + os.environ.get("ONLY_CARD", rank))
end = time.monotonic() + 90
while time.monotonic() < end and '"busy_check": null' in open(sys.argv[1]).read():
    pass
print("rank", rank, "is done")
"""


@pytest.mark.parametrize("busy, said", [(ALL, "8 of 8 cards busy"), (None, "unknown whether the cards are busy")])
def test_a_launch_sees_whether_the_cards_are_busy(card_host, schema, busy, said):
    if busy is None:
        card_host.path("/usr/bin/efsmi").unlink(missing_ok=True)
    else:
        give_efsmi(card_host, busy)
    card_host.path("/srv/spin.py").write_text(SPIN)
    logs = f"/srv/logs-{said.split()[0]}"
    done = card_host.run(["topsctl", "launch", "--preflight", "none", "--log-dir", logs, "--", "/srv/spin.py",
                          f"{logs}/launch.json"])
    assert done.returncode == 0 and said in done.stdout, done.stdout + done.stderr
    record = json.loads(card_host.path(f"{logs}/launch.json").read_text())
    schema(record, "launch-record")
    assert record["plan"]["ranks"] == CARDS
    attempt = record["attempts"][0]
    assert attempt["busy_check"]["cards_busy"] == (None if busy is None else CARDS)
    assert [rank["last_line"] for rank in attempt["ranks"]] == [f"rank {rank} is done" for rank in range(CARDS)]
    assert [rank["cards"] for rank in attempt["ranks"]] == [[rank] for rank in range(CARDS)]


def launched(host, logs, schema, *words, env=None, before=""):
    """The record of a launch of these words, and what was printed; `before` are shell commands for the same process."""
    command = " ".join(["topsctl launch --preflight none --log-dir", logs, *words])
    done = host.run(["sh", "-c", before + command], env=env)
    record = json.loads(host.path(f"{logs}/launch.json").read_text())
    schema(record, "launch-record")
    return record, done


def test_ranks_that_share_a_card_are_told(card_host, schema):
    give_efsmi(card_host, [0])
    card_host.path("/srv/spin.py").write_text(SPIN)
    record, _ = launched(card_host, "/srv/shared", schema, "--", "/srv/spin.py", "/srv/shared/launch.json", env={"ONLY_CARD": "0"})
    check = record["attempts"][0]["busy_check"]
    assert (check["cards_busy"], check["first_cause"]) == (1, "all-ranks-on-one-card")
    assert [rank["cards"] for rank in record["attempts"][0]["ranks"]] == [[0]] * CARDS


def test_a_full_log_disk_ends_no_training(card_host, schema):
    card_host.path("/srv/loud.py").write_text("import sys\nfor _ in range(3000):\n    print('x' * 100)\nprint('done')\n")
    done = card_host.run(["sh", "-c", "mkdir -p /srv/small && mount -t tmpfs -o size=300k none /srv/small && "
                          "topsctl launch --json --preflight none --nproc 2 --log-dir /srv/small/logs -- /srv/loud.py"])
    report = json.loads(done.stdout)
    schema(report, "launch")
    assert done.returncode == 0 and "No space left" in report["record"]["log_problem"], done.stderr
    assert report["warnings"] == [report["record"]["log_problem"]] or report["record"]["log_problem"] in report["warnings"]
    assert [rank["last_line"] for rank in report["record"]["attempts"][0]["ranks"]] == ["done"] * 2


def test_too_little_memory_is_the_cause(card_host, schema):
    card_host.path("/srv/eat.py").write_text("import os\nif os.environ['RANK'] == '1':\n    kept = b'x' * (3 << 30)\n")
    record, done = launched(card_host, "/srv/eaten", schema, "--nproc", "2", "--", "/srv/eat.py", before="ulimit -v 2097152; ")
    attempt = record["attempts"][0]
    assert done.returncode == 1 and attempt["first_cause"] == "host-memory-exhausted", done.stdout
    assert attempt["ranks"][1]["last_line"] == "MemoryError"
