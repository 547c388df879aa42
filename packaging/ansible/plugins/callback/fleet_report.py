# Writes what became of each host of a play that uses this collection: as JSON, and as a short text.
# A callback, not a task: a task sees neither unreachable hosts nor the hosts of a play that was stopped.

DOCUMENTATION = r"""
name: fleet_report
type: aggregate
short_description: Write what became of each host
description:
  - Collects what the modules of topsctl.topsrider say, and writes a report on the controller, as JSON and as text.
  - It is written after each change. An interrupted playbook leaves it, too.
  - Enable it with C(callbacks_enabled = topsctl.topsrider.fleet_report) in C(ansible.cfg).
requirements:
  - enabled in C(callbacks_enabled)
options:
  report:
    description: The file of the JSON report; the text has the ending C(.txt) instead of C(.json).
    default: topsctl-report.json
    type: path
    env:
      - name: TOPSCTL_REPORT
    ini:
      - section: topsctl
        key: report
author:
  - The authors of topsctl
"""

import atexit
import json
import os
import tempfile
import time

from ansible.plugins.callback import CallbackBase
from ansible_collections.topsctl.topsrider.plugins.module_utils.topsctl import CHECK, NUMBER, PACKAGE, TEXT, misfit, plain

COLLECTION = "topsctl.topsrider."
CHANGING = ("install", "rollback")
SHARE = 20  # of the time between two writes, at most one part in so many is spent on writing
UNTOUCHED = ("not_reached", "reached", "planned")
# What is read of a result. The host made it: it may be anything.
RESULT = {"outcome": TEXT, "transaction": NUMBER, "packages": ([PACKAGE], None), "failed_check": (CHECK, None), "hint": TEXT}
LONGEST = 500  # characters of a message in the text


