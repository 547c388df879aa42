"""The static binary runs on a host whose C library is older than the one it was built with, and loads nothing of it."""

import json
import subprocess


def test_the_binary_asks_for_no_interpreter_and_no_library(topsctl_release):
    headers = subprocess.run(["readelf", "--program-headers", "--dynamic", topsctl_release], capture_output=True,
                             text=True, check=True).stdout
    assert "INTERP" not in headers and "NEEDED" not in headers


def test_it_runs_where_the_c_library_is_older(topsctl_host):
    here = subprocess.run(["ldd", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    there = topsctl_host.run(["ldd", "--version"], check=True).stdout.splitlines()[0]
    done = topsctl_host.run(["topsctl", "version", "--json"])
    assert done.returncode == 0, f"built on '{here}', run on '{there}': {done.stderr}"
    assert json.loads(done.stdout)["command"] == "version"


def test_it_maps_nothing_but_itself(topsctl_host):
    """What name look-ups would load is also looked for in a root where there is nothing to load."""
    bare = topsctl_host.path("/srv/bare")
    (bare / "etc").mkdir(parents=True)
    topsctl_host.copy_in(topsctl_host.path("/usr/local/bin/topsctl"), "/srv/bare/topsctl")
    done = topsctl_host.run(["chroot", "/srv/bare", "/topsctl", "version"])
    assert done.returncode == 0, done.stderr


def test_xz_is_decoded_by_the_faster_library(topsctl_release):
    """Where packaging/install-packages could not get it, topsctl works as well and is a third slower."""
    done = subprocess.run([topsctl_release, "version", "--json"], capture_output=True, text=True, check=True)
    version = json.loads(done.stdout)["libraries"]["liblzma"]
    assert [int(part) for part in version.split(".")[:2]] >= [5, 6], \
        "run `packaging/install-packages packaging/build-packages` and configure again"
