"""The modules of the Ansible collection by themselves, with a topsctl that answers as it is told."""

import ast
import json
import os
import subprocess
import sys

import pytest

MODULES = ("binary", "confirm", "facts", "install", "rollback", "transfer", "verify")
DOUBLE = """#!/bin/sh
# A double of topsctl: it notes its arguments, and answers by the files that are named after the command.
here=$(dirname "$0")
echo "$*" >>"$here/asked"
cat "$here/$1.out"
code=$(cat "$here/$1.code")
[ "$code" -lt 0 ] && kill "$code" $$
exit "$code"
"""
STATUS = {0: "ok", 1: "failed", 2: "usage", 3: "bad_input", 4: "host_unfit", 5: "problems", 6: "unreachable",
          7: "rollback_incomplete", 8: "rolled_back", 9: "partial", 10: "unfinished", 130: "interrupted", 143: "terminated"}
CODE = {1: "step_failed", 2: "usage", 3: "bad_bundle", 4: "busy", 6: "unreachable", 7: "rollback_incomplete", 8: "checks_failed",
        9: "some_failed", 10: "unfinished", 130: "interrupted", 143: "terminated"}
PROOF = {"verified": {"paths_checked": 20, "paths_differing": 0, "differing": []}}
CHECK = {"id": "torch-gcu-import", "rung": "import", "status": "fail", "observed": "ImportError", "expected": "it works",
         "hint": "run ldconfig", "output": None, "duration_ms": 3}
PACKAGE = {"name": "tops-eccl", "kind": "deb", "before": "1", "after": "2", "purl": "pkg:deb/tops-eccl@2"}


def document(command, code, **more):
    error = None if code in (0, 5) else {"code": CODE[code], "message": "it went wrong", "context": ["step 3"],
                                         "hint": "do it differently"}
    return {"schema": 1, "command": command, "topsctl_version": "0.1.0", "status": STATUS[code], "error": error,
            "warnings": ["a warning"], **more}


def transaction(command, code, outcome, **more):
    return document(command, code, **{
        "host": "t20-1", "user": "root", "started_at": "2026-01-01T00:00:00Z", "bundle": None, "transaction": 7, "outcome": outcome, "root": "/", "plan": None, "phases": [], "steps": [], "checks": [],
        "packages": [PACKAGE], "write_set": {"known": "predicted", "reason": None, "paths": 0, "bytes": 0, "linked": 0,
                                             "copied": 0},
        "rollback": None, "compared": None, "escaped_paths": [], "not_restored": [], "kept_of_others": [], "stops": [],
        "durability": {"synced_mounts": []}, "locks": [], "inputs": [], "log": None, "logs": [], "confirm_until": None,
        "rebuilt": False, "changed": outcome in ("committed", "rollback_incomplete", "unfinished"), "failed": code != 0,
        "msg": "the state", **more})


def history(*outcomes):
    return document("history", 0, reports=None, pruned=None, transactions=[
        {"id": number, "kind": "install", "started_at": "2026-01-01T00:00:00Z", "user": "root", "command": "topsctl install",
         "host": "t20-1", "bundle": None, "reason": None, "outcome": outcome, "packages": [PACKAGE], "project": None, "patched": [], "kept_bytes": 0, "can_be_undone": False,
         "confirm_until": None} for number, outcome in enumerate(outcomes, 1)])


@pytest.fixture
def call(repository, tmp_path, schema):
    """call(module, arguments, answers, check_mode=False) -> what the module prints. `answers`: command -> (exit status,
    document or text); a negative status is a signal."""
    linked = tmp_path / "ansible_collections" / "topsctl"
    linked.mkdir(parents=True)
    (linked / "topsrider").symlink_to(repository / "packaging" / "ansible")
    program = tmp_path / "topsctl"
    program.write_text(DOUBLE)
    program.chmod(0o755)

    def call(module, arguments, answers, check_mode=False):
        for command, (code, answer) in answers.items():
            if not isinstance(answer, str):
                schema(answer, command)
            (tmp_path / f"{command}.out").write_text(answer if isinstance(answer, str) else json.dumps(answer))
            (tmp_path / f"{command}.code").write_text(str(code))
        given = {"executable": str(program), **arguments, "_ansible_check_mode": check_mode, "_ansible_remote_tmp": str(tmp_path)}
        done = subprocess.run([sys.executable, "-B", linked / "topsrider" / "plugins" / "modules" / f"{module}.py"],
                              input=json.dumps({"ANSIBLE_MODULE_ARGS": given}), capture_output=True, text=True, check=False,
                              env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path), "LC_ALL": "C.UTF-8"})
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    call.asked = lambda: (tmp_path / "asked").read_text().splitlines()
    return call


