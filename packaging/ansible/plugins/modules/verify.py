#!/usr/bin/python
# The module that checks an installed stack, by `topsctl verify`.

DOCUMENTATION = r"""
module: verify
short_description: Check an installed TopsRider stack, level by level
description:
  - Runs C(topsctl verify). A failed check fails the task.
  - The task is never changed. It runs in check mode, too.
  - The levels C(device) to C(perf) use the cards. Drain the host first.
options:
  stack:
    description: Name of a stack that topsctl knows, or a stack file on the host. By default the first known stack.
    type: str
  python:
    description: Interpreter to check.
    type: path
  level:
    description: Highest check level; topsctl's default is C(ranks).
    type: str
    choices: [files, load, import, device, single, ranks, perf]
  cards:
    description: How many cards the host should have.
    type: int
  ranks:
    description: How many processes the level C(ranks) starts.
    type: int
  timeout:
    description: How many seconds each process may take.
    type: int
extends_documentation_fragment:
  - topsctl.topsrider.topsctl
author:
  - The authors of topsctl
"""

EXAMPLES = r"""
- name: Check the installed files and the import of torch_gcu
  topsctl.topsrider.verify:
    level: import
  become: true
"""

RETURN = r"""
checks:
  description: Each check with C(id), C(rung), C(status), C(observed), C(expected) and C(hint).
  returned: when topsctl printed its document
  type: list
  elements: dict
failed_check:
  description: The check that failed, or null.
  returned: always
  type: dict
stopped_at:
  description: Level and check at which it stopped, or null.
  returned: when topsctl printed its document
  type: dict
hint:
  description: How to proceed, or null.
  returned: always
  type: str
rc:
  description: Exit status of topsctl; negative if a signal ended it.
  returned: always
  type: int
report:
  description: The document of topsctl, as C(docs/verify.schema.json) has it.
  returned: when topsctl printed its document
  type: dict
"""

from ansible_collections.topsctl.topsrider.plugins.module_utils import topsctl

FLAGS = ("stack", "python", "level", "cards", "ranks", "timeout")

OPTIONS = {
    "stack": {"type": "str"},
    "python": {"type": "path"},
    "level": {"type": "str", "choices": ["files", "load", "import", "device", "single", "ranks", "perf"]},
    "cards": {"type": "int"},
    "ranks": {"type": "int"},
    "timeout": {"type": "int"},
}


def sentence(document, check):
    if document["error"]:
        return topsctl.sentence(document, None)
    if check:
        text = "check '{id}' failed: {observed}; expected: {expected}".format(**check)
        return text + ("\nhint: " + check["hint"] if check["hint"] else "")
    return "no check failed"


def main():
    module = topsctl.module_with(OPTIONS)
    outcome = topsctl.run(module, "verify", topsctl.words_of(module.params, FLAGS))
    result = topsctl.result_of(module, outcome)
    if outcome.document:
        result.update(checks=outcome.document.get("checks", []), stopped_at=outcome.document.get("stopped_at"),
                      msg=sentence(outcome.document, result["failed_check"]))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
