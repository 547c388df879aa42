# Runs the module `install`, and confirms what it committed over a new connection.

import time

from ansible.errors import AnsibleConnectionFailure
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase

INSTALL, CONFIRM = "topsctl.topsrider.install", "topsctl.topsrider.confirm"
PAUSE_S = 2  # before the host is tried once more
TOO_LATE = 8  # exit status


class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        self._supports_async = True
        result = super().run(tmp, task_vars)
        arguments = self._task.args
        try:
            result.update(self._execute_module(module_name=INSTALL, task_vars=task_vars, wrap_async=self._task.async_val))
            if result.get("confirm_until") and not result.get("failed") and boolean(arguments.get("confirm", True)):
                self._confirm(result, arguments, task_vars)
        finally:
            if not self._task.async_val:
                self._remove_tmp_path(self._connection._shell.tmpdir)
        return result

    def _confirm(self, result, arguments, task_vars):
        words = {name: arguments[name] for name in ("executable", "root", "lock_timeout") if name in arguments}
        words["id"] = result["transaction"]
        said = self._over_new_connection(words, float(arguments["confirm_timeout"]), result, task_vars)
        result["confirmation"] = {key: said.get(key) for key in ("outcome", "confirmed_at", "msg", "rc", "hint")}
        if not said.get("failed"):
            result["msg"] = "transaction {0} committed and confirmed".format(result["transaction"])
            return
        result.update(failed=True, outcome="unconfirmed", hint=said.get("hint"), rc=said.get("rc"),
                      changed=said.get("rc") != TOO_LATE,
                      msg="transaction {0} was committed, but not confirmed: {1}".format(result["transaction"], said.get("msg")))

    def _over_new_connection(self, words, seconds, result, task_vars):
        """What the module says. A host that is not reached is tried until it has rolled itself back."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                self._connection.reset()
                return self._execute_module(module_name=CONFIRM, module_args=words, task_vars=task_vars)
            except AnsibleConnectionFailure as error:
                if time.monotonic() >= deadline:
                    raise AnsibleConnectionFailure(
                        "transaction {0} was committed, but the host was not reached to confirm it: it rolls itself back at "
                        "{1}: {2}".format(result["transaction"], result["confirm_until"], error)) from error
                time.sleep(PAUSE_S)
