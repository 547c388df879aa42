"""topsctl watch on a host with eight dummy cards and a double of efsmi: once, again and again, in a terminal."""

import json
import os
import random
import re
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from hosts.cards import CARDS, give_efsmi, host_with_cards

GOLDENS = Path(__file__).parent / "goldens"
DATA = Path(__file__).parents[1] / "data"
RULES = Path(__file__).parents[2] / "packaging/prometheus/topsctl.rules.yml"
PROMTOOL = Path(__file__).parents[2] / "build/later/prometheus/bookworm/usr/bin/promtool"
# Two ranks of a run that is still going on: the log of one tells an iteration.
RUN = """
import os, time
card = open("/dev/gcu" + os.environ["RANK"])
print("Epoch(train) [2][ 50/100] of rank " + os.environ["RANK"], flush=True)
time.sleep(600)
"""
# One that goes on by ten iterations in a second.
FAST_RUN = RUN.replace("time.sleep(600)", """for i in range(6000):
    time.sleep(0.1)
    print(f"Epoch(train) [2][ {i}/6000]", flush=True)""")
# Starts a run, and prints what `topsctl watch` says once both ranks have spoken.
LOOK = """
import json, subprocess, sys, time
running = subprocess.Popen(["topsctl", "launch", "--preflight", "none", "--nproc", "2", "--log-dir", sys.argv[1] + ".logs", "--", sys.argv[1]],
                           stdout=subprocess.DEVNULL)
end = time.monotonic() + 60
while time.monotonic() < end:
    looked = subprocess.run(["topsctl", "watch", "--json"], stdout=subprocess.PIPE, text=True).stdout
    ranks = json.loads(looked)["ranks"]
    if len(ranks) == 2 and all(rank[key] for rank in ranks for key in ("iteration", "cards", *sys.argv[2:])):
        break
print(looked)
running.terminate()
running.wait()
"""


@pytest.fixture(scope="module")
def card_host(host_factory, topsctl_release):
    host = host_with_cards(host_factory, topsctl_release)
    host.path("/srv/run.py").write_text(RUN)
    host.path("/srv/look.py").write_text(LOOK)
    yield host
    host.remove()


def test_watch_shows_each_card_and_alarms_where_all_are_idle(card_host, schema):
    give_efsmi(card_host, [0, 3])
    done = card_host.run(["topsctl", "watch", "--json", "--prometheus", "/srv/cards.prom"])
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    schema(document, "watch")
    assert document["cards_busy"] == 2 and document["source"] == "efsmi" and not document["idle_alarm"]
    # The same as `topsctl status` has it.
    assert re.search(r"^cards +8, 2 busy$", card_host.run(["topsctl", "status"]).stdout, re.MULTILINE)
    shown = json.loads(card_host.run(["topsctl", "status", "--json"]).stdout)["cards"]
    assert (shown["listed"], shown["busy"]) == (8, 2)
    assert document["host"]["cpus"] > 0 and document["host"]["memory_available_bytes"] > 0 and document["throughput"]["global_batch"] is None
    assert [card["uuid"] for card in document["cards"]] == [f"W2800121050{card}" for card in range(CARDS)]
    metrics = card_host.path("/srv/cards.prom").read_text()
    assert [card["memory_used_bytes"] for card in document["cards"][:2]] == [8 << 30, 0]
    assert metrics.count("# TYPE topsctl_host_memory_available_bytes gauge\n") == 1
    assert metrics.count("# TYPE enflame_gcu_usage gauge\n") == 1 and metrics.count('enflame_gcu_usage{index="3",') == 1
    card_host.path("/usr/bin/efsmi").write_text("#!/bin/sh\necho HAL initialization failed\nexit 1\n")
    unknown = json.loads(card_host.run(["topsctl", "watch", "--json"]).stdout)
    schema(unknown, "watch")
    assert (unknown["source"], unknown["cards"], unknown["cards_busy"]) == ("unknown", [], None)
    assert "HAL initialization failed" in unknown["failure"]


def test_each_look_is_a_line_of_json(card_host, schema):
    give_efsmi(card_host, [1])
    looking = card_host.start(["topsctl", "watch", "--json", "--interval", "1"])
    for _ in range(2):
        document = json.loads(looking.stdout.readline())
        schema(document, "watch")
        assert document["cards_busy"] == 1
    looking.terminate()
    rest, err = looking.communicate(timeout=30)
    assert looking.returncode == 0 and all(json.loads(line) for line in rest.splitlines()), err


