"""A real Linux 5.4, which tells no calls by seccomp: an install is ended, made and undone there. tests/machines/run does more."""

import os
import subprocess
from pathlib import Path

import pytest

from machines.contents import bundle_with
from machines.machine import Machine

KERNEL = os.environ.get("TOPSCTL_TEST_KERNEL")
INSIDE = Path(__file__).with_name("inside.sh")


@pytest.mark.long
@pytest.mark.skipif(not KERNEL, reason="TOPSCTL_TEST_KERNEL names no kernel")
def test_an_install_is_observed_ended_and_undone_exactly(test_root, topsctl_release, tmp_path):
    bundle = bundle_with(tmp_path / "made")
    packed = tmp_path / "bundle.tar"
    subprocess.run(["tar", "-C", bundle.parent, f"--transform=s/^{bundle.name}/bundle/", "-cf", packed, bundle.name], check=True)
    machine = Machine(tmp_path / "machine", test_root, KERNEL,
                      files=[("/INIT", INSIDE, 0o755), ("/topsctl", topsctl_release, 0o755), ("/bundle.tar", packed, 0o644)])
    try:
        console = machine.start(init="/INIT")
        machine.process.wait(timeout=600)
        text = console.read_text(errors="replace")
        said = [line.strip().removeprefix("@") for line in text.splitlines() if line.startswith("@")]
        assert said and said[0].startswith("kernel 5.4."), (text[-3000:], (machine.folder / "qemu.log").read_text())
        assert said[1:] == ["changed", 'ended 143   "outcome": "rolled_back",', "same", 'installed 0     "known": "observed",', "changed",
                            'undone 0   "outcome": "rolled_back",', "same"], text[-3000:]
    finally:
        machine.close()
