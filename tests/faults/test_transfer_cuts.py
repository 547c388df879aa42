"""Faults of transfers and deployments, few enough for every run; tests/faults/transfer strikes at many more points."""

import pytest

from faults.direct_cuts import DIRECT_FAULTS, STRANGERS, DirectTransfers
from faults.transfer_cuts import DEPLOY_FAULTS, TRANSFER_FAULTS, Deployments
from hosts.workstation import CHUNK

PYTHON = "3.9"


@pytest.fixture(scope="module")
def campaign(fleet_root, host_place, topsctl_release, schema, tmp_path_factory):
    """campaign(kind, **more) -> a Campaign of that kind."""
    return lambda kind, **more: kind(fleet_root, host_place, topsctl_release, tmp_path_factory.mktemp("cuts"), schema, **more)


@pytest.fixture(scope="module")
def transfers(campaign):
    return campaign(DirectTransfers)


@pytest.fixture(scope="module")
def deployments(campaign, bundle):
    return campaign(Deployments, packages=bundle(python=PYTHON, only_needed=True))


def timed(kinds):
    """Those that cut a link strike by the clock, and what follows from it is a matter of seconds."""
    return [pytest.param(kind, marks=[pytest.mark.alone] if kind == "link cut" else []) for kind in kinds]


@pytest.mark.parametrize("kind", timed(TRANSFER_FAULTS))
def test_a_transfer_that_is_struck_goes_on_with_what_is_missing(transfers, kind):
    point = transfers.strike(kind, transfers.size // 3)
    assert point.wrong == [], point
    if kind == "link cut":
        # It heals about when TCP gives up: by which connection it goes on, and whether anything was lost, is a matter of moments.
        assert point.code == 0 and point.at < transfers.size, point
    else:
        assert point.code == 0 and point.retries >= 1 or point.resumed_at >= transfers.size // 4, point


@pytest.mark.parametrize("kind", DIRECT_FAULTS)
def test_what_links_beside_ssh_do_not_bring_goes_over_ssh(transfers, kind):
    point = transfers.strike_direct(kind, transfers.size // 3)
    assert point.wrong == [], point


@pytest.mark.parametrize("kind", STRANGERS)
def test_strangers_on_the_direct_port_spoil_nothing(transfers, kind):
    point = transfers.meet_stranger(kind, 0)
    assert point.wrong == [], point


def test_a_byte_that_is_flipped_is_found_and_its_chunk_alone_is_sent(transfers):
    point = transfers.flip(8 * CHUNK, seed=5)
    assert point.wrong == [], point
    assert point.resumed_at >= 6 * CHUNK, point


def test_a_full_disk_is_told_and_what_has_arrived_is_kept(transfers):
    point = transfers.fill_disk(6 * CHUNK)
    assert point.wrong == [], point
    assert point.resumed_at >= 4 * CHUNK, point


@pytest.mark.parametrize("kind", timed(DEPLOY_FAULTS))
def test_a_deployment_that_is_struck_ends_committed_or_restored(deployments, kind):
    # By the time of another install this one may be over, and confirmed.
    point = deployments.strike(kind, 0 if kind == "client killed" else 0.4)
    assert point.wrong == [], point
    assert point.outcome == ("rolled_back" if kind == "client killed" else "committed"), point
