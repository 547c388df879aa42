"""The ladder on the newest Python and PyTorch that Debian has: probes, install and the groups of both generations."""

import json
import os

import pytest

from hosts.host import Host
from hosts.root_cache import cached_root
from hosts.settings import SettingsError, root_settings
from hosts.test_verify import expect_sound, give_cards, statuses, verify

RELEASE = "trixie"  # Python 3.13, PyTorch 2.6


@pytest.fixture(scope="module")
def newest_root(host_namespace):
    """The cached root of that release; made on first use, which takes minutes."""
    try:
        return cached_root(root_settings({**os.environ, "TOPSCTL_TEST_RELEASE": RELEASE}))
    except SettingsError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def newest_host(newest_root, host_place, topsctl_release):
    host = Host(newest_root, host_place)
    host.install_binary(topsctl_release)
    give_cards(host)
    yield host
    host.remove()


def check(document, name):
    return next(each for each in document["checks"] if each["id"] == name)


@pytest.mark.whole
@pytest.mark.parametrize("personality", ["t2x", "s60"])
def test_the_newest_python_and_torch_climb_as_far_as_debians_torch_can(newest_host, bundle, schema, personality):
    host = newest_host
    assert host.python_minor() == "3.13"
    host.copy_in(bundle(python="3.13", personality=personality, only_needed=True), "/srv/bundle")
    install = ["topsctl", "install", "/srv/bundle", "--allow-system-python", "--json"]
    done = host.run(install, timeout=600)
    # Debian builds it without libuv, which it takes all the same: the packages are sound, and the group is not.
    assert done.returncode == 0 and statuses(json.loads(done.stdout))["eccl-group"] == "warn", done.stdout + done.stderr
    assert any("'eccl-group' failed" in warning for warning in json.loads(done.stdout)["warnings"]), done.stdout
    group = check(verify(host, "--level", "single", code=5), "eccl-group")
    assert group["status"] == "fail" and "--set USE_LIBUV=0" in group["hint"], group
    done = host.run([*install, "--set", "USE_LIBUV=0"], timeout=600)
    assert done.returncode == 0 and statuses(json.loads(done.stdout))["eccl-group"] == "pass", done.stdout + done.stderr
    document = verify(host, "--level", "single")
    schema(document, "verify")
    expect_sound(document, personality)
    # Its torchrun asks for libuv whatever the variable says.
    document = verify(host, "--ranks", "2", code=5)
    ranks = check(document, "eccl-ranks")
    assert ranks["status"] == "fail" and "libuv" in ranks["hint"] and document["stopped_at"]["check"] == "eccl-ranks"
