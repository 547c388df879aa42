"""The commands that docs/guides.md names for what guides describe are ones that the program has."""

import re
import subprocess
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROW = re.compile(r"^\| (?P<what>[^|]+|(?:[^|]|\\\|)+) \| `topsctl (?P<command>[^`]+)` \| [^|]*\|$")


def rows():
    lines = [line for line in (DOCS / "guides.md").read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    return [line for line in lines if not line.startswith(("|---", "| in guides"))]


def test_each_row_has_a_command():
    assert len(rows()) > 60
    assert [line for line in rows() if not ROW.match(line)] == []


@pytest.mark.parametrize("command", sorted({ROW.match(line)["command"].split()[0] for line in rows() if ROW.match(line)}))
def test_the_command_has_the_options_that_the_table_gives_it(topsctl_dev, command):
    page = subprocess.run([topsctl_dev, "help", command], capture_output=True, text=True, check=True, timeout=60).stdout
    general = subprocess.run([topsctl_dev, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    for line in rows():
        told = ROW.match(line)["command"]
        if told.split()[0] != command:
            continue
        own = told.split(" -- ")[0]  # what follows is the script's
        for option in re.findall(r"(?<=\s)--[a-z-]+", own):
            assert option in page or option in general, (line, option)
