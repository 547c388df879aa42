"""What pip does with wheels: reads folders of them from the command line, installs each below a scratch folder, and prints
{path: reason of the refusal, or null}. A crash of pip's is a refusal: the operator has no package then."""

import json
import logging
import shutil
import sys
import warnings
from pathlib import Path

from pip._internal.exceptions import MetadataInconsistent
from pip._internal.metadata import FilesystemWheel, get_environment, get_wheel_distribution
from pip._internal.models.direct_url import ArchiveInfo, DirectUrl
from pip._internal.models.scheme import Scheme
from pip._internal.models.wheel import Wheel
from pip._internal.operations.install.wheel import install_wheel
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import Version

SITE = "lib/python3/site-packages"


def require_consistent(wheel, distribution):
    """As pip's resolver does of a wheel on the command line."""
    if canonicalize_name(wheel.name) != distribution.canonical_name:
        raise MetadataInconsistent(wheel.name, "name", wheel.name, distribution.raw_name)
    if Version(wheel.version) != distribution.version:
        raise MetadataInconsistent(wheel.name, "version", wheel.version, str(distribution.version))


def installed(path, root):
    """Installs it, and reads it as `pip uninstall` would."""
    wheel = Wheel(path.name)
    require_consistent(wheel, get_wheel_distribution(FilesystemWheel(str(path)), canonicalize_name(wheel.name)))
    scheme = Scheme(platlib=str(root / SITE), purelib=str(root / SITE), headers=str(root / "include/x"),
                    scripts=str(root / "bin"), data=str(root))
    install_wheel(wheel.name, str(path), scheme, wheel.name, pycompile=False, warn_script_location=False,
                  direct_url=DirectUrl(f"file://{path}", ArchiveInfo()), requested=True)
    found = get_environment([str(root / SITE)]).get_distribution(wheel.name)
    if found is None:
        raise LookupError("pip does not find what it installed")
    list(found.iter_entry_points())
    list(found.iter_declared_entries())


def verdict(path, scratch):
    root = scratch / "host/usr/local"  # deep: some of these wheels climb out of their places
    (root / "bin").mkdir(parents=True)
    try:
        installed(path, root)
    except Exception as error:  # whatever it is, the install has failed
        return f"{type(error).__name__}: {error}"[:300]
    finally:
        shutil.rmtree(scratch / "host", ignore_errors=True)
    return None


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    scratch = Path(sys.argv[1])
    json.dump({path: verdict(Path(path), scratch) for path in sys.stdin.read().split("\n") if path}, sys.stdout)


if __name__ == "__main__":
    main()
