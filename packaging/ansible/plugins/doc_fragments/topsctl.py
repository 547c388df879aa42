# The documentation of the options that every module of this collection has.


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  executable:
    description:
      - Path of topsctl.
      - By default it is looked for in C(PATH), C(/usr/local/bin) and C(/opt/topsctl/bin).
    type: path
  root:
    description: Root directory of the system to work on.
    type: path
notes:
  - topsctl runs in a session of its own. A lost connection or an interrupted playbook does not end it.
  - No option takes a secret. Passwords for SSH and sudo are those of Ansible.
"""

    CHANGES = r"""
options:
  lock_timeout:
    description: How many seconds to wait for each lock; topsctl's default is 120.
    type: int
"""
