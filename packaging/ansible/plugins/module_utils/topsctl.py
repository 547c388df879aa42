# Runs topsctl for the modules of this collection and turns its JSON document into the result of a module.

import json
import os
import subprocess
import tempfile

from ansible.module_utils.basic import AnsibleModule

SEARCHED = ["/usr/local/bin", "/opt/topsctl/bin"]
PROFILES = "/etc/profile.d"
LARGEST_PROFILE = 1 << 20
EXECUTABLE = {"executable": {"type": "path"}}
COMMON = dict(EXECUTABLE, root={"type": "path"})
# In a message, so much of what topsctl wrote besides its document.
QUOTED = 2000

# What the collection reads of a document, and its types: a tuple has alternatives, a list the type of its elements.
TEXT, NUMBER = (str, None), (int, None)
PACKAGE = {"name": str, "before": TEXT, "after": TEXT}
CHECK = {"id": str, "status": str, "observed": TEXT, "expected": TEXT, "hint": TEXT}
ERROR = ({"code": str, "message": str, "context": [str], "hint": TEXT}, None)
DOCUMENT = {
    "status": str, "error": ERROR, "warnings": [str], "transaction": NUMBER, "outcome": TEXT, "packages": [PACKAGE],
    "checks": [CHECK], "stopped_at": ({"check": TEXT}, None), "changed": bool, "failed": bool, "msg": str, "log": TEXT,
    "confirm_until": TEXT, "confirmed_at": TEXT, "destination": str, "version": str, "stacks": [str],
    "rollback": ({"verified": ({"paths_checked": int, "paths_differing": int}, None)}, None),
    "plan": ({"steps": [{"action": str}]}, None),
    "transactions": [{"id": int, "kind": str, "outcome": str, "packages": [PACKAGE], "confirm_until": TEXT}],
    "targets": [{"target": str, "status": str, "error": ERROR,
                 "files": [{"name": str, "sent_bytes": int, "relayed_bytes": int, "reused": bool}]}],
}


def module_with(options, common=COMMON):
    """An AnsibleModule with the options that the modules share and these."""
    return AnsibleModule(argument_spec=dict(common, **options), supports_check_mode=True)


def words_of(params, flags, joined=()):
    """The options of a command line: {"lock_timeout": 5} -> ["--lock-timeout", "5"]. `flags` has the parameters in order."""
    words = []
    for name in flags:
        value, flag = params.get(name), "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif name in joined:
            words += [flag, ",".join(value)] if value else []
        elif isinstance(value, dict):
            for key in sorted(value):
                words += [flag, "{0}={1}".format(key, value[key])]
        elif isinstance(value, list):
            for each in value:
                words += [flag, str(each)]
        else:
            words += [flag, str(value)]
    return words


class Outcome:
    """What a run of topsctl left: its exit status (negative: the signal that ended it), its document or None, and what it
    wrote besides."""

    def __init__(self, code, document, output):
        self.code = code
        self.document = document
        self.output = output

    @property
    def error(self):
        return (self.document or {}).get("error") or {}


def misfit(value, types, path=""):
    """The path of a field that has not the type that it should have; None if all have. A field may be missing."""
    if isinstance(types, tuple):
        found = [misfit(value, each, path) for each in types]
        return None if None in found else found[0]
    if isinstance(types, dict):
        if not isinstance(value, dict):
            return path or "/"
        found = [misfit(value[name], types[name], path + "/" + name) for name in types if name in value]
    elif isinstance(types, list):
        if not isinstance(value, list):
            return path
        found = [misfit(each, types[0], "{0}/{1}".format(path, number)) for number, each in enumerate(value)]
    else:
        is_fit = value is None if types is None else isinstance(value, types) and isinstance(value, bool) == (types is bool)
        return None if is_fit else path
    return next((each for each in found if each is not None), None)


def plain(text):
    """One line for a terminal: what is not printable is a question mark."""
    return "".join(each if each.isprintable() else "?" for each in text)


def executable_of(module):
    given = module.params.get("executable")
    found = given if given and os.access(given, os.X_OK) else None
    if given is None:
        found = module.get_bin_path("topsctl", opt_dirs=SEARCHED)
    return found


