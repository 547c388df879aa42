"""What operators see in a real terminal (tmux), in both languages at 80x24 and at 200x50: goldens, and no line wider than it.

The packages are doubles; the host is a real Debian root behind a real sshd. TOPSCTL_UPDATE_GOLDENS=1 writes tests/data/screens.
"""

import os
import re
import shlex
import socket
import time
import unicodedata

import pytest

from scenarios.volatile import normalised_text

SIZES = ((80, 24), (200, 50))
LANGUAGES = ("en", "zh")
MOST_LINES = 2000
PATIENCE = 300  # seconds
END = "end-of-it"
# Whose lines are for copying: the terminal breaks them.
COMMANDS = ("next:", "下一步:")
VOLATILE = ("size", r"\b[0-9a-f]{12,}\b", r"\d+ paths|\d+ 个路径", r"(?<=torch )[\d.a+]+\w*", r"[+-]?\d+ %", r"\d+/s", rf"\b{re.escape(socket.gethostname())}\b", r" +$")


def width(line):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


class Screens:
    """Terminals of a workstation, all of which write goldens of their own."""

    def __init__(self, station, folder, socket):
        self.client = station.fleet.client
        self.binary = station.binary
        self.folder = folder
        self.socket = str(socket)
        # One server for all: it ends with its last session.
        self._tmux("new-session", "-d", "-s", "first", "cat")
        self._tmux("set-option", "-g", "history-limit", str(MOST_LINES))

    def close(self):
        self._tmux("kill-server")

    def _tmux(self, *words):
        return self.client.run(["tmux", "-u", "-S", self.socket, "-f", "/dev/null", *words], check=True).stdout

    def lines(self, words, size, answers=()):
        """All that a terminal shows of topsctl, from its first line on; answers are (text that is waited for, keys)."""
        columns, rows = size
        command = f"{shlex.join(map(str, [self.binary, *words]))}; echo {END}; cat"
        self._tmux("new-session", "-d", "-s", "it", "-x", str(columns), "-y", str(rows), "env", "PAGER=cat", "sh", "-c", command)
        try:
            waiting = list(answers)
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline:
                # Joined: what the terminal had to break is one line again.
                text = self._tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "it")
                if waiting and waiting[0][0] in text:
                    self._tmux("send-keys", "-t", "it", waiting.pop(0)[1], "Enter")
                if f"\n{END}" in text:
                    return [line.rstrip() for line in text.split(f"\n{END}")[0].splitlines()]
                time.sleep(0.05)
            raise AssertionError(f"{command} did not end:\n{text}")
        finally:
            self._tmux("kill-session", "-t", "it")

    def check(self, name, words, language, size, places, answers=()):
        lines = self.lines([*words, "--lang", language], size, answers)
        wide = [line for line in lines if width(line) > size[0] and not line.startswith(COMMANDS)
                and max(map(width, line.split())) + 4 <= size[0]]  # nor of a path that is longer
        assert lines and wide == [], wide
        golden = self.folder / f"{name}.{language}.{size[0]}.txt"
        seen = normalised_text("\n".join(lines) + "\n", places, VOLATILE)
        seen = re.sub(r" +$", "", seen, flags=re.M)
        if os.environ.get("TOPSCTL_UPDATE_GOLDENS"):
            golden.write_text(seen, encoding="utf-8")
        # A duration of ten seconds or more widens its column.
        same = (lambda text: re.sub(" {2,}", "  ", text)) if "<duration>" in seen else str
        assert same(seen) == same(golden.read_text(encoding="utf-8")), golden.name


@pytest.fixture
def screens(make_workstation, repository, tmp_path):
    station = make_workstation(1)
    screens = Screens(station, repository / "tests" / "data" / "screens", tmp_path / "tmux")
    yield station, screens
    screens.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_screens_are_as_ever_and_no_line_is_wider_than_the_terminal(screens, packages, language):
    station, screens = screens
    root = station.hosts[0].root
    places = {str(root): "<root>", str(packages): "<bundle>", str(station.fleet.home): "<home>"}
    for size in SIZES:
        for name, words in (("help", ["-h"]), ("install-h", ["install", "-h"]), ("page", ["help", "verify"]),
                            ("stack", ["stack", "show", "topsrider-i3x"]), ("refusal", ["inspect", "/no/such/bundle"]),
                            ("inspect", ["inspect", packages])):
            screens.check(name, words, language, size, places)
        screens.check("deploy", ["deploy", packages, "root@h1"], language, size, places)
        screens.check("verify", ["verify", "--root", root], language, size, places)
        assert station.topsctl("rollback", "--root", root).code == 0
        screens.check("install", ["install", packages, "--root", root], language, size, places,
                      answers=[("[y/N]", "y")])
        for name in ("status", "history"):
            screens.check(name, [name, "--root", root], language, size, places)
        screens.check("rollback", ["rollback", "--root", root], language, size, places)
