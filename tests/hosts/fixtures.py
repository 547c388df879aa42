"""The pytest fixtures for hosts: test_root, make_host, host, topsctl_host; without root they skip and say so."""

import os

import pytest

from hosts import kernel
from hosts.host import Host
from hosts.root_cache import cached_root, enter_private_mounts
from hosts.settings import SettingsError
from hosts.storage import storage_place, sweep
from support.browser import Browser, browser_program


@pytest.fixture(scope="session")
def host_namespace(request):
    """Skips where hosts cannot be made; see pytest_configure for what it stands for."""
    if request.config.no_private_mounts:
        pytest.skip(request.config.no_private_mounts)


@pytest.fixture(scope="session")
def host_place(host_namespace):
    """The folder in which hosts are made, after removing what killed runs left there."""
    place = storage_place()
    sweep(place)
    return place


@pytest.fixture(scope="session")
def test_root(host_namespace):
    """The cached root all hosts are laid over; made on first use, which takes a minute or two."""
    try:
        return cached_root()
    except SettingsError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def host_factory(test_root, host_place):
    """make(kind="overlay"|"copy") -> Host for a fixture of wider scope, which must call remove() itself."""
    hash_cache = {}

    def make(kind="overlay"):
        return Host(test_root, host_place, kind, hash_cache)

    return make


@pytest.fixture
def make_host(host_factory):
    """make_host(kind="overlay"|"copy") -> Host, as many as a test wants; removed after the test."""
    made = []

    def make(kind="overlay"):
        made.append(host_factory(kind))
        return made[-1]

    yield make
    for each in reversed(made):
        each.remove()


@pytest.fixture
def host(make_host):
    """One clean host."""
    return make_host()


@pytest.fixture
def topsctl_host(host, topsctl_release):
    """One clean host with the static topsctl in /usr/local/bin."""
    host.install_binary(topsctl_release)
    return host


def pytest_configure(config):
    """Puts the test process into a mount namespace of its own: the kernel itself cleans up after it, and no test sees
    what others mount on this machine meanwhile."""
    kernel.adopt_orphans()  # so that leftovers.py finds what a command left in the background
    config.no_private_mounts = None
    if os.geteuid() != 0:
        config.no_private_mounts = "needs root: hosts are mounted and entered by chroot (run the tests through sudo)"
        return
    try:
        enter_private_mounts()
    except OSError as error:
        config.no_private_mounts = f"needs root with the right to mount: {error}"


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A Browser; skips where there is no Chromium."""
    program = browser_program()
    if program is None:
        pytest.skip("there is no Chromium: install chromium-headless-shell")
    made = Browser(program, tmp_path_factory.mktemp("browser"))
    yield made
    made.close()
