#!/usr/bin/python
# The module that confirms a committed install, by `topsctl confirm`.

DOCUMENTATION = r"""
module: confirm
short_description: Keep an install that was made with a confirmation timeout
description:
  - Runs C(topsctl confirm). It must come over another connection than the install.
  - M(topsctl.topsrider.install) does this itself. This module is for installs with C(confirm=false) or C(async).
  - The task is never changed. In check mode nothing is confirmed.
options:
  id:
    description: The transaction.
    type: int
    required: true
extends_documentation_fragment:
  - topsctl.topsrider.topsctl
  - topsctl.topsrider.topsctl.changes
author:
  - The authors of topsctl
"""

EXAMPLES = r"""
- name: End the connection of the install
  ansible.builtin.meta: reset_connection

- name: Confirm it
  topsctl.topsrider.confirm:
    id: "{{ installed.transaction }}"
  become: true
"""

RETURN = r"""
outcome:
  description: C(confirmed), C(no_change), or null if the command failed.
  returned: when topsctl printed its document
  type: str
confirmed_at:
  description: When it was confirmed, or null.
  returned: when topsctl printed its document
  type: str
hint:
  description: How to proceed, or null.
  returned: always
  type: str
rc:
  description: Exit status of topsctl; negative if a signal ended it.
  returned: always
  type: int
report:
  description: The document of topsctl, as C(docs/confirm.schema.json) has it.
  returned: when topsctl printed its document
  type: dict
"""

from ansible_collections.topsctl.topsrider.plugins.module_utils import topsctl

OPTIONS = {
    "id": {"type": "int", "required": True},
    "lock_timeout": {"type": "int"},
}


def main():
    module = topsctl.module_with(OPTIONS)
    number = str(module.params["id"])
    if module.check_mode:
        module.exit_json(changed=False, msg="transaction {0} is not confirmed in check mode".format(number))
    outcome = topsctl.run(module, "confirm", topsctl.words_of(module.params, ("lock_timeout",)), [number])
    result = topsctl.result_of(module, outcome)
    if outcome.document:
        document = outcome.document
        result.update(outcome=document["outcome"], confirmed_at=document["confirmed_at"],
                      msg=topsctl.sentence(document, None) if result["failed"] else document["msg"])
    module.exit_json(**result)


if __name__ == "__main__":
    main()
