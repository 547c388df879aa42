"""The Ansible collection on hosts that do harm: what they answer reaches no terminal, no file and no other host's report."""

import json
import subprocess
import sys

import pytest
import yaml

from support.programs import needed

COLLECTION = "topsctl.topsrider"
ESCAPES = "\x1b]0;x\x07"
CONFIG = """[defaults]
collections_path = {here}
callbacks_enabled = topsctl.topsrider.fleet_report
nocolor = true
interpreter_python = /usr/bin/python3
[topsctl]
report = {here}/report.json
"""
TOPSCTL = """#!/bin/sh
# A double of topsctl: a plan, and another answer to an install without --dry-run.
case $* in
*--dry-run*) cat "$0.plan" ;;
*) cat "$0.$1" && exit 8 ;;
esac
"""
SLURM = """#!/bin/sh
# A double of scontrol, sinfo and squeue: idle nodes with a comment, which have no jobs.
case $(basename "$0"):$* in
scontrol:*show*) echo "NodeName=$4 State=IDLE Comment=xState=DRAINED" ;;
scontrol:*) printf '%s|' "$@" >>"{here}/updates" && echo >>"{here}/updates" ;;
sinfo:*--nodes=h9*) ;;
sinfo:*) echo idle ;;
esac
"""
REPORT = """
import importlib, json, sys, types
place = "ansible_collections.topsctl.topsrider.plugins."
importlib.import_module(place + "module_utils.topsctl")  # before Ansible looks for collections by itself
report = importlib.import_module(place + "callback.fleet_report")

class Callback(report.CallbackModule):
    _display = types.SimpleNamespace(display=print)
    def get_option(self, name):
        return sys.argv[1]

def named(name):
    return types.SimpleNamespace(get_name=lambda: name)

callback = Callback()
for number, results in enumerate(json.loads(sys.argv[2])):
    host = named("h%d" % number)
    callback._of_play.append(host.get_name())
    task = types.SimpleNamespace(action="topsctl.topsrider.install", check_mode=False)
    callback.v2_playbook_on_task_start(task, False)
    callback._join()
    for result in results:
        callback.v2_runner_on_start(host, task)
        callback._take(types.SimpleNamespace(_host=host, _task=task, _result=result), failed=bool(result.get("failed")))
callback.v2_playbook_on_stats(None)
"""


@pytest.fixture
def collections(repository, tmp_path):
    """The folder that Ansible looks for collections in."""
    needed("ansible-playbook")
    place = tmp_path / "ansible_collections" / "topsctl"
    place.mkdir(parents=True)
    (place / "topsrider").symlink_to(repository / "packaging" / "ansible")
    return tmp_path


def report_of(collections, *results):
    """(hosts of the JSON report, lines of its text, what is displayed) of the results of each host."""
    report = collections / "report.json"
    done = subprocess.run([sys.executable, "-B", "-c", REPORT, report, json.dumps(results)], capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(collections), "HOME": str(collections), "LC_ALL": "C.UTF-8"},
                          check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(report.read_text())["hosts"], report.with_suffix(".txt").read_text().split("\n")[:-1], done.stdout


def test_an_error_before_any_transaction_has_changed_nothing(collections):
    failed = {"failed": True, "changed": False, "msg": "no such bundle"}
    hosts, _, _ = report_of(collections, [{**failed, "outcome": None}], [failed], [{**failed, "outcome": None, "changed": True}])
    assert [host["outcome"] for host in hosts] == ["failed_before_change", "unknown", "unknown"]


GOOD = {"outcome": "committed", "transaction": 7, "packages": [{"name": "a", "before": None, "after": "1"}]}


@pytest.mark.parametrize("field, value", [
    ("outcome", {"a": 1}), ("outcome", ["x"]), ("outcome", 5), ("transaction", ["x"]), ("packages", ["x"]), ("packages", "x"),
    ("packages", [{"name": {}}]), ("failed_check", "x"), ("failed_check", {"id": {"a": 1}}), ("hint", {})])
def test_a_field_of_a_wrong_type_spoils_the_report_of_no_other_host(collections, field, value):
    hosts, lines, shown = report_of(collections, [GOOD], [{**GOOD, field: value}], [GOOD])
    assert [host["outcome"] for host in hosts] == ["committed", "unknown", "committed"]
    assert hosts[1]["msg"].startswith(f"unexpected data from the host in the field '/{field}") and hosts[0]["msg"] is None
    assert len(lines) == 3 and lines[2].startswith("h2  committed ") and "\n".join(lines) in shown


@pytest.mark.parametrize("text", [ESCAPES, "\u009b31m", "\u202e", "\ud800", "\u2028h9  committed", "\x7f",
                                  pytest.param("x" * 9_000, id="long")])
