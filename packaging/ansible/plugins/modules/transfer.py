#!/usr/bin/python
# The module that sends a bundle from the controller to many hosts, by `topsctl transfer`.

DOCUMENTATION = r"""
module: transfer
short_description: Send the packages of a bundle to many hosts, from the controller
description:
  - Runs C(topsctl transfer). Delegate it to C(localhost), and run it once for all hosts of a rack. The role
    C(topsctl.topsrider.transfer) does so.
  - Check mode is C(--dry-run). The task is changed when bytes were sent, or would be.
  - It fails when one target failed. C(targets) tells what became of each.
  - topsctl logs in by itself, with keys, agent and C(~/.ssh/config) of the controller's user. It asks for no password here.
options:
  bundle:
    description: The bundle's directory on the controller.
    type: path
    required: true
  targets:
    description: The hosts, as C([USER@]HOST[:PORT][/CONTAINER]).
    type: list
    elements: str
    required: true
  dest:
    description: The directory on the targets; topsctl's default is C(/tmp/topsrider_install).
    type: str
  stack:
    description: Name of a stack that topsctl knows, or a stack file on the controller.
    type: str
  components:
    description: Only these components of the stack.
    type: list
    elements: str
  all:
    description: Send every file of the bundle, not only what the stack needs.
    type: bool
    default: false
  lock:
    description: Send only packages whose digests are in this file on the controller.
    type: path
  relay:
    description: Send everything once, and let the targets feed each other.
    type: bool
    default: true
  jobs:
    description: Number of targets at once; topsctl's default is 8.
    type: int
  connections:
    description: At most this many connections to a target.
    type: int
  limit_rate:
    description: At most this many bytes a second, to all targets together, for example C(20M).
    type: str
  accept_new:
    description: Accept and save unknown host keys.
    type: bool
    default: false
  identity:
    description: Key file for login.
    type: path
  ssh_config:
    description: Instead of C(~/.ssh/config).
    type: path
  jump:
    description: Hosts on the way, as C(ssh -J) has them.
    type: str
  connect_timeout:
    description: How many seconds to wait for a host; topsctl's default is 20.
    type: int
  no_sandbox:
    description: Read the packages with all rights of topsctl, where no sandbox can be had.
    type: bool
    default: false
  executable:
    description: Path of topsctl on the controller.
    type: path
author:
  - The authors of topsctl
"""

EXAMPLES = r"""
- name: Send the packages to all hosts of the play
  topsctl.topsrider.transfer:
    bundle: TopsRider_t2x_2.5.136_deb_amd64
    targets: "{{ ansible_play_batch | map('regex_replace', '^', 'root@') | list }}"
  delegate_to: localhost
  run_once: true
"""

RETURN = r"""
targets:
  description: Each target with C(status), C(error), C(fed_by), C(direct), C(files) and C(paths), where the files lie.
  returned: when topsctl printed its document
  type: list
  elements: dict
sent_bytes:
  description: What the controller sent.
  returned: when topsctl printed its document
  type: int
relayed_bytes:
  description: What the targets sent each other.
  returned: when topsctl printed its document
  type: int
hint:
  description: How to proceed, or null.
  returned: always
  type: str
rc:
  description: Exit status of topsctl; negative if a signal ended it.
  returned: always
  type: int
report:
  description: The document of topsctl, as C(docs/transfer.schema.json) has it.
  returned: when topsctl printed its document
  type: dict
"""

from ansible_collections.topsctl.topsrider.plugins.module_utils import topsctl

FLAGS = ("dest", "stack", "components", "all", "lock", "relay", "jobs", "connections", "limit_rate", "accept_new", "identity",
         "ssh_config", "jump", "connect_timeout", "no_sandbox")

OPTIONS = {
    "bundle": {"type": "path", "required": True},
    "targets": {"type": "list", "elements": "str", "required": True},
    "dest": {"type": "str"},
    "stack": {"type": "str"},
    "components": {"type": "list", "elements": "str"},
    "all": {"type": "bool", "default": False},
    "lock": {"type": "path"},
    "relay": {"type": "bool", "default": True},
    "jobs": {"type": "int"},
    "connections": {"type": "int"},
    "limit_rate": {"type": "str"},
    "accept_new": {"type": "bool", "default": False},
    "identity": {"type": "path"},
    "ssh_config": {"type": "path"},
    "jump": {"type": "str"},
    "connect_timeout": {"type": "int"},
    "no_sandbox": {"type": "bool", "default": False},
}


def bytes_of(targets, key):
    return sum(file[key] for target in targets for file in target["files"])


def sentence(targets):
    failed = [each for each in targets if each["status"] not in ("done", "planned")]
    lines = ["{0} of {1} targets failed".format(len(failed), len(targets))] if failed else \
        ["the packages are on {0} targets".format(len(targets))]
    for each in failed:
        error = each["error"] or {}
        lines.append("{0}: {1}".format(each["target"], error.get("message", each["status"])))
        if error.get("hint"):
            lines.append("  hint: " + error["hint"])
    return "\n".join(lines)


def main():
    module = topsctl.module_with(OPTIONS, topsctl.EXECUTABLE)
    words = topsctl.words_of(module.params, FLAGS, joined=("components",))
    if module.check_mode:
        words.append("--dry-run")
    outcome = topsctl.run(module, "transfer", words, [module.params["bundle"]] + module.params["targets"])
    result = topsctl.result_of(module, outcome)
    if outcome.document:
        document = outcome.document
        targets = [dict(each, paths=["{0}/{1}".format(document["destination"], file["name"]) for file in each["files"]])
                   for each in document["targets"]]
        sent, relayed = bytes_of(targets, "sent_bytes"), bytes_of(targets, "relayed_bytes")
        would = any(not file["reused"] for each in targets if each["status"] == "planned" for file in each["files"])
        result.update(targets=targets, sent_bytes=sent, relayed_bytes=relayed,
                      changed=would if module.check_mode else sent + relayed > 0,
                      msg=sentence(targets) if targets else topsctl.sentence(document, None))
        if module.check_mode and not result["failed"]:
            result["msg"] = "nothing was sent: this is the plan"
    module.exit_json(**result)


if __name__ == "__main__":
    main()
