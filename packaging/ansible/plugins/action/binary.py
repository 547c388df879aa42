# Sends the topsctl binary to a host for the module `binary`, if the host has none or another one.

import hashlib

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase

MODULE = "topsctl.topsrider.binary"


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class ActionModule(ActionBase):
    TRANSFERS_FILES = True

    def run(self, tmp=None, task_vars=None):
        result = super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        try:
            source = self._loader.get_real_file(self._find_needle("files", arguments["src"]))
        except (AnsibleError, KeyError) as error:
            return dict(result, failed=True, changed=False, msg="cannot read the binary: {0}".format(error))
        expected = arguments.get("sha256")
        arguments["sha256"] = digest_of(source)
        if expected and expected != arguments["sha256"]:
            return dict(result, failed=True, changed=False, msg="the digest of '{0}' is {1}, not {2}".format(
                source, arguments["sha256"], expected))
        try:
            result.update(self._call(arguments, task_vars))
            if result.get("changed") and not result.get("failed") and not self._task.check_mode:
                result.update(self._call(dict(arguments, staged=self._send(source)), task_vars))
        finally:
            self._remove_tmp_path(self._connection._shell.tmpdir)
        return result

    def _call(self, arguments, task_vars):
        return self._execute_module(module_name=MODULE, module_args=arguments, task_vars=task_vars)

    def _send(self, source):
        """The path on the host."""
        if self._connection._shell.tmpdir is None:
            self._make_tmp_path()
        folder = self._connection._shell.tmpdir
        remote = self._transfer_file(source, self._connection._shell.join_path(folder, "topsctl"))
        self._fixup_perms2((folder, remote))
        return remote
