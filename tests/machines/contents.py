"""What is installed on machines: bundles of doubles whose script does what no text tells, and waits if it is told to."""

import shutil
import subprocess
from pathlib import Path

from hosts.crafted import build, change
from hosts.test_write_set import HIDDEN
from support.bundles import make_bundle

# A file in /run ends the wait: no restart survives it.
AGAIN = HIDDEN.replace('"/hidden")', '"/hidden", exist_ok=True)')
WAITING = f"{AGAIN}\n[ ! -e /run/wait ] || {{ : >/run/reached; while [ -e /run/wait ]; do sleep 0.2; done; }}"


def bundle_with(folder, script=WAITING, generation="2.5.136", python="3.9"):
    """A bundle whose tops-eccl has this postinst."""
    made = make_bundle(Path(folder) / generation, generation, (), None, python, None, True)
    original, = made.glob("distributed/tops-eccl*")
    tree = Path(folder) / "tree"
    subprocess.run(["dpkg-deb", "-R", original, tree], check=True, capture_output=True)
    change(tree, "", script, ())
    build(tree, original)
    shutil.rmtree(tree)
    return made
