#!/usr/bin/python
# The module that gathers what topsctl knows of a host, as facts.

DOCUMENTATION = r"""
module: facts
short_description: Gather the version of topsctl and its transactions on a host
description:
  - Runs C(topsctl version) and C(topsctl history), and sets the fact C(topsctl).
  - A host without topsctl is no failure. C(topsctl.version) is null then.
  - The task is never changed. It runs in check mode, too.
extends_documentation_fragment:
  - topsctl.topsrider.topsctl
author:
  - The authors of topsctl
"""

EXAMPLES = r"""
- name: Gather the facts
  topsctl.topsrider.facts:
  become: true

- name: Show the installed versions
  ansible.builtin.debug:
    var: topsctl.packages
"""

RETURN = r"""
ansible_facts:
  description: The fact C(topsctl).
  returned: always
  type: dict
  contains:
    topsctl:
      description: What topsctl knows of the host.
      returned: always
      type: dict
      contains:
        executable:
          description: Path of topsctl, or null.
          type: str
        version:
          description: Version of topsctl, or null.
          type: str
        stacks:
          description: The stacks that it knows.
          type: list
        transactions:
          description: All transactions, oldest first, as C(docs/history.schema.json) has them.
          type: list
        installed:
          description: Number of the latest committed install, or null.
          type: int
        packages:
          description: What the committed installs left, package to version.
          type: dict
        unconfirmed:
          description: Number of the transaction that awaits its confirmation, or null.
          type: int
        unfinished:
          description: Number of the transaction that was cut off, or null.
          type: int
"""

from ansible_collections.topsctl.topsrider.plugins.module_utils import topsctl


OPTIONS = {}


def gathered(executable, version, transactions):
    committed = [each for each in transactions if each["kind"] == "install" and each["outcome"] == "committed"]
    packages = {}
    for each in committed:
        packages.update((package["name"], package["after"]) for package in each["packages"])
    return {
        "executable": executable, "version": version.get("version"), "stacks": version.get("stacks", []),
        "transactions": transactions, "installed": committed[-1]["id"] if committed else None,
        "packages": {name: after for name, after in packages.items() if after is not None},
        "unconfirmed": next((each["id"] for each in transactions if each["confirm_until"]), None),
        "unfinished": next((each["id"] for each in transactions if each["outcome"] == "unfinished"), None),
    }


def main():
    module = topsctl.module_with(OPTIONS)
    executable = topsctl.executable_of(module)
    if executable is None:
        module.exit_json(changed=False, ansible_facts={"topsctl": gathered(None, {}, [])})
    root, module.params["root"] = module.params["root"], None  # `version` has no --root
    version = topsctl.run(module, "version", [])
    module.params["root"] = root
    listed = topsctl.run(module, "history", [])
    for outcome in (version, listed):
        if outcome.document is None or outcome.code != 0:
            result = topsctl.result_of(module, outcome)
            if outcome.document:
                result["msg"] = topsctl.sentence(outcome.document, None)
            module.exit_json(**dict(result, failed=True))
    module.exit_json(changed=False, ansible_facts={
        "topsctl": gathered(executable, version.document, listed.document["transactions"])})


if __name__ == "__main__":
    main()
