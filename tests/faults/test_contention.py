"""A short contention: apt and dpkg work in a loop on the host that topsctl installs on."""

import pytest

from faults.contention import contend
from hosts.operations import Operator


@pytest.mark.parametrize("manager", ["apt", "dpkg"])
def test_other_package_managers_never_come_in_between(host, topsctl_release, run_topsctl, bundle, tmp_path, manager):
    operator = Operator(host, topsctl_release, run_topsctl)
    bundles = {generation: bundle(generation, python=host.python_minor(), only_needed=True)
               for generation in ("2.4.87", "2.5.136")}
    seen = contend(operator, bundles, manager, 1, tmp_path)
    assert seen.installs == 1 and seen.runs_beside > 0
    assert (seen.inside, seen.faults) == ([], []), seen
