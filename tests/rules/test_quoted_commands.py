"""What README, quick start and troubleshooting quote of topsctl are command lines that it parses, the same in both languages."""

import json
import re
import shlex
import subprocess

import pytest

from support.quoted import quoted

LEAST = {"README.md": 12, "quick-start.md": 45, "troubleshooting.md": 45}  # command lines; fewer are not all that are there
UNKNOWN = "--no-such-option"


def pages(repository, name):
    english = repository / name if name == "README.md" else repository / "docs" / name
    return [quoted(path.read_text(encoding="utf-8")) for path in (english, repository / "docs" / "zh" / name)]


def complaint(topsctl, line):
    """What the parser says of the line, to which an unknown option is added so that it never runs; empty: no more than that."""
    words = ["1" if word == "ID" else word for word in shlex.split(line)]
    end = words.index("--") if "--" in words else len(words)
    done = subprocess.run([topsctl, "--lang", "en", *words[:end], UNKNOWN, *words[end:]], capture_output=True, text=True, check=False)
    said = json.loads(done.stdout)["error"]["message"] if "--json" in words[:end] else done.stderr.splitlines()[0].removeprefix("error: ")
    assert done.returncode == 2, f"{line}: {said}"
    return "" if said == f"unknown option '{UNKNOWN}'" else said


@pytest.mark.parametrize("name", LEAST)
def test_both_languages_quote_the_same_command_lines_in_the_same_order(repository, name):
    english, chinese = pages(repository, name)
    assert english == [line.replace(" --lang zh", "") for line in chinese]
    assert len(english) >= LEAST[name]


@pytest.mark.parametrize("name", LEAST)
def test_what_a_page_quotes_is_a_command_line_that_topsctl_parses(repository, topsctl_dev, name):
    english, _ = pages(repository, name)
    refused = {line: complaint(topsctl_dev, line) for line in dict.fromkeys(english)}
    assert {line: said for line, said in refused.items() if said} == {}


@pytest.mark.parametrize("line", [
    "instal BUNDLE", "install", "install BUNDLE --dryrun", "verify --level rank", "history shw 1", "recover --force --give-up",
    "history show ID --jsn", "rollback --report", "launch --card 0 -- train.py"])
def test_a_wrong_command_line_is_seen(topsctl_dev, line):
    assert complaint(topsctl_dev, line)


@pytest.mark.parametrize("text, found", [
    ("    sudo topsctl install BUNDLE --yes    # topsctl rollback\n", ["install BUNDLE --yes"]),
    ("- Run\n\n      eval \"$(topsctl env)\"; topsctl env --format fish | source\n", ["env", "env --format fish"]),
    ("See `topsctl doctor\n--list`, `` a `b' `` and `sudo topsctl confirm ID`; topsctl itself, `man topsctl-install`.",
     ["doctor --list", "confirm ID"]),
    ("    docker exec c topsctl env exec -- python3 -c 'a; b'\n", ["env exec -- python3 -c 'a; b'"]),
    ("    tar xf topsctl-1.tar.gz && cd topsctl-1\n", []),
])
def test_command_lines_are_found(text, found):
    assert quoted(text) == found


def test_the_readme_says_how_to_get_it_today(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    version = re.search(r"project\(topsctl VERSION ([\d.]+)", (repository / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    assert all((repository / path).is_file() for path in re.findall(r"^    (packaging/[\w-]+)", text, re.MULTILINE))
    assert f"topsctl_{version}_amd64.deb" in text and text.index("What it does not do yet") < text.index("## Get it")
    assert all(f"*{word}*" in text for word in ("bundle", "stack", "transaction", "targets"))
