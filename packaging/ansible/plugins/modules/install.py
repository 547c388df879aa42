#!/usr/bin/python
# The module that installs a bundle as one transaction, by `topsctl install`.

DOCUMENTATION = r"""
module: install
short_description: Install a TopsRider bundle as one transaction
description:
  - Runs C(topsctl install). Everything is installed and checked afterwards, or the host is rolled back.
  - Check mode is C(--dry-run). Diff mode shows the packages with their versions, and the environment file.
  - What is installed already is left as it is, and the task is not changed.
  - With I(confirm_timeout) the transaction is confirmed over a new connection. A host that cannot be reached any more rolls
    itself back.
options:
  bundle:
    description: The bundle's directory on the host, or its packages.
    type: list
    elements: path
    required: true
  stack:
    description: Name of a stack that topsctl knows, or a stack file on the host. By default the one that fits the bundle.
    type: str
  python:
    description: Interpreter to install for. By default the stack's first that fits a wheel.
    type: path
  components:
    description: Only these components of the stack.
    type: list
    elements: str
  accept:
    description: Findings that are no reason to refuse the bundle.
    type: list
    elements: str
  allow_downgrade:
    description: Install packages although newer versions of them are installed.
    type: bool
    default: false
  allow_older_lock:
    description: Install by a signed lock although a newer one of its key was installed.
    type: bool
    default: false
  allow_system_python:
    description: Allow an interpreter that the system manages (PEP 668).
    type: bool
    default: false
  lock:
    description: Take only packages whose digests are in this file on the host.
    type: path
  lock_sha256:
    description: The digest that I(lock) must have.
    type: str
  profile:
    description: The stack's variables for one purpose; C(none) for no profile.
    type: str
  set:
    description: Variables of the environment file, with their values. The file can be read by every user of the host.
    type: dict
  unset:
    description: Variables to leave out of the environment file.
    type: list
    elements: str
  forget_settings:
    description: Start without the profile and the variables of earlier installs.
    type: bool
    default: false
  deadline:
    description: How many seconds it may take before it is rolled back; topsctl's default is 7200.
    type: int
  confirm_timeout:
    description: Roll back this many seconds after the commit unless the transaction is confirmed.
    type: int
  confirm:
    description:
      - With I(confirm_timeout), confirm over a new connection at once.
      - With C(false), and with C(async), M(topsctl.topsrider.confirm) has to follow.
    type: bool
    default: true
  no_sandbox:
    description: Read the packages with all rights of topsctl, where no sandbox can be had.
    type: bool
    default: false
extends_documentation_fragment:
  - topsctl.topsrider.topsctl
  - topsctl.topsrider.topsctl.changes
author:
  - The authors of topsctl
"""

EXAMPLES = r"""
- name: Install TopsRider
  topsctl.topsrider.install:
    bundle: /tmp/topsrider_install
  become: true

- name: Install it on a host that rolls itself back when it cannot be reached afterwards
  topsctl.topsrider.install:
    bundle: /tmp/topsrider_install
    lock: /etc/topsctl/approved.lock
    confirm_timeout: 300
    profile: prod
    set:
      OMP_NUM_THREADS: "5"
  become: true
"""

RETURN = r"""
outcome:
  description: C(committed), C(no_change), C(planned), C(rolled_back), C(rolled_back_with_differences), C(rollback_incomplete), C(unfinished),
    C(failed_before_change), C(unconfirmed) or C(unknown); null if it failed before any transaction.
  returned: always
  type: str
transaction:
  description: The number of the transaction, or null.
  returned: always
  type: int
packages:
  description: Each package with its version before and after.
  returned: when topsctl printed its document
  type: list
  elements: dict
failed_check:
  description: The check that failed, with C(id), C(observed), C(expected) and C(hint), or null.
  returned: always
  type: dict
proof:
  description: After a rollback, how many paths were compared and how many differ.
  returned: when topsctl printed its document
  type: dict
confirm_until:
  description: When the transaction is rolled back unless it is confirmed, or null.
  returned: when topsctl printed its document
  type: str
confirmation:
  description: What the confirmation said.
  returned: when the transaction had to be confirmed
  type: dict
hint:
  description: How to proceed, or null.
  returned: always
  type: str
rc:
  description: Exit status of topsctl, as C(docs/exit-codes.md) has it; negative if a signal ended it.
  returned: always
  type: int
report:
  description: The document of topsctl, as C(docs/install.schema.json) has it.
  returned: when topsctl printed its document
  type: dict
"""

from ansible_collections.topsctl.topsrider.plugins.module_utils import topsctl

FLAGS = ("stack", "python", "components", "accept", "allow_downgrade", "allow_older_lock", "allow_system_python",
         "lock", "lock_sha256", "profile", "set", "unset", "forget_settings", "lock_timeout", "deadline",
         "confirm_timeout", "no_sandbox")

OPTIONS = {
    "bundle": {"type": "list", "elements": "path", "required": True},
    "stack": {"type": "str"},
    "python": {"type": "path"},
    "components": {"type": "list", "elements": "str"},
    "accept": {"type": "list", "elements": "str"},
    "allow_downgrade": {"type": "bool", "default": False},
    "allow_older_lock": {"type": "bool", "default": False},
    "allow_system_python": {"type": "bool", "default": False},
    "lock": {"type": "path"},
    "lock_sha256": {"type": "str"},
    "profile": {"type": "str"},
    "set": {"type": "dict"},
    "unset": {"type": "list", "elements": "str"},
    "forget_settings": {"type": "bool", "default": False},
    "lock_timeout": {"type": "int"},
    "deadline": {"type": "int"},
    "confirm_timeout": {"type": "int"},
    "confirm": {"type": "bool", "default": True},
    "no_sandbox": {"type": "bool", "default": False},
}


def main():
    module = topsctl.module_with(OPTIONS)
    words = topsctl.words_of(module.params, FLAGS, joined=("components",))
    if module.check_mode:
        words.append("--dry-run")
    before = topsctl.profiles(module.params["root"])
    outcome = topsctl.run(module, "install", words, module.params["bundle"])
    result = topsctl.transaction_result(module, outcome)
    if outcome.document:
        after = topsctl.planned_files(outcome.document, before) if module.check_mode else \
            topsctl.profiles(module.params["root"])
        changed = outcome.document if result["changed"] else {}
        result["diff"] = topsctl.differences(changed, before, after)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