@pytest.mark.parametrize("code, outcome, changed", [
    (0, "committed", True), (0, "no_change", False), (1, "failed_before_change", False), (2, None, False),
    (3, None, False), (4, None, False), (7, "rollback_incomplete", True),
    (8, "rolled_back", False), (10, "unfinished", True), (130, "rolled_back", False), (143, "rolled_back", False)])
def test_an_install_says_what_state_the_host_is_in(call, code, outcome, changed):
    more = {"checks": [CHECK], "rollback": PROOF} if outcome == "rolled_back" else {}
    said = call("install", {"bundle": ["/b"]}, {"install": (code, transaction("install", code, outcome, **more))})
    assert (said["rc"], said["outcome"], said["changed"], said["failed"]) == (code, outcome, changed, code != 0), said
    assert said["transaction"] == 7 and said["report"]["status"] == STATUS[code] and said["warnings"] == ["a warning"]
    assert bool(said["diff"]) == changed
    if code:
        assert "step 3: it went wrong" in said["msg"] and "state: the state" in said["msg"], said["msg"]
        assert said["hint"] == "do it differently"
    if more:
        assert said["failed_check"]["id"] == "torch-gcu-import" and "rollback verified: 20 paths, 0 differences" in said["msg"]
        assert said["proof"] == PROOF["verified"]


def test_check_mode_is_a_dry_run_and_every_option_has_its_flag(call):
    plan = transaction("install", 0, "planned", changed=False)
    said = call("install", {"bundle": ["/b"]}, {"install": (0, plan)}, check_mode=True)
    assert said["changed"] and not said["failed"] and said["diff"][0]["after"] == "tops-eccl 2\n"
    call("install", {"bundle": ["/a", "/b"], "components": ["x", "y"], "accept": ["f", "g"], "set": {"B": 2, "A": "1 1"},
                     "allow_downgrade": True, "confirm_timeout": 9, "root": "/srv/image"},
         {"install": (0, transaction("install", 0, "no_change"))})
    assert call.asked() == ["install --dry-run --json -- /b",
                            "install --components x,y --accept f --accept g --allow-downgrade --set A=1 1 --set B=2 "
                            "--confirm-timeout 9 --root /srv/image --json -- /a /b"]


@pytest.mark.parametrize("left, changed", [("unfinished", True), ("rolled_back", False)])
def test_a_topsctl_that_is_killed_is_a_failure_and_its_journal_tells_the_rest(call, left, changed):
    said = call("install", {"bundle": ["/b"]}, {"install": (-9, ""), "history": (0, history("committed", left))})
    assert (said["failed"], said["changed"], said["rc"]) == (True, changed, -9), said
    assert "signal 9" in said["msg"] and (said["transaction"] == 2 and "topsctl recover" in said["hint"]) == changed


def test_an_answer_that_is_no_document_is_shown(call):
    said = call("install", {"bundle": ["/b"]}, {"install": (1, "Illegal instruction"), "history": (0, history())})
    assert said["failed"] and not said["changed"] and "Illegal instruction" in said["msg"]
    missing = call("install", {"bundle": ["/b"], "executable": "/nowhere/topsctl"}, {})
    assert missing["failed"] and "topsctl was not found" in missing["msg"] and "binary" in missing["hint"]


@pytest.mark.parametrize("code", [0, 8])
@pytest.mark.parametrize("field, value", [
    ("outcome", {"a": 1}), ("outcome", None), ("transaction", "7"), ("transaction", True), ("packages", ["x"]), ("packages", None),
    ("checks", [{**CHECK, "id": ["x"]}]), ("warnings", [["x"]]), ("rollback", {"verified": []}), ("msg", 5), ("failed", "no"), ("plan", [])])
def test_a_field_of_a_wrong_type_is_a_failure_and_named(call, code, field, value):
    told = json.dumps({**transaction("install", code, "committed"), field: value})
    said = call("install", {"bundle": ["/b"]}, {"install": (code, told), "history": (0, history())})
    assert (said["failed"], said["changed"], said["outcome"], said["rc"]) == (True, False, "unknown", code), said
    assert f"unexpected data in its field '/{field}" in said["msg"]


