"""What scripts find around them is what dpkg alone gives them, and what they and failed checks say is quoted and kept."""

import json
import shutil

import pytest

from hosts.operations import Operator


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.mark.parametrize("login", [{"LANG": "C.UTF-8"}, {"LC_ALL": "POSIX", "LANG": "zh_CN.UTF-8"}, {"LANG": "C.UTF-8", "LC_CTYPE": "C.UTF-8", "LANGUAGE": "zh"}])
def test_scripts_have_the_language_and_the_home_of_the_login(operator, host, with_eccl, login):
    bundle = with_eccl("locale charmap > /srv/charmap; env | sort > /srv/env")
    assert operator.topsctl("install", bundle, "--json", env=login).code == 0
    found = dict(line.split("=", 1) for line in host.path("/srv/env").read_text().splitlines())
    assert {name: value for name, value in found.items() if name.startswith(("LANG", "LC_"))} == login
    assert (found["HOME"], found["USER"], found["LOGNAME"]) == ("/root", "root", "root")
    assert host.path("/srv/charmap").read_text() == ("ANSI_X3.4-1968\n" if "LC_ALL" in login else "UTF-8\n")


@pytest.mark.parametrize("language", ["C.UTF-8", "zh_CN.UTF-8"])
def test_the_last_words_of_a_script_are_quoted(operator, with_eccl, language):
    failed = operator.topsctl("install", with_eccl("echo fine; echo 'ERRO[0000] no such card' >&2; exit 3"), env={"LANG": language})
    assert failed.code == 8 and "ERRO[0000] no such card" in failed.err and "tops-eccl" in failed.err, failed
    missing = operator.topsctl("install", with_eccl("echo 'cannot talk to the card'; exit 3"), env={"LANG": language})
    assert "cannot talk to the card" in missing.err, missing


def test_the_output_of_a_failed_check_is_kept(operator, bundle, host, tmp_path, schema):
    """A wheel whose module cannot be imported: its traceback is in the message, the report, the log and the history."""
    folder = shutil.copytree(bundle(python=host.python_minor(), only_needed=True, faults=("import-fails",)), tmp_path / "given")
    failed = operator.topsctl("install", folder)
    assert failed.code == 8 and "Traceback" in failed.out + failed.err, failed
    again = operator.topsctl("install", folder, "--json")
    schema(again.json, "install")
    check, = [check for check in again.json["checks"] if check["status"] == "fail"]
    assert "Traceback (most recent call last)" in check["output"]
    assert "on the host" not in again.json["error"]["hint"]
    assert "Traceback" in host.path(again.json["log"]).read_text()
    shown = operator.topsctl("history", "show", str(again.json["transaction"]), "--json")
    assert "Traceback" in json.dumps(shown.json["reports"]), shown
