"""`topsctl doctor` on a host with eight dummy ranks and a double of efsmi: each state of a job is told from the others."""

import json
import os
import stat
import subprocess

import pytest

CARDS = 8
# Ranks that open a card's node and compute, or wait as ranks in a collective call do.
RANKS = """
import os, subprocess, sys, time
plan = sys.argv[1]
ranks = []
for rank in range({"no launcher": 1, "dead rank": 7, "stale rank": 1}.get(plan, 8)):
    environment = dict(os.environ)
    if plan != "no launcher":
        environment |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "8"}
    if plan not in ("no launcher", "stale rank"):
        environment |= {"LOCAL_WORLD_SIZE": "8", "TORCHELASTIC_RUN_ID": "none"}
    card = 0 if plan == "one card" else rank
    work = "time.sleep(99)" if plan in ("stalled", "dead rank") else "exec('while True: pass')"
    code = f"import time; card = open('/dev/gcu{card}'); print(flush=True); {work}"
    ranks.append(subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE))
    ranks[-1].stdout.readline()
print(subprocess.run(["topsctl", "doctor", "--json", *sys.argv[2:]], stdout=subprocess.PIPE, text=True).stdout)
for rank in ranks:
    rank.kill()
"""


def efsmi_table(busy):
    """What EFSMI V1.20.0 prints of eight T20 of which some are busy."""
    border = "*" + "-" * 73 + "*\n"
    text = f"*EFSMI    V1.20.0          Driver Ver: 2.4.20230829                       *\n{border}"
    for card in range(CARDS):
        state, use = ("Active", "85.0%") if card in busy else ("Sleep", "0.0%")
        text += (f"* {card}      T20                 | 10.19.3         | 00:3{card}:0.0  Enable        *\n"
                 f"* 30C    {state}   48.0W  300W | 32G      Disable|   {use}     W2800121050{card}  *\n{border}")
    return text


