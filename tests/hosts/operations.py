"""What the tests of installs share: a bundle that fits the host, runs of topsctl on it, and the comparison of hosts."""

import json
from pathlib import Path

OLD_STACK = Path(__file__).parent.parent / "data" / "stacks" / "topsrider-2.4.87.json"
PROFILE = "/etc/profile.d/topsrider.sh"
PACKAGES = ("tops-eccl", "tops-sdk", "topsfactor")

# What a rollback does not bring back, as src/engine/README.md says: logs, topsctl's own state, the last report.
NOT_COMPARED = ("/var/lib/topsctl", "/var/log/topsctl", "/var/log/dpkg.log", "/var/log/alternatives.log",
                "/tmp/topsrider_install_report.*", "/tmp/topsrider_install.log")
LOCKS = ("~ /var/lib/dpkg/lock:", "~ /var/lib/dpkg/lock-frontend:", "~ /var/lib/dpkg/triggers/Lock:")


# For tests of what a rollback does: a trial run would find a failing script before it.
PREDICTED = ("--write-set", "predicted")


class Operator:
    """Works on one host with one binary, from outside with --root."""

    def __init__(self, host, binary, run_topsctl, install=()):
        """`install`: options that every install gets."""
        self.install = list(install)
        self.host = host
        self.binary = binary
        self._run = run_topsctl

    def topsctl(self, *argv, **options):
        """topsctl COMMAND ... --root HOST."""
        if argv[0] == "install":
            argv = (*argv, *self.install)
        return self._run([*argv, "--root", self.host.root], binary=self.binary, timeout=600, **options)

    def json(self, *argv, code=0):
        outcome = self.topsctl(*argv, "--json")
        assert outcome.code == code, outcome
        return outcome.json

    def digest(self):
        return self.host.digest(NOT_COMPARED)

    def changes_since(self, before):
        """Lines for everything that differs; empty is what a rollback promises."""
        return [line for line in before.diff(self.digest()) if not line.startswith(LOCKS)]

    def dpkg_states(self):
        """package -> status as dpkg itself says it; absent packages are not there."""
        done = self.host.run(["dpkg-query", "-W", "-f", "${Package} ${Status} ${Version}\n", *PACKAGES])
        return dict(line.split(" ", 1) for line in done.stdout.splitlines())

    def imports_torch_gcu(self):
        return self.host.run(["python3", "-c", "import torch_gcu; print(torch_gcu.__version__)"], timeout=300,
                             env={"PYTHONDONTWRITEBYTECODE": "1"})

    def report_left_in_tmp(self):
        return json.loads(self.host.path("/tmp/topsrider_install_report.json").read_text())
