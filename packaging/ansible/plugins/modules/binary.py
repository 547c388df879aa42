#!/usr/bin/python
# The module that puts the topsctl binary of the controller on a host; its action plugin sends the bytes.

DOCUMENTATION = r"""
module: binary
short_description: Put the topsctl binary on a host
description:
  - Copies the static binary of the controller to the host, if the host has none or another one.
  - It is checked by its digest and run once (C(topsctl version)) before it takes its name by a rename.
  - In check mode nothing is copied.
options:
  src:
    description: The binary on the controller, as M(ansible.builtin.copy) finds files.
    type: path
    required: true
  dest:
    description: Its path on the host. Its directory must exist.
    type: path
    default: /usr/local/bin/topsctl
  sha256:
    description: The digest that the binary must have. By default it is read from I(src).
    type: str
  staged:
    description: Where the action plugin has put the bytes. Leave it out.
    type: path
author:
  - The authors of topsctl
"""

EXAMPLES = r"""
- name: Copy topsctl to the host
  topsctl.topsrider.binary:
    src: files/topsctl
    sha256: "{{ approved_digest }}"
  become: true
"""

RETURN = r"""
dest:
  description: Its path on the host.
  returned: always
  type: str
sha256:
  description: The digest of the binary.
  returned: always
  type: str
version:
  description: The version that it prints.
  returned: when it was copied
  type: str
"""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import tempfile

from ansible.module_utils.basic import AnsibleModule

BLOCK = 1 << 20
MODE = 0o755

OPTIONS = {
    "src": {"type": "path", "required": True},
    "dest": {"type": "path", "default": "/usr/local/bin/topsctl"},
    "sha256": {"type": "str"},
    "staged": {"type": "path"},
}


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(BLOCK), b""):
            digest.update(block)
    return digest.hexdigest()


def state_of(path):
    """The digest of the file at the path and whether everybody may run it; (None, False) when there is none."""
    if not os.path.isfile(path):
        return None, False
    return digest_of(path), stat.S_IMODE(os.stat(path).st_mode) & MODE == MODE


def version_of(path):
    """What the program says of itself; an OSError, ValueError or KeyError when it is not topsctl, or does not run here."""
    done = subprocess.run([path, "version", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    return json.loads(done.stdout.decode("utf-8", "replace"))["version"]


def put(module, staged, dest, digest):
    """Writes a copy beside `dest`, checks it, and renames it; its version."""
    folder = os.path.dirname(dest)
    handle, part = tempfile.mkstemp(prefix=".topsctl-", dir=folder)
    try:
        with open(staged, "rb") as source, os.fdopen(handle, "wb") as target:
            shutil.copyfileobj(source, target, BLOCK)
            target.flush()
            os.fsync(target.fileno())
        os.chmod(part, MODE)
        if digest_of(part) != digest:
            module.fail_json(msg="the digest of the copy is not {0}".format(digest), changed=False)
        try:
            version = version_of(part)
        except (OSError, ValueError, KeyError, TypeError) as error:
            module.fail_json(msg="the binary does not run on this host, or is not topsctl: {0}".format(error), changed=False,
                             hint="topsctl needs Linux on x86-64, and a directory where programs may run")
        os.rename(part, dest)
        part = None
        sync(folder)
        return version
    finally:
        if part is not None:
            os.unlink(part)


def sync(folder):
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def main():
    module = AnsibleModule(argument_spec=OPTIONS, supports_check_mode=True)
    dest, digest, staged = module.params["dest"], module.params["sha256"], module.params["staged"]
    if not digest:
        module.fail_json(msg="the action plugin of this module did not run: call it as topsctl.topsrider.binary")
    if os.path.isdir(dest) or not os.path.isdir(os.path.dirname(dest)):
        module.fail_json(msg="'{0}' is a directory, or its directory is missing".format(dest), changed=False)
    before, runs = state_of(dest)
    result = {"changed": before != digest or not runs, "dest": dest, "sha256": digest, "failed": False}
    result["diff"] = {"before_header": dest, "after_header": dest, "after": "sha256 {0}\n".format(digest),
                      "before": "sha256 {0}\n".format(before) if before else ""}
    if result["changed"] and staged and not module.check_mode:
        result["version"] = put(module, staged, dest, digest)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
