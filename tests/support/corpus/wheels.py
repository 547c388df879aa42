"""Writes wheels with zipfile, and zips whose parts no tool would put together."""

import base64
import hashlib
import io
import struct
import time
import zipfile
import zlib

from .formats import EPOCH


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    quoted = '"{}"'.format(name.replace('"', '""')) if set(name) & set(',"') else name
    return f"{quoted},sha256={digest},{len(content)}"


class Wheel:
    """One wheel to be; what is not said is what a build tool would write."""

    def __init__(self, name="torch_demo", version="1.10.0", tag="py3-none-any", build="", dist_info=None,
                 purelib=None, requires="", metadata=""):
        self.name, self.version, self.tag, self.build = name, version, tag, build
        self.dist_info = dist_info or f"{name}-{version.replace('-', '_')}.dist-info"
        self.files = {f"{name}/__init__.py": f"# Test double of {name}.\n".encode()}
        self.info = {}
        self.metadata = metadata or (f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}"
                                     "Summary: a wheel made for a test\n\nIt is a test double.\n")
        purelib = tag.endswith("-any") if purelib is None else purelib
        self.wheel = (f"Wheel-Version: 1.0\nGenerator: topsctl tests\nRoot-Is-Purelib: {str(purelib).lower()}\n"
                      + (f"Build: {build}\n" if build else "") + "".join(f"Tag: {one}\n" for one in expanded(tag)))
        self.record = None  # lines, where they are not what the files are

    @property
    def file_name(self):
        parts = [self.name, self.version] + ([self.build] if self.build else []) + [self.tag]
        return "-".join(parts) + ".whl"

    def file(self, name, content=b"value = 1\n"):
        self.files[name] = content.encode() if isinstance(content, str) else content
        return self

    def members(self):
        """(name, bytes) in the order of the archive, RECORD last."""
        found = [*self.files.items(), (f"{self.dist_info}/METADATA", self.metadata.encode()),
                 (f"{self.dist_info}/WHEEL", self.wheel.encode()),
                 *((f"{self.dist_info}/{name}", text) for name, text in self.info.items())]
        record = f"{self.dist_info}/RECORD"
        lines = self.record if self.record is not None else [record_line(*one) for one in found]
        return found + [(record, "\n".join([*lines, f"{record},,"]).encode() + b"\n")]

    def record_lines(self):
        return [record_line(*one) for one in self.members()[:-1]]

    def bytes(self, compression=zipfile.ZIP_DEFLATED):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for name, content in self.members():
                archive.writestr(zip_info(name, compression), content)
        return stream.getvalue()

    def write(self, folder, name=None, data=None):
        path = folder / (name or self.file_name)
        path.write_bytes(self.bytes() if data is None else data)
        return path


def expanded(tag):
    """The tags that a compressed set of them means (PEP 425)."""
    pythons, abis, platforms = tag.split("-")
    return [f"{python}-{abi}-{platform}" for python in pythons.split(".") for abi in abis.split(".")
            for platform in platforms.split(".")]


def zip_info(name, compression=zipfile.ZIP_DEFLATED, mode=0o100644):
    info = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
    info.create_system, info.compress_type, info.external_attr = 3, compression, mode << 16
    return info


class NoSeek(io.BytesIO):
    """A stream that zipfile cannot go back in, which makes it write data descriptors."""

    def seekable(self):
        return False

    def seek(self, *_):
        raise io.UnsupportedOperation("no seek")

    def tell(self):
        raise io.UnsupportedOperation("no tell")


def streamed(wheel):
    """The wheel with data descriptors, as a program writes it into a pipe."""
    stream = NoSeek()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in wheel.members():
            archive.writestr(zip_info(name), content)
    return stream.getvalue()


def zip64(wheel):
    """The wheel with zip64 fields in the local headers and at the end, as large ones have them."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in wheel.members():
            with archive.open(zip_info(name), "w", force_zip64=True) as member:
                member.write(content)
    data = stream.getvalue()
    end = data.rindex(b"PK\5\6")
    count, size, start = struct.unpack("<HII", data[end + 10:end + 20])
    return data[:end] + wide_zip_end(count, size, start)


def raw_zip(members):
    """A zip of (local name, central name, stored or deflated bytes, real bytes); the names may differ."""
    body, central = b"", b""
    for local, name, content in members:
        name, local = name.encode(), local.encode()
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(content) + packer.flush()
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x5821, zlib.crc32(content), len(packed), len(content),
                             len(name), 0)
        central += (struct.pack("<IH", 0x02014B50, 0x031E) + fields
                    + struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, len(body)) + name)
        body += struct.pack("<I", 0x04034B50) + fields[:-4] + struct.pack("<HH", len(local), 0) + local + packed
    return body + central + zip_end(len(members), len(central), len(body))


def zip_end(count, size, start):
    """What a zip ends with, in the wide form where the numbers need it."""
    if count >= 65536:
        return wide_zip_end(count, size, start)
    return struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, size, start, 0)


def wide_zip_end(count, size, start):
    """The zip64 end record, its locator, and an old one whose fields all say: look there."""
    return (struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, start)
            + struct.pack("<IIQI", 0x07064B50, 0, start + size, 1)
            + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 65535, 65535, (1 << 32) - 1, (1 << 32) - 1, 0))


def overlapping_zip(names, content):
    """A zip in which all these members are the same bytes: each is claimed in full, one is there."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(content) + packer.flush()
    first, check = names[0].encode(), zlib.crc32(content)
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 0x5821, check, len(packed),
                        len(content), len(first), 0) + first + packed
    central = b"".join(
        struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 0x031E, 20, 0, 8, 0, 0x5821, check, len(packed),
                    len(content), len(name), 0, 0, 0, 0, 0o100644 << 16, 0) + name
        for name in (text.encode() for text in names))
    return local + central + zip_end(len(names), len(central), len(local))
