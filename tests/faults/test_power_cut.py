"""Power cuts, few enough for every run: an install on XFS, the same without syncs, which must come out badly, and no traces."""

from pathlib import Path

import pytest

from faults.cuts import SYNCS, Images
from faults.images import ImageStore, NoImages
from faults.judging import judged
from hosts import kernel

CUTS = 4
EVERY = 700  # calls, of some 5,500


@pytest.fixture(scope="module")
def store(host_place):
    try:
        made = ImageStore(host_place)
    except NoImages as error:
        pytest.skip(f"cannot make images of disks here: {error}")
    yield made
    made.close()


@pytest.fixture(scope="module")
def images(store, test_root, topsctl_release, tmp_path_factory):
    return Images("xfs", store, test_root, topsctl_release, tmp_path_factory.mktemp("power"))


@pytest.fixture(scope="module")
def without_syncs(images):
    """The control: what it shows may differ from run to run, but not that the host is lost."""
    return images.run("install", "names first", range(1, 100_000, EVERY), omitted=SYNCS)


def test_cuts_of_an_install_without_syncs_are_seen(images, without_syncs):
    assert without_syncs.code == 0
    without_syncs.cuts[:] = without_syncs.cuts[-3:]
    assert [cut for cut in judged(images, without_syncs) if cut.state == "neither"] != []


def test_whenever_the_power_goes_the_root_is_the_old_or_the_new_one(images, without_syncs):
    run = images.cuts("install", "names first", CUTS, without_syncs)
    cuts = judged(images, run)
    assert run.code == 0 and len(cuts) >= CUTS - 1
    assert [cut for cut in cuts if cut.state == "neither"] == []
    assert {cut.state for cut in cuts} == {"old", "new"}


def test_a_clone_holds_what_was_synced_and_only_that(store):
    image = store.make("ext4")
    with store.mounted(image, "ext4") as folder:
        with open(folder / "kept", "w", encoding="ascii") as file:
            file.write("kept")
            file.flush()
            kernel.sync_file_system(file.fileno())
        (folder / "lost").write_text("lost")
        clone = store.clone(image)
    with store.mounted(clone, "ext4") as folder:
        assert (folder / "kept").read_text() == "kept" and not (folder / "lost").exists()


def test_nothing_of_a_store_is_left_behind(host_place):
    made = ImageStore(host_place)
    with pytest.raises(KeyboardInterrupt), made.mounted(made.make("ext4"), "ext4"):
        raise KeyboardInterrupt
    folder = made.folder.parent
    made.close()
    assert not folder.exists()
    assert str(folder) not in Path("/proc/self/mounts").read_text()
    backed = [path.read_text() for path in Path("/sys/block").glob("loop*/loop/backing_file")]
    assert [path for path in backed if str(folder) in path] == []
