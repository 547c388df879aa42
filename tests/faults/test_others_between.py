"""An install is killed, others act, topsctl recovers: nothing of others is lost, nothing of ours is left."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from faults.others import ACTS, CONFLICTING, GO_ON, Between


@pytest.fixture(scope="module")
def between(sweep, tmp_path_factory):
    return Between(sweep, tmp_path_factory.mktemp("packages"))


def runs_of(points):
    """(point, acts): each act once, those that get on with each other together; each at each point with TOPSCTL_ACTS=all."""
    if os.environ.get("TOPSCTL_ACTS") == "all":
        return [(point, (act,)) for act in ACTS for point in points]
    apart = ("a package removed", "a package purged", "a package held", *GO_ON, *CONFLICTING)
    together = tuple(act for act in ACTS if act not in apart)
    return [(points[number], together) for number in (1, 8)] + [
        (points[8], tuple(CONFLICTING)), (points[6], ("dpkg --configure -a",))]


def test_what_others_do_between_crash_and_recovery_stays_and_nothing_else(between):
    assert len(ACTS) >= 20
    runs = runs_of(between.points())
    for acts in {(), *(acts for _, acts in runs)}:
        between.expected(acts)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = list(pool.map(lambda run: between.faults(*run), runs))
    assert {run: found for run, found in zip(runs, faults) if found} == {}
