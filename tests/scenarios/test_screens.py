"""What operators see in a real terminal: no line is wider than it, at 80x24 and at 200x50 (tmux)."""

import shlex
import subprocess
import time

import pytest

SIZES = ((80, 24), (200, 50))
MOST_LINES = 2000


@pytest.fixture
def screen(tmp_path, topsctl_dev):
    """screen(words, columns, rows, keys=()): the lines that a terminal of that size shows of a command."""
    socket = str(tmp_path / "tmux")

    def tmux(*words):
        return subprocess.run(["tmux", "-S", socket, "-f", "/dev/null", *words], capture_output=True, text=True, check=True).stdout

    def shown(words, columns, rows, keys=()):
        command = f"{shlex.join(map(str, [topsctl_dev, *words]))}; echo end-of-it; cat"
        tmux("new-session", "-d", "-s", "it", "-x", str(columns), "-y", str(rows), "env", "PAGER=cat", "sh", "-c", command)
        try:
            tmux("set-option", "-t", "it", "history-limit", str(MOST_LINES))
            deadline = time.monotonic() + 120
            for key in ("", *keys):
                if key:
                    tmux("send-keys", "-t", "it", key, "Enter")
            while time.monotonic() < deadline:
                # Joined: what the terminal had to break is one line again.
                text = tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "it")
                if "end-of-it" in text:
                    return text.split("end-of-it")[0].splitlines()
                time.sleep(0.05)
            raise AssertionError(f"{command} did not end:\n{text}")
        finally:
            tmux("kill-server")

    return shown


@pytest.mark.parametrize("columns, rows", SIZES)
@pytest.mark.parametrize("words", [("-h",), ("help", "install"), ("help", "launch"), ("stack",), ("stack", "show", "topsrider-i3x"),
                                   ("doctor", "--explain", "disk-full"), ("watch", "--once"), ("snapshot", "--output", "SNAPSHOT")],
                         ids=" ".join)
def test_no_line_is_wider_than_the_terminal(screen, words, columns, rows, tmp_path):
    file = tmp_path / "snapshot.json"
    lines = screen([word.replace("SNAPSHOT", str(file)) for word in words], columns, rows)
    # A path stays whole.
    assert lines and [line for line in lines if len(line.rstrip()) > columns and str(file) not in line] == []


@pytest.mark.parametrize("columns, rows", SIZES)
def test_an_inspection_fits_and_leads_with_the_verdict(screen, bundle, columns, rows):
    lines = screen(("inspect", bundle()), columns, rows)
    # The command to type next stays one line.
    assert [line for line in lines if len(line.rstrip()) > columns and not line.startswith("next:")] == []
    assert lines[0].startswith("installable: topsrider-t2x 2.5.136, 4 of 25 packages;")
