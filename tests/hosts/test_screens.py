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
EACH = [pytest.param(language, marks=[] if language == LANGUAGES[0] else [pytest.mark.whole]) for language in LANGUAGES]
YES = [("[y/N]", "y")]
MOST_LINES = 2000
PATIENCE = 300  # seconds
END = "end-of-it"
# Whose lines are for copying: the terminal breaks them.
COMMANDS = ("next:", "下一步:")
VOLATILE = ("size", r"\b\d{8}T\d{6}Z-[-\d]+", r"\b[0-9a-f]{12,}\b", r"\d+ paths|\d+ 个路径", r"(?<=torch )[\d.a+]+\w*", r"[+-]?\d+ %", r"\d+/s", rf"\b{re.escape(socket.gethostname())}\b", r" +$")


def width(line):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


class Screens:
    """Terminals of a workstation, all of which write goldens of their own."""

    def __init__(self, station, folder, socket):
        self.client = station.fleet.client
        self.binary = station.binary
        self.variables = {"PAGER": "cat", "XDG_STATE_HOME": str(station.fleet.home / "state")}
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
        self._tmux("new-session", "-d", "-s", "it", "-x", str(columns), "-y", str(rows), "env",
                   *(f"{name}={value}" for name, value in self.variables.items()), "sh", "-c", command)
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
                and max(map(width, line.split())) + 6 <= size[0]]  # nor of a path that is longer
        assert lines and wide == [], wide
        golden = self.folder / f"{name}.{language}.{size[0]}.txt"
        seen = normalised_text("\n".join(lines) + "\n", places, VOLATILE)
        seen = re.sub(r" +$", "", seen, flags=re.M)
        # Each host is told of when it is done.
        seen = re.sub(r"(^root@\S+: .*\n)+", lambda lines: "".join(sorted(lines[0].splitlines(True))), seen, flags=re.M)
        if os.environ.get("TOPSCTL_UPDATE_GOLDENS"):
            golden.write_text(seen, encoding="utf-8")
        # A duration of ten seconds or more widens its column, as does the number of a process.
        same = (lambda text: re.sub(" {2,}", "  ", text)) if re.search("<(duration|volatile)>", seen) else str
        assert same(seen) == same(golden.read_text(encoding="utf-8")), golden.name


@pytest.fixture
def screens(make_workstation, repository, tmp_path):
    station = make_workstation(1)
    screens = Screens(station, repository / "tests" / "data" / "screens", tmp_path / "tmux")
    yield station, screens
    screens.close()


@pytest.mark.parametrize("language", EACH)
def test_screens_are_as_ever_and_no_line_is_wider_than_the_terminal(screens, packages, language):
    station, screens = screens
    root = station.hosts[0].root
    places = {str(root): "<root>", str(packages): "<bundle>", str(station.fleet.home): "<home>"}
    for size in SIZES:
        for name, words in (("help", ["-h"]), ("install-h", ["install", "-h"]), ("page", ["help", "verify"]),
                            ("stack", ["stack", "show", "topsrider-i3x"]), ("refusal", ["inspect", "/no/such/bundle"]),
                            ("inspect", ["inspect", packages])):
            screens.check(name, words, language, size, places)
        screens.check("deploy", ["deploy", packages, "root@h1"], language, size, places, YES)
        screens.check("verify", ["verify", "--root", root], language, size, places)
        assert station.topsctl("rollback", "--root", root).code == 0
        screens.check("install", ["install", packages, "--root", root], language, size, places, YES)
        for name in ("status", "history"):
            screens.check(name, [name, "--root", root], language, size, places)
        screens.check("rollback", ["rollback", "--root", root], language, size, places, YES)


TRAININGS = {"ends.py": "print('step 1')\n", "fails.py": "raise RuntimeError('the loader is empty')\n"}


@pytest.mark.parametrize("language", EACH)
def test_trainings_are_listed_within_the_terminal(screens, language):
    station, screens = screens
    home = station.fleet.home
    for name, text in TRAININGS.items():
        (home / name).write_text(text)
        run = station.topsctl("launch", "--preflight", "none", "--nproc", "1", "--log-dir", home / f"logs-of-{name}", "--", home / name,
                              env=screens.variables)
        assert run.code == (name == "fails.py"), run
    for size in SIZES:
        screens.check("runs", ["runs"], language, size, {str(home): "<home>"})


@pytest.mark.parametrize("language", EACH)
def test_a_deploy_to_three_hosts_stays_within_the_terminal(make_workstation, repository, packages, tmp_path, language):
    station = make_workstation(3)
    screens = Screens(station, repository / "tests" / "data" / "screens", tmp_path / "tmux")
    try:
        for size in SIZES:
            screens.check("fleet", ["deploy", packages, "root@h1", "root@h2", "root@h3", "--components", "eccl"], language, size,
                          {str(packages): "<bundle>", str(station.fleet.home): "<home>"}, YES)
            for host in station.hosts:
                assert station.topsctl("rollback", "--root", host.root).code == 0
    finally:
        screens.close()
