"""Real interpreters of the versions that the users have."""

import os
import subprocess
from pathlib import Path


def interpreters():
    """minor version -> path: those that TOPSCTL_TEST_PYTHONS names, separated by colons, else those of pyenv."""
    named = os.environ.get("TOPSCTL_TEST_PYTHONS")
    paths = map(Path, named.split(":")) if named else sorted(Path.home().glob(".pyenv/versions/*/bin/python3"))
    found = {}
    for path in paths:
        # Started without what else this machine's interpreters load.
        done = subprocess.run([path, "-ISc", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            found[done.stdout.strip()] = path
    return found