def test_what_ansible_prints_as_it_is_has_no_control_characters(call):
    told = {**transaction("install", 0, "committed"), "warnings": ["\x1b]0;x\x07\u202e", "\u6f22\u5b57"]}
    said = call("install", {"bundle": ["/b"]}, {"install": (0, told)})
    assert said["warnings"] == ["?]0;x??", "\u6f22\u5b57"] and not said["failed"]


@pytest.mark.parametrize("code, outcome, changed, before", [
    (0, "rolled_back", True, "committed"), (4, None, False, "committed"),
    (7, "rollback_incomplete", True, "committed"), (10, "unfinished", True, "committed"), (4, "no_change", False, "rolled_back")])
def test_a_rollback_says_what_state_the_host_is_in(call, code, outcome, changed, before):
    told = transaction("rollback", code, None if code == 4 else outcome, changed=changed)
    said = call("rollback", {"id": 2}, {"rollback": (code, told), "history": (0, history("committed", before))})
    failed = outcome not in ("rolled_back", "no_change")
    assert (said["outcome"], said["changed"], said["failed"]) == (outcome, changed, failed), said


@pytest.mark.parametrize("code", [0, 3, 4, 5, 7, 130, 143])
def test_a_verification_fails_by_its_check(call, code):
    told = document("verify", code, api=None, stack="s", release=None, python=None, checks=[CHECK] if code == 5 else [],
                    stopped_at={"rung": "import", "check": CHECK["id"]} if code == 5 else None)
    said = call("verify", {"level": "import"}, {"verify": (code, told)})
    assert (said["changed"], said["failed"], said["rc"]) == (False, code != 0, code), said
    assert (said["failed_check"] or {}).get("id") == (CHECK["id"] if code == 5 else None)
    assert code != 5 or said["msg"] == "check 'torch-gcu-import' failed: ImportError; expected: it works\nhint: run ldconfig"


@pytest.mark.parametrize("code, outcome", [(0, "confirmed"), (0, "no_change"), (4, None), (8, None)])
def test_a_confirmation_says_whether_it_counts(call, code, outcome):
    told = document("confirm", code, transaction=7, outcome=outcome, confirmed_at=None, changed=False, failed=code != 0,
                    msg="said")
    said = call("confirm", {"id": 7}, {"confirm": (code, told)})
    assert (said["outcome"], said["failed"], said["changed"]) == (outcome, code != 0, False), said


@pytest.mark.parametrize("code, statuses, sent, changed", [
    (0, ["done", "done"], 5, True), (0, ["done", "done"], 0, False), (9, ["done", "failed"], 5, True),
    (6, ["failed", "failed"], 0, False), (3, [], 0, False)])
def test_a_transfer_is_changed_when_bytes_were_sent(call, code, statuses, sent, changed):
    error = {"code": "unreachable", "message": "no answer", "context": [], "hint": None}
    targets = [{"target": f"h{number}", "status": status, "connections": 1,
                "round_trip_us": 1, "retries": 0, "clock_offset_s": 0, "fed_by": None, "direct": False, "duration_ms": 1,
                "error": error if status == "failed" else None,
                "files": [{"name": "a.deb", "size": 5, "sha256": None, "sent_bytes": sent, "relayed_bytes": 0, "reused": not sent,
                           "resumed_at": 0}] if status == "done" else []} for number, status in enumerate(statuses)]
    told = document("transfer", code, destination="/tmp/d", stack="s", inputs=[], targets=targets)
    said = call("transfer", {"bundle": "b", "targets": ["h0", "h1"]}, {"transfer": (code, told)})
    assert (said["changed"], said["failed"]) == (changed, code != 0), said
    assert [each["paths"] for each in said["targets"]] == [["/tmp/d/a.deb"] if each == "done" else [] for each in statuses]
    assert call.asked() == ["transfer --relay --json -- b h0 h1"]
    assert not code or ("no answer" if statuses else "it went wrong") in said["msg"], said["msg"]


def test_the_facts_of_a_host_with_and_without_topsctl(call):
    told = document("version", 0, version="0.1.0", stacks=["s"], linked={"archive": "asked", "packages": []}, libraries={
        name: "1" for name in ("libssh", "libarchive", "libcrypto", "liblzma")})
    said = call("facts", {}, {"version": (0, told), "history": (0, history("rolled_back", "committed", "unfinished"))})
    facts = said["ansible_facts"]["topsctl"]
    assert (facts["version"], facts["installed"], facts["packages"], facts["unfinished"]) == ("0.1.0", 2, {"tops-eccl": "2"}, 3)
    none = call("facts", {"executable": "/nowhere/topsctl"}, {})
    assert none["ansible_facts"]["topsctl"]["version"] is None and not none.get("failed")


