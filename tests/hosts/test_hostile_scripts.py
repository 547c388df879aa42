"""Whatever a script changes, observing it makes the rollback exact; all cases in all ways: tests/faults/scripts."""

import os

import pytest

from hosts.hostile_scripts import CASES
from hosts.package_cases import LOCAL, OLD, PACKAGE_CASES
from hosts.script_bench import ScriptBench

# Each third case with --all, and each second of these in the usual run.
ALL = "TOPSCTL_TEST_ALL_SCRIPTS" in os.environ
STEP = 1 if ALL else 3
# Where the users are, each in its turn: arguments of tests/support/older_kernel.
PLACES = ("4.15 docker", "", "5.4", "docker", "4.15", "5.4 docker")


@pytest.fixture(scope="module")
def make_bench(host_factory, topsctl_release, bundle, tmp_path_factory):
    made = []

    def make(cases, **before):
        made.append(ScriptBench(host_factory, topsctl_release, lambda python: bundle(python=python, only_needed=True),
                                tmp_path_factory.mktemp("scripts"), cases, **before))
        made[-1].prepared()  # a host that a test makes ends with it
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture(scope="module")
def scripts(make_bench):
    return make_bench(CASES)


@pytest.fixture(scope="module")
def packages(make_bench):
    return make_bench(PACKAGE_CASES, old=OLD, local=LOCAL)


def placed(cases):
    """The cases with a place for each."""
    for i, case in enumerate(cases[::STEP]):
        place = PLACES[i % len(PLACES)]
        yield pytest.param(case, place, id=f"{case.name}-{place or 'here'}")


@pytest.mark.parametrize("case, place", placed(CASES))
@pytest.mark.sampled(2)
def test_nothing_that_a_script_does_escapes_by_default(scripts, case, place):
    row = scripts.measure(case, "auto", place)
    assert row.known == "observed" and row.is_exact, row


@pytest.mark.parametrize("case, place", placed(PACKAGE_CASES))
@pytest.mark.sampled(2)
def test_nothing_that_dpkg_and_other_packages_do_escapes_by_default(packages, case, place):
    row = packages.measure(case, "auto", place)
    assert row.known == "observed" and row.is_exact, row
