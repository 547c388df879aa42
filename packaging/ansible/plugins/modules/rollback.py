#!/usr/bin/python
# The module that rolls an install back, by `topsctl rollback`.

DOCUMENTATION = r"""
module: rollback
short_description: Roll an install back and prove it
description:
  - Runs C(topsctl rollback). Check mode is C(--dry-run).
  - With I(id), a transaction that is rolled back already is left as it is, and the task is not changed.
  - Without I(id) each run rolls the latest install back. Two runs roll two installs back.
options:
  id:
    description: The transaction. Later installs are rolled back with it. By default the latest install.
    type: int
  force:
    description: Restore packages and files although they were modified afterwards.
    type: bool
    default: false
extends_documentation_fragment:
  - topsctl.topsrider.topsctl
  - topsctl.topsrider.topsctl.changes
author:
  - The authors of topsctl
"""

EXAMPLES = r"""
- name: Roll transaction 12 back
  topsctl.topsrider.rollback:
    id: 12
  become: true
"""

RETURN = r"""
outcome:
  description: C(rolled_back), C(rolled_back_with_differences), C(no_change), C(planned), C(rollback_incomplete), C(unfinished), C(failed_before_change) or
    C(unknown); null if it failed before any transaction.
  returned: always
  type: str
transaction:
  description: The number of the transaction, or null.
  returned: always
  type: int
packages:
  description: Each package with its version before and after the rollback.
  returned: when topsctl printed its document
  type: list
  elements: dict
proof:
  description: How many paths were compared, how many differ, and which.
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
  description: The document of topsctl, as C(docs/rollback.schema.json) has it.
  returned: when topsctl printed its document
  type: dict
"""

from ansible_collections.topsctl.topsrider.plugins.module_utils import topsctl

FLAGS = ("force", "lock_timeout")
HOST_UNFIT = 4  # exit status
NOTHING_TO_UNDO = ("rolled_back", "rolled_back_with_differences", "no_change", "failed_before_change")

OPTIONS = {
    "id": {"type": "int"},
    "force": {"type": "bool", "default": False},
    "lock_timeout": {"type": "int"},
}


def is_undone(module):
    """Whether there is nothing of the transaction left that a rollback could undo."""
    return any(each["id"] == module.params["id"] and each["outcome"] in NOTHING_TO_UNDO for each in topsctl.history(module))


def main():
    module = topsctl.module_with(OPTIONS)
    number = module.params["id"]
    words = topsctl.words_of(module.params, FLAGS)
    if module.check_mode:
        words.append("--dry-run")
    before = topsctl.profiles(module.params["root"])
    outcome = topsctl.run(module, "rollback", words, [] if number is None else [str(number)])
    result = topsctl.transaction_result(module, outcome)
    if outcome.code == HOST_UNFIT and number is not None and is_undone(module):
        result.update(failed=False, outcome="no_change", transaction=number, hint=None, error=None,
                      msg="there is nothing of transaction {0} to roll back".format(number))
    if outcome.document:
        after = before if module.check_mode else topsctl.profiles(module.params["root"])
        result["diff"] = topsctl.differences(outcome.document if result["changed"] else {}, before, after)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
