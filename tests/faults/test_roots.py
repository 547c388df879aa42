"""Each kind of root at a few points: old or new, no litter, and what cannot be done changes nothing."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from faults.images import ImageStore, NoImages
from faults.roots import CHANGING, FULL, OVERLAYS, READ_ONLY, Roots
from faults.sweep import spread

# Outside of the write set; the mode that dpkg took from the one file is given back to the name that the overlay has parted.
PARTED = "~ /opt/second-name: mode"
MORE = int(os.environ.get("TOPSCTL_ROOT_KILLS", "0"))  # kills on each kind of root besides one


@pytest.fixture(scope="module")
def store(host_place):
    try:
        made = ImageStore(host_place)
    except NoImages as error:
        pytest.skip(f"cannot make images of disks here: {error}")
    yield made
    made.close()


def for_each(kinds, action):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(kinds, pool.map(action, kinds)))


def test_on_each_kind_of_root_installs_rollbacks_and_recoveries_give_the_old_or_the_new_one(sweep, store):
    def faults(kind):
        roots = Roots(sweep, kind, store)
        found = roots.round_trip()
        whole = roots.whole("install")
        # Some of the packages' files are replaced, and some only kept.
        middle = whole.records[2] + (whole.records[-1] - whole.records[2]) // 3
        points = [roots.strike("install", number, "kill", whole) for number in (middle, *spread(whole.count, MORE))]
        if kind in OVERLAYS:  # what was kept lies in the lower layer
            found += [line for line in roots.differing(whole.before, roots.whole("rollback").after)
                      if not line.startswith(PARTED)]
        return found + [point for point in points if point.state == "neither" or point.exit != 137]

    assert for_each(CHANGING, faults) == {kind: [] for kind in CHANGING}


@pytest.mark.whole
def test_what_does_not_fit_is_refused_and_if_accepted_undone(sweep):
    def faults(kind):
        folder, limit, _ = FULL[kind]
        finding = "no-space" if limit == "size" else "no-inodes"
        refused, first = Roots(sweep, kind).refused()
        assert refused.code == 4 and f"{finding}: " in refused.err and f"({folder}: " in refused.err, refused
        if folder == "/var" and not MORE:
            return first
        accepted, second = Roots(sweep, kind).refused("--accept", finding)
        assert accepted.code in (4, 8) and "No space left on device" in accepted.err, accepted
        return first + second

    assert for_each(FULL, faults) == {kind: [] for kind in FULL}


def test_read_only_usr_is_refused_before_anything_changes(sweep):
    said, differing = Roots(sweep, READ_ONLY).refused()
    assert said.code == 4 and "mount-read-only: files would go to a file system that is mounted read-only: /usr" in said.err
    assert differing == []