# Of each sample: model, state, degrees, watts and their cap, MiB and those used, percent of every card.
SAMPLES = {
    "t20-1.20.0": [("T20", "Sleep", 30, 48.0, 300.0, 32768, None, 0.0), ("T20", "Active", 51, 148.0, 300.0, 32768, None, 85.0)],
    "s60-1.2.0.301": [("S60", "Sleep", 39, 105.0, 300.0, 49120, None, 0.0)],
    "s60-1.4.0.505": [("S60", "Sleep", None, None, None, 49120, None, 0.0)],
    "s60-1.4.0.3": [("S60", "Sleep", 71, 118.0, 300.0, 42976, None, 85.0)],
    "l300-1.7.2.14": [("L300", "LP1", 35, 68.0, 300.0, 147456, None, 0.0), ("S60G", "LP0", 35, None, None, 23552, None, 0.0)],
    "blocks-1.4.3.4": [("S60", "Sleep", 35, 105.0, 300.0, 49120, 1024, 0.0), (None, None, None, None, None, 32768, None, None)],
    "json": [("S60", None, None, 105.0, None, 49120, 1024, 7.0), (None,) * 8],
    "failing": [],
}
# What watch says of each of the texts of a list.
LOOK_AT_ALL = """
import json, subprocess
documents = []
for text in json.load(open("/srv/texts.json")):
    open("/srv/efsmi.txt", "wb").write(text.encode("latin-1"))
    # The first look of several takes no second.
    with subprocess.Popen(["topsctl", "watch", "--interval", "9", "--json"], stdout=subprocess.PIPE) as looking:
        documents.append(json.loads(looking.stdout.readline()))
        looking.terminate()
print(json.dumps(documents))
"""


def told_of(card):
    mib = [None if card[key] is None else card[key] >> 20 for key in ("memory_total_bytes", "memory_used_bytes")]
    return (card["model"], card["state"], card["temperature_c"], card["power_w"], card["power_cap_w"], *mib,
            card["utilization_percent"])


def spoiled(text, seed):
    """The text with some of its bytes replaced, dropped or doubled."""
    dice = random.Random(seed)
    spoiled_text = bytearray(text)
    for _ in range(dice.randint(1, 40)):
        place = dice.randrange(len(spoiled_text))
        spoiled_text[place:place + dice.randint(0, 3)] = bytes(dice.randrange(256) for _ in range(dice.randint(0, 3)))
    return bytes(spoiled_text)


@pytest.mark.parametrize("sample", SAMPLES)
def test_each_layout_of_efsmi_is_read_whole_cut_and_spoiled(card_host, schema, sample):
    whole = (DATA / "efsmi" / f"{sample}.txt").read_bytes()
    cuts = [whole[:end] for end in range(0, len(whole), max(1, len(whole) // 40))]
    texts = [whole, *cuts, *(spoiled(whole, seed) for seed in range(40))]
    card_host.path("/srv/texts.json").write_text(json.dumps([text.decode("latin-1") for text in texts]))
    give_efsmi(card_host, [])
    card_host.path("/srv/monitor.txt").write_text("")
    done = card_host.run(["python3", "-c", LOOK_AT_ALL])
    assert done.returncode == 0, done.stderr
    documents = json.loads(done.stdout)
    assert len(documents) == len(texts)
    for document in documents:
        schema(document, "watch")
    assert [told_of(card) for card in documents[0]["cards"]] == SAMPLES[sample]
    assert documents[0]["source"] == ("efsmi" if SAMPLES[sample] else "unknown")
    # Of what is cut, nothing is told that the whole does not say.
    for cut, document in zip(cuts, documents[1:]):
        for card, of_whole in zip(document["cards"], SAMPLES[sample]):
            assert all(value in (None, known) for value, known in zip(told_of(card), of_whole)), (cut[-80:], card)
        assert len(document["cards"]) <= len(SAMPLES[sample])


def promtool(*words, **options):
    assert PROMTOOL.exists(), "missing promtool; packaging/install-packages tests/packages unpacks it"
    done = subprocess.run([PROMTOOL, *words], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_prometheus_takes_the_metrics_and_the_alerts(card_host):
    give_efsmi(card_host, [0, 3])
    done = card_host.run(["topsctl", "watch", "--once", "--json", "--prometheus", "/srv/cards.prom"])
    assert done.returncode == 0, done.stderr
    assert promtool("check", "metrics", input=card_host.path("/srv/cards.prom").read_text()) == ""
    assert "4 rules found" in promtool("check", "rules", RULES)
    promtool("test", "rules", DATA / "prometheus" / "alerts.yml")


class Terminal:
    """A terminal of tmux in which a program runs on a host."""

    def __init__(self, host, argv, folder, columns, rows):
        self.socket = folder / "tmux"
        command = shlex.join(host.interactive_argv(argv, {"TERM": "screen"}))
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows, command + "; echo; echo ended $?; sleep 600")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *map(str, words)], check=True, capture_output=True, text=True).stdout

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", columns, "-y", rows)

    def picture_with(self, *texts, patience_s=30):
        end = time.monotonic() + patience_s
        while True:
            picture = self.tmux("capture-pane", "-p")
            if all(text in picture for text in texts):
                return picture
            assert time.monotonic() < end, picture
            time.sleep(0.1)

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False, capture_output=True)


