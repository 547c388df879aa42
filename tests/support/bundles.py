"""Calls the sample bundle generator for the tests."""

import subprocess
import sys
from pathlib import Path

GENERATOR = Path(__file__).with_name("make_bundle.py")


def make_bundle(out, generation, faults, personality, python, scale, only_needed):
    """Makes one bundle below `out` and gives its folder, the last line the generator prints."""
    command = [sys.executable, "-B", str(GENERATOR), str(out), "--generation", generation]
    for option, value in (("--personality", personality), ("--python", python), ("--scale", scale)):
        if value is not None:
            command += [option, str(value)]
    for fault in faults:
        command += ["--fault", fault]
    if only_needed:
        command.append("--only-needed")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)} returned {done.returncode}\n{done.stdout}{done.stderr}"
    return Path(done.stdout.splitlines()[-1])
