"""`topsctl doctor` on a host with eight dummy ranks and a double of efsmi: each state of a job is told from the others."""

import json
import os
import signal
import stat
import subprocess

import pytest

from hosts.cards import CARDS, give_efsmi, host_with_cards
from support.waiting import wait_for

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


@pytest.fixture(scope="module")
def card_host(host_factory, topsctl_release):
    host = host_with_cards(host_factory, topsctl_release)
    host.path("/srv/ranks.py").write_text(RANKS)
    yield host
    host.remove()


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


SECRETS = ["hunter2-half", "hunter2-password", "hunter2-token", "hunter2-variable", "hunter2-url", "aGludGVyMmhpbnRlcjI"]
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
    # The end of a line that is cut: half a secret has the form of none.
    card_host.path("/srv/logs/long.log").write_text("x" * ((1 << 20) - 9) + " token=" + "hunter2-half" * 200_000 + "\nthe next line\n")
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
    assert "\nthe next line\n" in unpacked
    assert "10.20.30.40" not in unpacked and "Connection closed by peer [address-1]:41820" in unpacked
    assert "ECCL_DEBUG=INFO\n" in unpacked and "SOME_VALUE=[blanked]\n" in unpacked

    again = card_host.run(command)
    assert again.returncode == 3 and "it already exists" in again.stderr


@pytest.mark.parametrize("what", ["damaged", "pipe", "binary"])
def test_a_log_that_cannot_be_read_is_not_healthy(run_topsctl, topsctl_release, tmp_path, schema, what):
    log = tmp_path / "train.log"
    if what == "pipe":
        os.mkfifo(log)
    else:
        log.write_bytes(b"\x1f\x8b\x08\x00no gzip" if what == "damaged" else b"\0\1\2" * 100)
    done = run_topsctl(["doctor", "--log", log, "--json"], binary=topsctl_release)
    schema(done.json, "doctor")
    assert done.code == 3 and done.json["verdict"] is None and "train.log" in done.json["error"]["message"], done.json
    beside = tmp_path / "rank_1.log"
    beside.write_text("epoch 1\ntraining finished\n")
    if what != "pipe":
        assert run_topsctl(["doctor", "--log", log, "--log", beside, "--json"], binary=topsctl_release).json["verdict"] == "healthy"


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_no_half_file_for_support_stays_when_a_signal_ends_it(topsctl_release, tmp_path, by):
    (tmp_path / "train.log").write_bytes(b"password=hunter2 and no end of other words that are looked at one by one\n" * 3_000_000)
    file = tmp_path / "help.tar.zst"
    packing = subprocess.Popen([topsctl_release, "doctor", "--level", "files", "--support", file, "--with", tmp_path / "train.log"],
                               env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: file.exists() or packing.poll() is not None)
    packing.send_signal(by)
    _, err = packing.communicate(timeout=400)
    assert packing.returncode == 128 + by and b"interrupted" in err, err
    assert not file.exists()
