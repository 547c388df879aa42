"""An install judges what it has made: what programs load must be root's alone to change, or the install is rolled back."""

import json
import os

import pytest

from hosts.operations import Operator
from support.corpus.debs import Deb
from support.corpus.native import Native

FOLDER, LIBRARY, PLUGIN = "/opt/tops/lib", "/opt/tops/lib/libfree.so", "/opt/tops/lib/plugin"
UNIT, MODULE = "/lib/systemd/system/free.service", "/usr/lib/python3/dist-packages/free.py"
PATHS, MODULES = "/etc/ld.so.conf.d/free.conf", "/usr/lib/python3/dist-packages/free.pth"
OTHER = 3001  # a user
STACK = {
    "schema": 1, "name": "open", "title": "Two debs of a test",
    "components": [{"id": name, "kind": "deb", "names": [f"tops-{name}"]} for name in ("base", "libs")],
    "python": {"tested_minors": ["3.9"], "executables": ["/usr/bin/python3"], "unchanged": []},
    "environment": {"file": "/etc/profile.d/open.sh", "variables": [], "paths": []},
    "checks": [],
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return Native(tmp_path_factory.mktemp("native")).library()


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def arguments(tmp_path):
    """(Deb, Deb, ...) -> what `install` is given for them."""
    def make(*debs):
        stack = tmp_path / "stack.json"
        stack.write_text(json.dumps(STACK))
        return ("install", *[deb.write(tmp_path) for deb in debs], "--stack", stack, "--yes")
    return make


def base(mode=0o755):
    return Deb("tops-base").folder("/opt/tops").folder(FOLDER, mode).file("/opt/tops/share/readme")


def libs(library, script="", path=LIBRARY, mode=0o644):
    deb = Deb("tops-libs").file(path, library, mode)
    return deb.script("postinst", f"#!/bin/sh\nset -e\n{script}\n") if script else deb


def loaded_through_a_link(library):
    return libs(library).link("/opt/tops/plugins/libfree.so", LIBRARY).script("postinst", "#!/bin/sh\nchown daemon /opt/tops/plugins\n")


def hard_linked(library):
    return libs(library, path=PLUGIN).hard_link("/opt/tops/plugins/x", PLUGIN).script("postinst", "#!/bin/sh\nchown daemon /opt/tops/plugins\n")


def removed_by_its_script(library):
    gone = "/opt/tops/gone/libfree.so"
    return libs(library, f"chown daemon /opt/tops/gone; rm {gone}", gone).file("/opt/tops/other/libshut.so", library)


@pytest.mark.parametrize("make, open_path", [
    (lambda library: (base().folder("/opt/tops/parts", 0o777), libs(library, path="/opt/tops/parts/libfree.so")), "/opt/tops/parts/libfree.so"),
    (lambda library: (base(), libs(library, f"chown {OTHER} {LIBRARY}")), LIBRARY),
    (lambda library: (base(), libs(library, f"chmod 1777 {FOLDER}")), FOLDER),
    (lambda library: (base(), libs(library, f"chgrp video {LIBRARY}; chmod 664 {LIBRARY}")), LIBRARY),
    (lambda library: (base(), libs(library, f"chown {OTHER} {PLUGIN}", PLUGIN)), PLUGIN),
    (lambda library: (base(), libs(library, f"rm {LIBRARY}; ln -s /tmp/free.so {LIBRARY}")), LIBRARY),
    (lambda library: (base(), loaded_through_a_link(library)), "/opt/tops/plugins/libfree.so"),
    (lambda library: (base(), hard_linked(library)), "/opt/tops/plugins/x"),
    (lambda library: (base(), libs(library, f"chmod 666 {UNIT}").file(UNIT, b"[Service]\n")), UNIT),
    (lambda library: (base(), libs(library, f"chown {OTHER} {MODULE}").file(MODULE, b"")), MODULE),
    (lambda library: (base().folder("/opt/tops/bin"), libs(library, "chmod 777 /opt/tops/bin")), "/opt/tops/bin"),
    (lambda library: (base(), libs(library, "mkdir -p /srv/x; ln -s /tmp/x /srv/x/lib").link("/opt/tops/more/lib", "/srv/x/lib")), "/opt/tops/more/lib"),
    (lambda library: (base(), libs(library).file(PATHS, b"# ours\n /opt/tops/lib\n/var/tmp/none\n")), PATHS),
    (lambda library: (base(), libs(library).file(MODULES, b"import sys\n/srv/free\n").script("postinst", "#!/bin/sh\nmkdir -m 777 /srv/free\n")), MODULES),
], ids=["two debs", "owner by script", "sticky by script", "group of users by script", "without .so", "link to /tmp", "directory of a link", "hard link",
        "unit by script", "module by script", "empty directory of programs", "link to a link", "path of the loader", "path of Python"])
def test_an_install_that_leaves_a_library_to_others_is_rolled_back(operator, arguments, library, make, open_path):
    install = (*arguments(*make(library)), "--accept", "script-makes-world-writable")
    before = operator.digest()
    report = operator.json(*install, code=8)
    error = report["error"]
    assert report["outcome"] == "rolled_back" and error["code"] == "checks_failed", report
    assert error["message"].startswith("library-open-to-others: ") and f"({open_path}" in error["message"], error
    assert "--accept library-open-to-others" in error["hint"]
    assert operator.changes_since(before) == []


def test_what_is_accepted_is_installed_with_a_warning(operator, host, arguments, library):
    install = arguments(base(), libs(library, f"chown {OTHER} {LIBRARY}"))
    accepted = operator.json(*install, "--accept", "library-open-to-others")
    assert accepted["outcome"] == "committed" and any(LIBRARY in each for each in accepted["warnings"]), accepted
    assert host.path(LIBRARY).stat().st_uid == OTHER
    again = operator.json(*install, code=4)
    assert LIBRARY in again["error"]["message"] and not again["changed"], again
    again = operator.json(*install, "--accept", "library-open-to-others")
    assert again["outcome"] == "no_change" and any(LIBRARY in each for each in again["warnings"]), again
    os.chown(host.path(LIBRARY), 0, 0)
    assert operator.json(*install)["warnings"] == []


def test_the_hosts_own_directory_counts_and_what_is_not_there_does_not(operator, host, arguments, library):
    host.path("/opt").mkdir(exist_ok=True)
    os.chown(host.path("/opt"), OTHER, OTHER)
    assert operator.json(*arguments(base(), libs(library)), code=8)["outcome"] == "rolled_back"
    os.chown(host.path("/opt"), 0, 0)
    shut = base().file("/opt/tops/models/weights.pth", b"/tmp/x\n" * 20_000).link("/opt/tops/dev/libfree.so", "libfree.so.1").link("/opt/tops/dev/libnot.so", "/opt/nothing/libnot.so")
    assert operator.json(*arguments(shut, removed_by_its_script(library)))["outcome"] == "committed"


@pytest.mark.parametrize("path, folder_mode, mode", [(PLUGIN, 0o755, 0o666), ("/opt/tops/lib/x/plugin", 0o1777, 0o644)])
def test_a_library_is_known_by_its_content(operator, arguments, library, path, folder_mode, mode):
    deb = base(folder_mode)
    deb.file(path, library, mode)
    before = operator.digest()
    report = operator.json(*arguments(deb, libs(library, path="/usr/lib/libfree.so")), code=3)
    assert "library-open-to-others" in report["error"]["message"] and report["outcome"] is None, report
    assert operator.changes_since(before) == []
