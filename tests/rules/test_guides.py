"""Each row of docs/guides.md names a command that topsctl parses, or a program of others, and no row goes missing."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from rules.test_quoted_commands import complaint, quoted

LEAST = 325  # what guides describe: steps, files, variables, checks, remedies and claims
ROW = re.compile(r"\| (?P<what>(?:[^|`]|`[^`]+`)+) \| `(?P<command>[^`|]+)` \| (?:(?P<note>(?:[^|`]|`[^`]+`)+) )?\|")
OTHERS = ("git", "docker")  # do what topsctl leaves to them


@pytest.fixture(scope="module")
def table(repository):
    return (repository / "docs" / "guides.md").read_text(encoding="utf-8")


def rows(text):
    """Section and line of each row of the tables."""
    section = ""
    for line in text.splitlines():
        if line.startswith("#"):
            section = line if line.startswith("###") else ""
        elif line.startswith("|") and not line.startswith(("|---", "| in guides ")):
            yield section, line


def faults(text):
    """The rows that do not name one thing and its command, have no section, or stand twice in theirs."""
    seen = set()
    for section, line in rows(text):
        row = ROW.fullmatch(line)
        if not section or not row or not (quoted(f"`{row['command']}`") or row["command"].split()[0] in OTHERS):
            yield line
        elif (section, row["what"]) in seen:
            yield f"twice: {line}"
        else:
            seen.add((section, row["what"]))


def test_each_row_names_one_thing_and_its_command(table):
    assert list(faults(table)) == []
    assert len(list(rows(table))) >= LEAST


def test_each_command_is_one_that_topsctl_parses(table, topsctl_dev):
    lines = list(dict.fromkeys(quoted(table.replace("\n|", "\n\n|"))))
    with ThreadPoolExecutor() as pool:
        refused = dict(zip(lines, pool.map(lambda line: complaint(topsctl_dev, line), lines)))
    assert {line: said for line, said in refused.items() if said} == {}


HEAD = "### Install\n\n| in guides | command | what to know |\n|---|---|---|\n"


@pytest.mark.parametrize("row", [
    "| a step | `topsctl verify` |", "| a step | | nothing does it |", "| a step | topsctl verify | |", "| a step | `pip install` | |",
    "| a step | `topsctl verify` or `topsctl env` | |", "| a step | `git pull` | |\n| a step | `topsctl verify` | |"])
def test_a_faulty_row_is_seen(row):
    assert list(faults(HEAD + "| another | `topsctl verify --level load` | `perf`, too |")) == []
    assert list(faults(HEAD + row))