def run(module, command, options, names=()):
    """Runs `topsctl COMMAND OPTIONS --json -- NAMES` -> Outcome; fails the module where there is no topsctl.

    It has a session of its own, and its output goes to files without a name: a lost connection or an interrupted playbook
    ends this module and not topsctl, which goes on to its commit or to the state before.
    """
    program = executable_of(module)
    if program is None:
        module.fail_json(msg="topsctl was not found on this host", changed=False, outcome=None,
                         hint="copy it with the module topsctl.topsrider.binary, or name it with 'executable'")
    root = ["--root", module.params["root"]] if module.params.get("root") else []
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen([program] + command.split() + options + root + ["--json", "--"] + list(names),
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
        except OSError as error:
            module.fail_json(msg="cannot run '{0}': {1}".format(program, error), changed=False, outcome=None,
                             hint="topsctl needs Linux on x86-64")
        code = process.wait()
        written = [_content(out), _content(err)]
    try:
        document = json.loads(written[0])
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or "status" not in document:
        document = None
    wrong = document and (misfit(document, DOCUMENT) or unfit_null(document))
    if wrong:
        return Outcome(code, None, "unexpected data in its field '{0}'".format(wrong))
    return Outcome(code, document, (written[1] if document else "\n".join(written)).strip()[-QUOTED:])


def unfit_null(document):
    """The field of an outcome that is null, or None: only an error that changed nothing has none."""
    is_fit = document.get("outcome", "") is not None or (document.get("error") and not document.get("changed"))
    return None if is_fit else "/outcome"


def _content(file):
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def history(module):
    """The transactions of the host, oldest first; empty where they cannot be read."""
    document = run(module, "history", []).document or {}
    return document.get("transactions") or []


def failure_without_document(module, outcome):
    """The result after topsctl was killed, or wrote something else than its document."""
    ended = "was ended by signal {0}".format(-outcome.code) if outcome.code < 0 else \
        "ended with exit status {0} and without a valid document".format(outcome.code)
    result = {"rc": outcome.code, "failed": True, "changed": False, "outcome": "unknown", "status": None,
              "transaction": None, "failed_check": None,
              "msg": "topsctl {0}{1}".format(ended, ": " + outcome.output if outcome.output else ""), "hint": None}
    last = (history(module) or [{}])[-1]
    if last.get("outcome") == "unfinished":
        result.update(outcome="unfinished", changed=True, transaction=last["id"],
                      hint="`topsctl recover`, or the next install, restores the state before transaction {0}".format(last["id"]))
    return result


def result_of(module, outcome):
    """The part of a result that all commands share."""
    if outcome.document is None:
        return failure_without_document(module, outcome)
    document, error = outcome.document, outcome.error
    check = failed_check(document)
    result = {"rc": outcome.code, "status": document["status"], "failed": outcome.code != 0, "changed": False,
              "hint": error.get("hint") or (check or {}).get("hint"), "failed_check": check,
              "error": document["error"], "report": document}
    if document.get("warnings"):
        result["warnings"] = [plain(each) for each in document["warnings"]]  # Ansible prints them as they are
    return result


def failed_check(document):
    """The first check that failed, or None; of `verify`, the one at which it stopped."""
    checks = document.get("checks") or []
    stopped = (document.get("stopped_at") or {}).get("check")
    failed = [check for check in checks if check["status"] == "fail"] or \
        [check for check in checks if check["status"] == "unknown" and check["id"] == stopped]
    named = [check for check in failed if check["id"] == stopped]
    found = (named or failed or [None])[0]
    return found and {key: found[key] for key in ("id", "rung", "status", "observed", "expected", "hint")}


def transaction_result(module, outcome):
    """The result of install or rollback."""
    result = result_of(module, outcome)
    if outcome.document is None:
        return result
    document = outcome.document
    proof = (document.get("rollback") or {}).get("verified")
    result.update(outcome=document["outcome"], transaction=document["transaction"], packages=document["packages"],
                  changed=document["changed"] or (module.check_mode and document["outcome"] == "planned"),
                  failed=document["failed"] or outcome.code != 0, confirm_until=document["confirm_until"],
                  proof=proof, log=document["log"])
    result["msg"] = sentence(document, proof) if result["failed"] else document["msg"]
    return result


def sentence(document, proof):
    """What failed, the state of the host, the proof of it, and how to proceed."""
    error = document.get("error") or {}
    parts = [": ".join(error.get("context", []) + [error.get("message", "")]) if error else "",
             "state: " + document["msg"] if document.get("msg") else ""]
    if proof:
        parts.append("rollback verified: {0} paths, {1} differences".format(proof["paths_checked"], proof["paths_differing"]))
    if error.get("hint"):
        parts.append("hint: " + error["hint"])
    return "\n".join(part for part in parts if part)


def profiles(root):
    """The files of /etc/profile.d by path, where an environment file lies."""
    found = {}
    place = (root or "").rstrip("/") + PROFILES
    for name in sorted(os.listdir(place)) if os.path.isdir(place) else []:
        path = os.path.join(place, name)
        if os.path.isfile(path) and os.path.getsize(path) <= LARGEST_PROFILE:
            with open(path, "rb") as file:
                found[PROFILES + "/" + name] = file.read().decode("utf-8", "replace")
    return found


def differences(document, before, after):
    """What `--diff` shows: the packages as lines "name version", and each environment file that differs."""
    packages = document.get("packages") or []
    shown = []
    lines = [_versions(packages, side) for side in ("before", "after")]
    if lines[0] != lines[1]:
        shown.append({"before_header": "packages", "after_header": "packages", "before": lines[0], "after": lines[1]})
    for path in sorted(set(before) | set(after)):
        if before.get(path) != after.get(path):
            shown.append({"before_header": path, "after_header": path, "before": before.get(path, ""),
                          "after": after.get(path, "")})
    return shown


def _versions(packages, side):
    return "".join("{0} {1}\n".format(each["name"], each[side]) for each in packages if each[side] is not None)


def planned_files(document, before):
    """The environment files as they would be after the plan."""
    after = dict(before)
    for step in (document.get("plan") or {}).get("steps", []):
        if step["action"] == "write-file" and step["parameters"]["path"].startswith(PROFILES + "/"):
            after[step["parameters"]["path"]] = step["parameters"]["content"]
    return after
