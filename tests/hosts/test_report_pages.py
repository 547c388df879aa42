"""What people get of an install and of a fleet: history and pages, looked at in a browser; where, for whom, of what and why."""

import hashlib
import os
import pwd
import re

import pytest

from hosts.operations import Operator
from hosts.workstation import by_target
from support.browser import faults_of

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"

pytestmark = pytest.mark.whole


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


def digest_of_all(bundle, names):
    """By the words of docs/common.schema.json: what `sha256sum` prints for the files, sorted."""
    files = [next(bundle.rglob(name)) for name in names]
    lines = sorted(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def without_breaks(text):
    return re.sub(r"\s+", "", text)


def test_a_failure_tells_where_for_whom_when_of_what_and_why(operator, bundle, browser, tmp_path, schema):
    failing = bundle(python=operator.host.python_minor(), faults=["postinst-fails"], only_needed=True)
    page = tmp_path / "page.html"
    report = operator.json("install", failing, "--report", page, code=8)
    schema(report, "install")
    assert report["host"] == os.uname().nodename and report["user"] == os.environ.get("SUDO_USER", pwd.getpwuid(os.getuid()).pw_name)
    assert re.fullmatch(TIME, report["started_at"]) and report["started_at"] <= report["phases"][0]["started_at"]
    taken = [package["file"] for package in report["plan"]["packages"]]
    assert report["bundle"] == {"paths": [str(failing)], "sha256": digest_of_all(failing, taken)}
    # It is rolled back: what was to be installed is not there.
    assert report["outcome"] == "rolled_back" and {package["after"] for package in report["packages"]} == {None}

    transaction, = operator.json("history")["transactions"]
    assert {key: transaction[key] for key in ("host", "user", "started_at", "bundle")} == \
        {key: report[key] for key in ("host", "user", "started_at", "bundle")}
    reason = transaction["reason"]
    # In the script's own words.
    assert reason.startswith("step 3 of ") and reason.endswith(": dpkg failed: exit status 1: tops-sdk test double: postinst fails on purpose"), reason
    assert {package["after"] for package in transaction["packages"]} != {None}  # what it was about
    told = " ".join(operator.topsctl("history", "1").out.split())
    for words in (" ".join(reason.split()), f"{report['user']}@{report['host']}", str(failing), report["bundle"]["sha256"]):
        assert words in told, told

    assert faults_of(browser, page) == []
    seen = without_breaks(browser.look(page, 360, "light")["text"])
    for words in (report["host"], report["started_at"], str(failing), report["bundle"]["sha256"],
                  report["error"]["message"].splitlines()[0], "\u2717", "\u2713done", "\u2717failed", "\u2013pending"):
        assert without_breaks(words) in seen, words


def test_a_fleet_has_one_page_with_a_row_for_each_host(make_workstation, packages, browser, tmp_path):
    station = make_workstation(3)
    one, locked, cut = station.hosts
    locked.beside(["sh", "-c", "exec 9>>/var/lib/dpkg/lock-frontend; "
                               "python3 -c 'import fcntl,time; fcntl.lockf(9, fcntl.LOCK_EX); time.sleep(900)' "
                               ">/dev/null 2>&1 </dev/null &"], check=True)
    cut.cut()
    page = tmp_path / "fleet.html"
    targets = ["root@h1", "root@h2", "root@h3"]
    document = station.json("deploy", packages, *targets, "--lock-timeout", "1", "--connect-timeout", "2", "--report", page, code=9)
    assert document["host"] and document["user"] and re.fullmatch(TIME, document["started_at"])
    sent = [file["name"] for file in document["targets"][0]["files"]]
    assert document["bundle"] == {"paths": [str(packages)], "sha256": digest_of_all(packages, sent)}
    report = by_target(document)["root@h1"]["report"]
    taken = [package["file"] for package in report["plan"]["packages"]]  # the wheel for its Python alone
    assert report["host"] == "h1" and report["bundle"]["sha256"] == digest_of_all(packages, taken)

    assert faults_of(browser, page) == []
    html = page.read_text()
    rows = re.findall(r'<tr><td[^>]*><a href="#(target-\d)">(.*?)</a></td>(.*?)</tr>', html)
    assert [(anchor, name) for anchor, name, _ in rows] == [(f"target-{i + 1}", name) for i, name in enumerate(targets)]
    for (anchor, name, row), sign in zip(rows, "\u2713\u2717\u2717"):
        assert html.count(f'id="{anchor}"') == 1 and sign in row, row
        told = by_target(document)[name]
        error = told["error"]["message"].splitlines()[0] if told["error"] else "-"
        plain = re.sub(r"<[^>]*>", " ", row.replace("<wbr>", "")).replace("&#39;", "'")
        assert error in plain and re.search(r"\d(\.\d+)? (ms|s|min)\b", plain), row
        assert ("/var/log/topsctl/1.log" in plain) == (name == "root@h1"), row


GOOD = "<p>readable</p>"
FAULTY = {
    "wider than a phone": ("<p style='white-space: nowrap'>" + "a word and " * 20, "px wide"),
    "grey on grey": ("<p style='color: #999'>faint", "contrast 2.85"),
    "grey before": ("<style>p::before { content: 'x'; color: #ddd }</style><p>text", "contrast"),
    "broken words": ("<p style='width: 4em; word-break: break-all'>unbreakable words", "broken inside"),
    "one scheme": ("<style>body { background: #fff !important; color: #000 !important }</style><p>text", "the background is"),
    "nothing": ("<p></p>", "no text"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_the_look_finds_what_is_wrong_with_a_page(browser, tmp_path, fault):
    head = ("<!DOCTYPE html><meta name=viewport content='width=device-width'><style>body { background: #fff; color: #000 } "
            "@media (prefers-color-scheme: dark) { body { background: #000; color: #fff } }</style>")
    page = tmp_path / "page.html"
    page.write_text(head + GOOD)
    assert faults_of(browser, page) == []
    body, words = FAULTY[fault]
    page.write_text(head + body)
    assert any(words in each for each in faults_of(browser, page)), faults_of(browser, page)