def without_what_differs(picture):
    """Times and process numbers as one letter for each of theirs."""
    picture = re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z", "YYYY-MM-DDThh:mm:ssZ", picture)
    picture = re.sub(r"(?m)\b[0-9]{2}(?= *$|   S )", "NN", picture)
    picture = re.sub(r"(?m)^host: .*", "host: ...", picture)
    return "\n".join(line.rstrip() for line in picture.rstrip().splitlines()) + "\n"


def compare(picture, name):
    golden = GOLDENS / name
    if os.environ.get("TOPSCTL_UPDATE_GOLDENS"):
        GOLDENS.mkdir(exist_ok=True)
        golden.write_text(picture, encoding="utf-8")
    assert picture == golden.read_text(encoding="utf-8")


def test_the_view_fits_the_terminal_before_and_after_a_resize(card_host, tmp_path):
    give_efsmi(card_host, range(CARDS))
    terminal = Terminal(card_host, ["topsctl", "watch"], tmp_path, 80, 24)
    try:
        small = terminal.picture_with("state: 8 of 8 cards busy")
        compare(without_what_differs(small), "watch-80x24.txt")
        terminal.resize(200, 50)
        compare(without_what_differs(terminal.picture_with("state: 8 of 8 cards busy")), "watch-200x50.txt")
        terminal.resize(40, 6)
        tiny = terminal.picture_with("state:")
        assert len(tiny.rstrip().splitlines()) <= 6
        terminal.tmux("send-keys", "q")
        assert "ended 0" in terminal.picture_with("ended")
    finally:
        terminal.close()


def test_ranks_of_a_run_are_shown_with_their_words(card_host, schema):
    give_efsmi(card_host, [0, 1])
    done = card_host.run(["python3", "/srv/look.py", "/srv/run.py"])
    document = json.loads(done.stdout)
    schema(document, "watch")
    assert [(rank["rank"], rank["cards"], rank["iteration"], rank["last_line"]) for rank in document["ranks"]] == [
        (rank, [rank], "2, 50/100", f"Epoch(train) [2][ 50/100] of rank {rank}") for rank in range(2)], done.stderr


def test_one_look_has_the_rates_of_a_second(card_host):
    give_efsmi(card_host, [0, 1])
    card_host.path("/srv/fast.py").write_text(FAST_RUN)
    document = json.loads(card_host.run(["python3", "/srv/look.py", "/srv/fast.py", "iterations_per_second"]).stdout)
    rates = [rank["iterations_per_second"] for rank in document["ranks"]]
    assert len(rates) == 2 and all(3 < rate < 12 for rate in rates), document
    assert document["throughput"]["iterations_per_second"] == min(rates)


def test_the_view_has_the_ranks_of_a_run(card_host, tmp_path):
    give_efsmi(card_host, [0, 1])
    run = "topsctl launch --preflight none --nproc 2 --log-dir /srv/seen -- /srv/run.py >/dev/null 2>&1 &"
    terminal = Terminal(card_host, ["sh", "-c", run + " topsctl watch"], tmp_path, 120, 30)
    try:
        seen = terminal.picture_with("50/100] of rank 1", "state: 2 of 8 cards busy, 2 ranks run\n")
        compare(without_what_differs(seen), "watch-ranks.txt")
    finally:
        terminal.close()
