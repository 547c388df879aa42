# The options of one sample bundle: generation, scale, personality, faults, and what each of them means.

import argparse
import re
from dataclasses import dataclass

DEFAULT_SCALE = 0.004
COMPRESSIONS = ("gzip", "xz", "none")
PERSONALITIES = ("t2x", "s60")

FAULTS = {
    "postinst-fails": "tops-sdk's postinst creates a file, then exits 1",
    "preinst-fails": "topsfactor's preinst exits 1",
    "wheel-bad-record": "one member of each torch_gcu wheel does not match its RECORD",
    "wheel-not-installable": "pip refuses the torch_gcu wheels: foreign dist-info directory",
    "wheel-bad-entry-point": "pip gives up halfway through the torch_gcu wheels: bad console script",
    "wheel-no-zip": "the torch_gcu wheels are text files",
    "import-fails": "'import torch_gcu' raises ImportError",
    "stub-libeccl": "tops-eccl ships a 16 byte stub as libeccl.so",
    "truncated-deb": "the tops-sdk deb is cut at 60 %",
    "missing-eccl": "the bundle has no tops-eccl deb",
}


@dataclass(frozen=True)
class Generation:
    """One release of the stack; `previous` is the release found in archived_versions folders."""

    version: str
    epoch: int
    previous: str

    @property
    def bundle_name(self):
        return "TopsRider_{}_{}_deb_amd64".format("i3x" if self.is_i3x else "t2x", self.version)

    @property
    def is_i3x(self):
        """TopsRider 3.x, for S60 cards: other names, and versions that go their own way."""
        return self.version.startswith("3.")

    @property
    def personality(self):
        """The API of torch_gcu that comes with it."""
        return "s60" if self.is_i3x else "t2x"

    @property
    def deb_version(self):
        return self.version + "-1"

    @property
    def eccl_code(self):
        """What ecclGetVersion reports: 2.5.136 is 25136, 2.4.87 is 24087."""
        major, minor, patch = (int(part) for part in self.version.split("."))  # dates fit, too
        return major * 10000 + minor * 1000 + patch

    @property
    def is_newest(self):
        return self.version == "2.5.136"


# 2.3.61 is made up: it only fills the archived_versions folder of the 2.4.87 bundle; so are the last numbers of 2.2.33
# and 3.5.102.
GENERATIONS = {
    "2.5.136": Generation("2.5.136", 1706572800, "2.4.87"),
    "2.4.87": Generation("2.4.87", 1695859200, "2.3.61"),
    "2.2.33": Generation("2.2.33", 1677628800, "2.3.61"),
    "2.5.20231128": Generation("2.5.20231128", 1701129600, "2.4.87"),
    "3.2.203": Generation("3.2.203", 1722470400, "2.5.136"),
    "3.5.102": Generation("3.5.102", 1751328000, "2.5.136"),
}
ARCHIVED = dict(GENERATIONS, **{"2.3.61": Generation("2.3.61", 1682899200, "2.3.61")})


@dataclass(frozen=True)
class Options:
    generation: Generation
    pythons: tuple = ()
    scale: float = DEFAULT_SCALE
    personality: str = "t2x"  # of torch_gcu
    faults: frozenset = frozenset()
    compression: str = "gzip"
    only_needed: bool = False

    def has(self, fault):
        assert fault in FAULTS, fault
        return fault in self.faults

    def scaled(self, real_bytes):
        """The size a file of `real_bytes` has in this bundle."""
        return int(real_bytes * self.scale)


def python_minors(text):
    """'3.9,3.11' as ('3.9', '3.11'); refuses anything else."""
    minors = tuple(part.strip() for part in text.split(",") if part.strip())
    for minor in minors:
        if not re.fullmatch(r"3\.\d+", minor):
            raise argparse.ArgumentTypeError("expected Python minors such as 3.9,3.11; got '{}'".format(text))
    return minors