@pytest.mark.parametrize("module", MODULES)
def test_a_module_runs_on_python_3_6(repository, module):
    plugins = repository / "packaging" / "ansible" / "plugins"
    for path in (plugins / "modules" / f"{module}.py", plugins / "module_utils" / "topsctl.py"):
        tree = ast.parse(path.read_text(), feature_version=(3, 6))
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)], f"{path}: an f-string"
        names = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        assert names <= {"hashlib", "json", "os", "shutil", "stat", "subprocess", "tempfile"}, names


OPTIONS = """
import importlib, json, sys
place = "ansible_collections.topsctl.topsrider.plugins."
shared = importlib.import_module(place + "module_utils.topsctl")
print(json.dumps({name: {**({} if name == "binary" else shared.EXECUTABLE if name == "transfer" else shared.COMMON),
                         **importlib.import_module(place + "modules." + name).OPTIONS} for name in sys.argv[1:]}))
"""


def test_every_option_is_documented_as_it_is_and_every_page_can_be_printed(call, tmp_path):
    def told(*argv):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "PYTHONPATH": str(tmp_path),
                       "ANSIBLE_COLLECTIONS_PATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([*argv], capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0 and "ERROR" not in done.stderr, done.stderr
        return done.stdout

    pages = json.loads(told("ansible-doc", "--json", *(f"topsctl.topsrider.{module}" for module in MODULES)))
    options = json.loads(told(sys.executable, "-B", "-c", OPTIONS, *MODULES))
    for module in MODULES:
        page = pages[f"topsctl.topsrider.{module}"]
        assert page["examples"] and page["return"], module
        documented = {name: {key: option[key] for key in ("type", "elements", "default", "choices", "required")
                             if option.get(key) is not None} for name, option in page["doc"]["options"].items()}
        assert documented == options[module], module
    for kind, name in (("role", "transfer"), ("role", "rolling_upgrade"), ("callback", "fleet_report")):
        assert "OPTIONS (= is mandatory)" in told("ansible-doc", "--type", kind, f"topsctl.topsrider.{name}")


CONFIRMING = """
import importlib, json, sys, types
from ansible.errors import AnsibleConnectionFailure
install = importlib.import_module("ansible_collections.topsctl.topsrider.plugins.action.install")
install.PAUSE_S = 0.01
lost, seconds, said = json.loads(sys.argv[1])

class Action(install.ActionModule):
    def __init__(self):
        self._task = types.SimpleNamespace(args={"confirm_timeout": seconds, "bundle": ["/b"]}, async_val=0, check_mode=False)
        self._connection = types.SimpleNamespace(_shell=types.SimpleNamespace(tmpdir="/tmp"), reset=self.reset)
        self.lost = lost
    def reset(self):
        self.lost -= 1
        if self.lost >= 0:
            raise AnsibleConnectionFailure("no route")
    def _remove_tmp_path(self, path):
        pass
    def _execute_module(self, module_name, module_args=None, **more):
        if module_name == install.CONFIRM:
            return dict(said, asked=module_args)
        return {"failed": False, "changed": True, "outcome": "committed", "transaction": 7, "confirm_until": "then", "rc": 0}

try:
    result = Action().run(task_vars={})
except AnsibleConnectionFailure as error:
    result = {"lost": str(error)}
print(json.dumps(result))
"""


@pytest.mark.parametrize("lost, seconds, rc, expected", [
    (0, 60, 0, {"outcome": "committed", "changed": True, "failed": False}),
    (3, 60, 0, {"outcome": "committed", "changed": True, "failed": False}),
    (0, 60, 8, {"outcome": "unconfirmed", "changed": False, "failed": True}),  # too late: the host rolls itself back
    (0, 60, 4, {"outcome": "unconfirmed", "changed": True, "failed": True}),
    (9999, 0.1, 0, None)])
def test_a_commit_is_confirmed_as_soon_as_the_host_is_reached_once_more(call, tmp_path, lost, seconds, rc, expected):
    said = {"failed": rc != 0, "rc": rc, "msg": "said", "outcome": "confirmed"}
    done = subprocess.run([sys.executable, "-B", "-c", CONFIRMING, json.dumps([lost, seconds, said])], check=False,
                          capture_output=True, text=True,
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    if expected is None:
        assert "transaction 7 was committed" in result["lost"] and "rolls itself back at then" in result["lost"], result
    else:
        assert {key: result[key] for key in expected} == expected and result["confirmation"]["rc"] == rc, result