@pytest.fixture(scope="module")
def card_host(host_factory, topsctl_release):
    host = host_factory()
    host.install_binary(topsctl_release)
    for card in range(CARDS):
        os.mknod(host.path(f"/dev/gcu{card}"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    host.path("/srv/ranks.py").write_text(RANKS)
    yield host
    host.remove()


def give_efsmi(host, busy):
    host.path("/srv/efsmi.txt").write_text(efsmi_table(busy))
    efsmi = host.path("/usr/bin/efsmi")
    efsmi.unlink(missing_ok=True)
    efsmi.write_text("#!/bin/sh\ncat /srv/efsmi.txt\n")
    efsmi.chmod(0o755)


def diagnose(host, plan, busy, *options):
    if busy is None:
        host.path("/usr/bin/efsmi").unlink(missing_ok=True)
    else:
        give_efsmi(host, busy)
    # Nothing is installed on this host; its stack is not what is asked about.
    done = host.run(["python3", "/srv/ranks.py", plan, "--level", "files", "--except", "stack-check-failed", *options])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


ALL = range(CARDS)
STATES = [
    ("healthy", ALL, "healthy", None),
    ("no launcher", [0], "problems", "started-without-launcher"),
    ("one card", [0], "problems", "all-ranks-on-one-card"),
    ("stalled", [], "problems", "ranks-stalled"),
    ("dead rank", [], "problems", "rank-missing"),
    ("stale rank", [0], "problems", "rank-exported"),
    ("healthy", None, "unknown", None),
]


@pytest.mark.parametrize("plan, busy, verdict, first_cause", STATES)
def test_each_state_of_a_job_is_told(card_host, plan, busy, verdict, first_cause):
    document = diagnose(card_host, plan, busy)
    told = {key: document["machine"][key] for key in ("signals", "processes")}
    assert (document["verdict"], document["first_cause"]) == (verdict, first_cause), json.dumps(told)
    ranks = [process for process in document["machine"]["processes"] if process["rank"] is not None]
    assert len(ranks) == {"no launcher": 0, "dead rank": 7, "stale rank": 1}.get(plan, 8)
    assert (document["machine"]["cards"] is None) == (busy is None)


# Computes until the cards were looked at.
SPIN = """
import os, sys, time
rank = os.environ["RANK"]
card = open("/dev/gcu" + rank)
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
    assert record["busy_check"]["cards_busy"] == (None if busy is None else CARDS)
    assert [rank["last_line"] for rank in record["ranks"]] == [f"rank {rank} is done" for rank in range(CARDS)]


def test_watch_shows_each_card_and_alarms_where_all_are_idle(card_host, schema):
    give_efsmi(card_host, [0, 3])
    done = card_host.run(["topsctl", "watch", "--json", "--prometheus", "/srv/cards.prom"])
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    schema(document, "watch")
    assert document["cards_busy"] == 2 and document["source"] == "efsmi" and not document["idle_alarm"]
    assert [card["uuid"] for card in document["cards"]] == [f"W2800121050{card}" for card in range(CARDS)]
    metrics = card_host.path("/srv/cards.prom").read_text()
    assert metrics.count("# TYPE enflame_gcu_usage gauge\n") == 1 and metrics.count('enflame_gcu_usage{index="3",') == 1
    card_host.path("/usr/bin/efsmi").write_text("#!/bin/sh\necho HAL initialization failed\nexit 1\n")
    unknown = json.loads(card_host.run(["topsctl", "watch", "--json"]).stdout)
    schema(unknown, "watch")
    assert (unknown["source"], unknown["cards"], unknown["cards_busy"]) == ("unknown", [], None)
    assert "HAL initialization failed" in unknown["failure"]


SECRETS = ["hunter2-password", "hunter2-token", "hunter2-variable", "hunter2-url", "aGludGVyMmhpbnRlcjI"]
LEAKY_LOG = """2025-09-21 10:00:00 connecting to 10.20.30.40 with password=hunter2-password
{"api_token": "hunter2-token"}
fetch https://ops:hunter2-url@example.com/data
-----BEGIN OPENSSH PRIVATE KEY-----
aGludGVyMmhpbnRlcjI
-----END OPENSSH PRIVATE KEY-----
RuntimeError: Connection closed by peer [10.20.30.40]:41820
"""


def test_the_file_for_support_has_no_secrets(card_host):
    card_host.path("/srv/logs").mkdir()
    card_host.path("/srv/logs/train.log").write_text(LEAKY_LOG)
    card_host.path("/srv/logs/model.bin").write_bytes(b"\0" * 100)
    command = ["topsctl", "doctor", "--support", "/srv/help.tar.zst", "--with", "/srv/logs", "--hide-addresses",
               "--level", "files"]
    done = card_host.run(command, env={"SOME_VALUE": "hunter2-variable", "ECCL_DEBUG": "INFO"})
    assert done.returncode in (0, 5), done.stderr
    packed = card_host.path("/srv/help.tar.zst")
    assert stat.S_IMODE(packed.stat().st_mode) == 0o600
    unpacked = subprocess.run(["tar", "--zstd", "-xOf", packed], stdout=subprocess.PIPE, check=True).stdout.decode()
    names = subprocess.run(["tar", "--zstd", "-tf", packed], stdout=subprocess.PIPE, check=True).stdout.decode().split()
    assert {"doctor.json", "doctor.txt", "system/etc/os-release", "with/srv/logs/train.log"} <= set(names)
    assert "with/srv/logs/model.bin" not in names
    assert [secret for secret in SECRETS if secret in unpacked] == []
    assert "10.20.30.40" not in unpacked and "Connection closed by peer [address-1]:41820" in unpacked
    assert "ECCL_DEBUG=INFO\n" in unpacked and "SOME_VALUE=[blanked]\n" in unpacked

    again = card_host.run(command)
    assert again.returncode == 3 and "it is there already" in again.stderr
