# The bundle in another root file system: dpkg, an older glibc, an older pip and an older torch.
#
# TOPSCTL_TEST_TORCH_ROOT names the root, which should hold python3, pip and torch. It is covered by an overlay in a mount
# namespace of its own and not changed.

import os
import shutil
from pathlib import Path

import pytest

from .conftest import run
from .test_torch_double import PROBE, seen_in

IN_ROOT = """
set -e
mount -t overlay overlay -o lowerdir="$1",upperdir="$2/upper",workdir="$2/work" "$2/root"
mount -t proc proc "$2/root/proc"
mount --bind /dev "$2/root/dev"
exec chroot "$2/root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    TORCH_GCU_DOUBLE_DEVICES=2 sh -ec "$3"
"""

INSTALL = """
cd /opt/bundle
dpkg -i distributed/*.deb sdk/*.deb >&2
dpkg -V tops-eccl tops-sdk topsfactor
eccl_all_reduce_perf
ldconfig -p | grep -c libeccl.so
for wheel in framework/*-py3.6-*.whl framework/*-py3.8-*.whl; do
    python3 -m pip install --no-deps --no-index "$wheel"
    torch_gcu_info
    python3 /opt/probe.py {way}
    python3 -m pip uninstall -y torch_gcu
done
"""

PURGE = "dpkg --purge topsfactor tops-sdk tops-eccl >&2; ! test -e /usr/lib/libeccl.so; echo purged"


@pytest.fixture
def in_root(tmp_path):
    root = os.environ.get("TOPSCTL_TEST_TORCH_ROOT")
    if not root:
        pytest.skip("TOPSCTL_TEST_TORCH_ROOT names no root file system")
    if os.geteuid() != 0 or run("unshare", "--mount", "true", check=False).returncode != 0:
        pytest.skip("no permission for a mount namespace")

    def execute(bundle, script, check=True):
        for name in ("upper", "work", "root"):
            (tmp_path / name).mkdir(exist_ok=True)
        home = tmp_path / "upper/opt"
        if not home.exists():
            home.mkdir(mode=0o700)
            shutil.copytree(str(bundle), str(home / "bundle"))
            shutil.copyfile(str(PROBE), str(home / "probe.py"))
        return run("unshare", "--mount", "sh", "-c", IN_ROOT, "sh", Path(root), tmp_path, script, check=check)

    return execute


@pytest.mark.parametrize("personality, way", [("t2x", "own"), ("s60", "stock")])
@pytest.mark.sampled(2)
def test_packages_and_wheels_install_and_work_in_an_older_root(in_root, bundle, personality, way):
    done = in_root(bundle("--only-needed", "--personality", personality), INSTALL.format(way=way) + PURGE)
    assert "version 25136;" in done.stdout
    assert "Successfully installed torch-gcu-1.10.0-2.5.136" in done.stdout
    assert "Successfully installed torch-gcu-1.10.0+2.5.136" in done.stdout
    assert done.stdout.rstrip().endswith("purged")
    seen = seen_in(done.stdout)
    assert (seen["backend"], seen["sum"], seen["devices"]) == ("eccl", [1.0] * 4, 2)


def test_a_failing_postinst_leaves_the_package_half_configured(in_root, bundle):
    done = in_root(bundle("--only-needed", "--fault", "postinst-fails"),
                   "cd /opt/bundle; dpkg -i distributed/*.deb sdk/*.deb || true;"
                   "dpkg-query -W -f '${Package} ${db:Status-Abbrev}\\n' 'tops*'; cat /var/lib/tops-sdk/half-configured")
    assert "tops-sdk iF" in done.stdout and "topsfactor iU" in done.stdout and "tops-eccl ii" in done.stdout
    assert "left by a failed postinst" in done.stdout


def test_a_failing_preinst_leaves_the_package_uninstalled(in_root, bundle):
    done = in_root(bundle("--only-needed", "--fault", "preinst-fails"),
                   "cd /opt/bundle; dpkg -i sdk/*.deb || true; dpkg-query -W -f '${Package} ${db:Status-Abbrev}\\n' 'tops*'")
    assert "tops-sdk ii" in done.stdout
    assert "topsfactor ii" not in done.stdout