def test_what_a_host_says_is_one_line_without_control_characters(collections, text):
    failed = {"failed": True, "msg": "it " + text, "outcome": "rolled_back" + text}
    check = {**failed, "failed_check": {"id": "import\nh9  committed" + text, "observed": "", "expected": "", "hint": None}}
    _, lines, shown = report_of(collections, [failed], [check], [GOOD])
    assert [line[:2] for line in lines] == ["h0", "h1", "h2"] and max(map(len, lines)) < 2000, lines
    assert all(line.isprintable() for line in [*lines, *shown.split("\n")])


def part(name):
    return {"ansible.builtin.include_role": {"name": f"{COLLECTION}.rolling_upgrade", "tasks_from": name}}


def document(**more):
    return {"status": "ok", "error": None, "warnings": [], "outcome": "planned", "transaction": None, "packages": [], "checks": [],
            "rollback": None, "confirm_until": None, "log": None, "changed": False, "failed": False, "msg": "plan", **more}


@pytest.fixture
def play(collections):
    """play(ANSWER, ...) -> (exit status, output): drains the hosts h0, h1, ... and installs on them, which gives these answers; the
    last one, h9, is unknown to Slurm."""
    def play(*answers):
        hosts = {}
        for name, answer in (*((f"h{number}", answer) for number, answer in enumerate(answers)), ("h9", document())):
            program = collections / f"topsctl-{name}"
            program.write_text(TOPSCTL)
            program.chmod(0o755)
            for ending, said in (("plan", document()), ("install", answer), ("history", {"status": "ok", "transactions": []})):
                program.with_name(f"{program.name}.{ending}").write_text(json.dumps(said))
            hosts[name] = {"ansible_connection": "local", "topsctl_remote_binary": str(program)}
        (collections / "inventory.json").write_text(json.dumps({"all": {"hosts": hosts}}))
        for name in ("scontrol", "sinfo", "squeue"):
            (collections / name).write_text(SLURM.format(here=collections))
            (collections / name).chmod(0o755)
        install = {f"{COLLECTION}.install": {"executable": "{{ topsctl_remote_binary }}", "bundle": ["/bundle"]}, "register": "topsctl_install"}
        (collections / "play.yml").write_text(yaml.safe_dump([{
            "hosts": "all", "gather_facts": False, "vars": {"topsctl_paths": ["/bundle"], "topsctl_slurm_poll": 1},
            "tasks": [{"ansible.builtin.set_fact": {"topsctl_was_drained": False, "topsctl_is_verified": False}},
                      part("drain_slurm"), {"block": [install], "rescue": [part("roll_back")]}]}]))
        (collections / "ansible.cfg").write_text(CONFIG.format(here=collections))
        done = subprocess.run(["ansible-playbook", "-i", collections / "inventory.json", collections / "play.yml"], check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, env={
                                  "ANSIBLE_CONFIG": str(collections / "ansible.cfg"), "HOME": str(collections), "LC_ALL": "C.UTF-8",
                                  "PATH": f"{collections}:/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONDONTWRITEBYTECODE": "1"})
        return done.returncode, done.stdout.decode()
    return play


def test_hosts_fail_alone_and_what_they_say_is_safe_for_slurm_and_the_terminal(play, collections):
    error = {"code": "step_failed", "message": ESCAPES + "\u009b\u202e it failed\nh1  committed {{ 1 + 1 }}", "context": [], "hint": None}
    code, output = play(document(status="rolled_back", error=error, outcome="rolled_back", failed=True, warnings=[ESCAPES]),
                        document(outcome={"a": 1}), document(msg=["x"]))
    assert code == 2 and "\x1b" not in output and output.partition("PLAY RECAP")[2].replace("\n", "").isprintable(), output
    report = json.loads((collections / "report.json").read_text())
    assert {host["host"]: host["outcome"] for host in report["hosts"]} == {
        "h0": "rolled_back", "h1": "unknown", "h2": "unknown", "h9": "failed_before_change"}, output
    text = (collections / "report.txt").read_text()
    assert [line[:2] for line in text.splitlines()] == ["h0", "h1", "h2", "h9"] and text.replace("\n", "").isprintable(), text
    updates = (collections / "updates").read_text().splitlines()
    drained = {f"update|nodename=h{number}|state=drain|reason=topsctl: upgrade|" for number in range(3)}
    assert drained < set(updates), "a comment is not a state"
    reasons = sorted(set(updates) - drained)
    assert [line.split("|")[1] for line in reasons] == ["nodename=h0", "nodename=h1", "nodename=h2"] and len(updates) == 6
    assert reasons[0] == "update|nodename=h0|state=drain|reason=topsctl: ?]0;x??? it failed|", reasons
    assert "h9" not in "".join(updates), "a node that Slurm does not know fails"
