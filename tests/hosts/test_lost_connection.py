"""Terminals that stop, and deadlines: an install holds to its commit or to the way back, and leaves its report."""

import json
import os
import signal
import subprocess

import pytest

from hosts.operations import PREDICTED, Operator
from support.waiting import wait_for

STOP = b"\x13"  # Ctrl-S


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl, PREDICTED)


def test_a_stopped_terminal_holds_no_install_up(operator, host, bundle, schema):
    packages = bundle(python=host.python_minor(), only_needed=True)
    master, slave = os.openpty()
    os.write(master, STOP)
    process = subprocess.Popen(
        ["setsid", "--ctty", operator.binary, "install", packages, "--root", host.root, "--verbose", "--yes"],
        stdin=slave, stdout=slave, stderr=slave, env={"PATH": os.environ["PATH"], "TERM": "xterm"})
    try:
        os.close(slave)
        wait_for(lambda: [each["outcome"] for each in operator.json("history")["transactions"]] == ["committed"])
    finally:
        os.close(master)
        process.wait(60)
    shown = operator.json("history", "show", "1")
    schema(shown, "history")
    assert [(each["outcome"], each["rebuilt"]) for each in shown["reports"]] == [("committed", False)]


def test_an_install_that_takes_too_long_is_rolled_back(operator, host, with_eccl):
    packages = with_eccl("touch /var/log/topsctl/hangs; sleep 3600")
    before = operator.digest()
    process = subprocess.Popen([operator.binary, "install", packages, "--root", host.root, "--deadline", "3600", "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_for(host.path("/var/log/topsctl/hangs").exists)
    process.send_signal(signal.SIGALRM)  # as the kernel does when the time is over
    report = json.loads(process.communicate(timeout=120)[0])
    assert process.returncode == 8
    assert report["outcome"] == "rolled_back" and "deadline of 3600 s" in report["error"]["message"]
    assert [phase["name"] for phase in report["phases"]][-2:] == ["apply", "restore"]
    assert operator.changes_since(before) == []


def test_a_report_is_written_in_the_form_of_its_name(operator, host, bundle, tmp_path, schema):
    packages = bundle(python=host.python_minor(), only_needed=True)
    one = ["--stack", "topsrider-t2x", "--components", "eccl"]
    page, text, document = (tmp_path / f"report.{form}" for form in ("html", "txt", "json"))
    assert operator.topsctl("install", packages, *one, "--report", tmp_path / "report.pdf").code == 2
    assert operator.topsctl("install", packages, *one, "--report", page).code == 0
    assert page.read_text().startswith("<!DOCTYPE html>") and "tops-eccl" in page.read_text()
    assert operator.topsctl("rollback", "--report", text).code == 0
    assert text.read_text().startswith("topsctl rollback: rolled_back") and "0 differ" in text.read_text()
    assert operator.topsctl("recover", "--report", document).code == 0
    schema(json.loads(document.read_text()), "recover")