class Host:
    """What is known of one host."""

    def __init__(self, name):
        self.name = name
        self.outcome = "not_reached"
        self.earlier = None  # the outcome before the install that is running
        self.transaction = None
        self.failed_check = None
        self.packages = []
        self.msg = None
        self.hint = None

    def take(self, action, result, failed):
        """What one module of the collection said."""
        wrong = misfit(result, RESULT)
        if wrong:
            self.outcome, self.hint = "unknown", None
            self.msg = "unexpected data from the host in the field '{0}'".format(wrong)
            return
        if action in CHANGING:
            # An error before any transaction has no outcome, and changed nothing.
            untouched = "outcome" in result and not result.get("changed")
            self.outcome = result.get("outcome") or ("running" if not failed else "failed_before_change" if untouched else "unknown")
            if action == "rollback" and self.outcome == "no_change":
                self.outcome = "rolled_back"
            self.transaction = result.get("transaction") or self.transaction
            if action == "install":
                self.packages = [{key: each.get(key) for key in ("name", "before", "after")}
                                 for each in result.get("packages") or []]
        check = result.get("failed_check")
        if check and self.failed_check is None:
            self.failed_check = {key: check.get(key) for key in ("id", "observed", "expected", "hint")}
        if failed:
            self.fail(result)

    def fail(self, result):
        if self.msg is None:
            self.msg = str(result.get("msg") or "")
            self.hint = None if misfit(result.get("hint"), TEXT) else result.get("hint")
        if self.outcome in UNTOUCHED:
            self.outcome = "failed_before_change"

    def document(self):
        return {"host": self.name, "outcome": self.outcome, "transaction": self.transaction,
                "failed_check": self.failed_check, "packages": self.packages, "msg": self.msg, "hint": self.hint}


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "topsctl.topsrider.fleet_report"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._hosts = {}
        self._of_play = []
        self._concerns = False
        self._started = time.time()
        self._not_before = 0
        self._is_behind = False
        atexit.register(self._catch_up)

    def v2_playbook_on_play_start(self, play):
        names = play.get_variable_manager().get_vars(play=play).get("ansible_play_hosts_all", [])
        self._of_play = list(names)
        self._concerns = any(role.get_name().startswith(COLLECTION) for role in play.get_roles())
        self._join()

    def v2_playbook_on_task_start(self, task, is_conditional):
        if not self._concerns and str(task.action).startswith(COLLECTION):
            self._concerns = True
            self._join()

    def _join(self):
        if self._concerns:
            for name in self._of_play:
                self._hosts.setdefault(name, Host(name))
            self._write_soon()

    def v2_runner_on_ok(self, result):
        self._take(result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._take(result, failed=not ignore_errors)

    def v2_runner_on_skipped(self, result):
        host = self._hosts.get(result._host.get_name())
        if host is not None and host.outcome == "running":
            host.outcome = host.earlier
            self._write_soon()

    def v2_runner_on_unreachable(self, result):
        host = self._hosts.get(result._host.get_name())
        if self._concerns and host is not None:
            host.msg = str(result._result.get("msg") or "")
            if host.outcome == "running":
                # An install goes on when its connection is lost: only the host itself knows how it ended.
                host.outcome = "lost"
                host.hint = "`topsctl history` on the host tells how the install ended"
            elif host.outcome in UNTOUCHED:
                host.outcome = "unreachable"
            self._write_soon()

    def v2_runner_on_start(self, host, task):
        known = self._hosts.get(host.get_name())
        if known is None or not self._concerns:
            return
        action = str(task.action)
        if action == COLLECTION + "install" and not task.check_mode:
            known.earlier = "reached" if known.outcome == "not_reached" else known.outcome
            known.outcome = "running"
            self._write_soon()
        elif known.outcome == "not_reached":
            known.outcome = "reached"

    def _take(self, result, failed=False):
        host = self._hosts.get(result._host.get_name())
        if not self._concerns or host is None:
            return
        action = str(result._task.action)
        if action.startswith(COLLECTION):
            host.take(action[len(COLLECTION):], result._result, failed)
            self._write_soon()
        elif failed:
            host.fail(result._result)
            self._write_soon()

    def v2_playbook_on_stats(self, stats):
        if self._hosts:
            path = self._write()
            self._display.display("\n" + self._text())
            self._display.display("fleet report: {0}".format(path))

    def _document(self):
        hosts = [host.document() for host in self._hosts.values()]
        outcomes = {}
        for host in hosts:
            outcomes[host["outcome"]] = outcomes.get(host["outcome"], 0) + 1
        return {"schema": 1, "started_at": _time(self._started), "written_at": _time(time.time()), "outcomes": outcomes,
                "hosts": hosts}

    def _text(self):
        width = max(len(name) for name in self._hosts)
        lines = []
        for host in self._hosts.values():
            words = ["{0:{1}}  {2:20}".format(host.name, width, host.outcome)]
            if host.transaction:
                words.append("transaction {0}".format(host.transaction))
            if host.failed_check:
                words.append("check '{0}' failed".format(host.failed_check["id"]))
            elif host.msg:
                words.append(host.msg.splitlines()[0] if host.msg.strip() else "")
            lines.append("  ".join(plain(word[:LONGEST]) for word in words).rstrip())
        return "\n".join(lines)

    def _write_soon(self):
        """Now, or, since a report of many hosts takes its time, at one of the next events or at the end."""
        self._is_behind = time.monotonic() < self._not_before
        if not self._is_behind:
            begin = time.monotonic()
            self._write()
            end = time.monotonic()
            self._not_before = end + SHARE * (end - begin)

    def _catch_up(self):
        if self._is_behind:
            self._write()

    def _write(self):
        self._is_behind = False
        path = os.path.abspath(os.path.expanduser(self.get_option("report")))
        _replace(path, json.dumps(self._document(), indent=2, sort_keys=False) + "\n")
        _replace(os.path.splitext(path)[0] + ".txt", self._text() + "\n" if self._hosts else "")
        return path


def _time(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _replace(path, text):
    handle, part = tempfile.mkstemp(prefix=".topsctl-report-", dir=os.path.dirname(path))
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(part, 0o644)
        os.rename(part, path)
    except BaseException:
        os.unlink(part)
        raise
