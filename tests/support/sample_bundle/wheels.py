# Wheels: writes a valid wheel of a wanted size, with RECORD, WHEEL and METADATA, byte for byte reproducible.

import base64
import hashlib
import io
import time
import zipfile
from dataclasses import dataclass, field

from .debs import DISCLAIMER
from .files import filler

GENERATOR = "topsctl sample bundle (test double)"


@dataclass
class Wheel:
    """One wheel: `members` maps paths to bytes, `dist_info` names its metadata folder."""

    name: str
    version: str
    tags: tuple
    epoch: int
    members: dict = field(default_factory=dict)
    entry_points: str = ""
    purelib: bool = True
    dist_info: str = ""
    filler_path: str = ""

    def __post_init__(self):
        if not self.dist_info:
            # What setuptools makes of a version that is not PEP 440: blanks and dashes become '_'.
            self.dist_info = "{}-{}.dist-info".format(self.name, self.version.replace("-", "_"))

    def _metadata(self):
        return ("Metadata-Version: 2.1\nName: {}\nVersion: {}\nSummary: {} (test double)\n"
                "License: test double\nPlatform: UNKNOWN\n\n{}\n").format(
                    self.name, self.version, self.name, DISCLAIMER)

    def _wheel(self):
        lines = ["Wheel-Version: 1.0", "Generator: " + GENERATOR,
                 "Root-Is-Purelib: " + ("true" if self.purelib else "false")]
        return "\n".join(lines + ["Tag: " + tag for tag in self.tags]) + "\n"

    def all_members(self):
        """Every member but the filler and RECORD, in the order of the archive."""
        info = {"METADATA": self._metadata(), "WHEEL": self._wheel(),
                "top_level.txt": sorted(self.members)[0].split("/")[0] + "\n"}
        if self.entry_points:
            info["entry_points.txt"] = self.entry_points
        members = dict(self.members)
        members.update({"{}/{}".format(self.dist_info, name): text.encode() for name, text in info.items()})
        return sorted(members.items())

    def write(self, output, size=0, damaged=""):
        """Write the archive, filled up to `size` bytes; the member `damaged` does not match RECORD."""
        empty = io.BytesIO()
        self._write_archive(empty, 0, damaged)
        length = max(0, size - len(empty.getvalue()))
        if length and self.filler_path:
            # RECORD is stored, so it grows by just the digits of the filler's length.
            length = max(1, length - (len(str(length)) - 1))
        output.parent.mkdir(parents=True, exist_ok=True)
        with open(str(output), "wb") as stream:
            self._write_archive(stream, length, damaged)
        output.chmod(0o644)

    def _write_archive(self, stream, filler_size, damaged):
        record = []
        with zipfile.ZipFile(stream, "w") as archive:
            for path, content in self.all_members():
                record.append(record_line(path, hashlib.sha256(content).digest(), len(content)))
                if path == damaged:
                    content += b"# this line is not what RECORD promises\n"
                archive.writestr(self._entry(path, zipfile.ZIP_DEFLATED), content)
            if self.filler_path:
                record.append(self._write_filler(archive, filler_size))
            path = self.dist_info + "/RECORD"
            record.append(path + ",,\n")
            archive.writestr(self._entry(path, zipfile.ZIP_STORED), "".join(record))

    def _write_filler(self, archive, size):
        digest = hashlib.sha256()
        with archive.open(self._entry(self.filler_path, zipfile.ZIP_STORED), "w") as member:
            for block in filler("{} {} {}".format(self.name, self.version, self.tags), size):
                digest.update(block)
                member.write(block)
        return record_line(self.filler_path, digest.digest(), size)

    def _entry(self, path, compression):
        entry = zipfile.ZipInfo(path, time.gmtime(self.epoch)[:6])
        entry.create_system = 3
        entry.compress_type = compression
        entry.external_attr = (0o100755 if path.endswith(".so") else 0o100644) << 16
        return entry


def record_line(path, digest, size):
    quoted = '"{}"'.format(path.replace('"', '""')) if set(path) & set(',"') else path
    encoded = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return "{},sha256={},{}\n".format(quoted, encoded, size)


def plain_wheel(file_name, import_name, epoch):
    """A small pure wheel for a file name of the bundle: its version is all between name and tags."""
    stem = file_name[:-len(".whl")].split("-")
    name, version, tag = stem[0], "-".join(stem[1:-3]), "-".join(stem[-3:])
    module = '# Test double of {}: no Enflame software.\n__version__ = "{}"\n'.format(name, version)
    return Wheel(name=name, version=version, tags=(tag,), epoch=epoch, purelib=tag.endswith("-any"),
                 members={import_name + "/__init__.py": module.encode()},
                 filler_path=import_name + "/filler.bin")
