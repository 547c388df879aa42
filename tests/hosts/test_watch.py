"""topsctl watch on a host with eight dummy cards and a double of efsmi: once, again and again, in a terminal."""

import json
import os
import re
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from hosts.cards import CARDS, give_efsmi, host_with_cards

GOLDENS = Path(__file__).parent / "goldens"
# Two ranks of a run that is still going on: the log of one tells an iteration.
RUN = """
import os, time
card = open("/dev/gcu" + os.environ["RANK"])
print("Epoch(train) [2][ 50/100] of rank " + os.environ["RANK"], flush=True)
time.sleep(600)
"""
# Starts it, and prints what `topsctl watch` says once both ranks have spoken.
LOOK = """
import json, subprocess, time
running = subprocess.Popen(["topsctl", "launch", "--preflight", "none", "--nproc", "2", "--log-dir", "/srv/words", "--", "/srv/run.py"],
                           stdout=subprocess.DEVNULL)
end = time.monotonic() + 60
while time.monotonic() < end:
    looked = subprocess.run(["topsctl", "watch", "--json"], stdout=subprocess.PIPE, text=True).stdout
    ranks = json.loads(looked)["ranks"]
    if len(ranks) == 2 and all(rank["iteration"] and rank["cards"] for rank in ranks):
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
    assert [card["uuid"] for card in document["cards"]] == [f"W2800121050{card}" for card in range(CARDS)]
    metrics = card_host.path("/srv/cards.prom").read_text()
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
    done = card_host.run(["python3", "/srv/look.py"])
    document = json.loads(done.stdout)
    schema(document, "watch")
    assert [(rank["rank"], rank["cards"], rank["iteration"], rank["last_line"]) for rank in document["ranks"]] == [
        (rank, [rank], "2, 50/100", f"Epoch(train) [2][ 50/100] of rank {rank}") for rank in range(2)], done.stderr
