"""Writes wheels byte by byte, each as wrong as a test wants it: members, headers of the zip, RECORD."""

import struct
import zlib

from support.corpus.wheels import record_line

NAME, VERSION = "demo_parts", "1.0"
INFO, DATA = f"{NAME}-{VERSION}.dist-info", f"{NAME}-{VERSION}.data"
FILE_NAME = f"{NAME}-{VERSION}-py3-none-any.whl"
MODULE = f"{NAME}/__init__.py"
METADATA = f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\nSummary: a wheel made for a test\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: topsctl tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
DEFLATED, UTF8 = 8, 0x800


def packed(content):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


class Member:
    """One member; `how` has the fields of its headers that are not what a tool would write."""

    def __init__(self, name, content, **how):
        self.name = name if isinstance(name, bytes) else name.encode()
        self.content = content.encode() if isinstance(content, str) else content
        self.how = how

    def written(self, offset):
        """(local header with data, entry of the directory)"""
        how = self.how
        data = how.get("data", packed(self.content))
        method, flags = how.get("method", DEFLATED), how.get("flags", UTF8)
        check, size = how.get("crc", zlib.crc32(self.content)), how.get("size", len(self.content))
        local_name = how.get("local_name", self.name)
        fields = struct.pack("<HHHIII", method, 0, 0x5821, check, len(data), size)
        local = (how.get("magic", b"PK\3\4") + struct.pack("<HH", 20, flags) + fields
                 + struct.pack("<HH", len(local_name), 0) + local_name + data)
        mode = how.get("mode", 0o100644)
        entry = (struct.pack("<IHHH", 0x02014B50, 0x031E, how.get("needs", 20), flags) + fields
                 + struct.pack("<HHHHHII", len(self.name), 0, 0, 0, 0, mode << 16, how.get("offset", offset)) + self.name)
        return local, entry


class Draft:
    """A sound wheel, to be changed; RECORD is made last, of what is there then."""

    def __init__(self):
        self.file_name = FILE_NAME
        self.members = [Member(MODULE, "def main():\n    pass\n"), Member(f"{INFO}/METADATA", METADATA),
                        Member(f"{INFO}/WHEEL", WHEEL)]
        self.record_name = f"{INFO}/RECORD"
        self.of_lines = self.of_record = self.of_bytes = lambda whole: whole
        self.has_record = True

    def named(self, file_name):
        self.file_name = file_name
        return self

    def add(self, name, content="x = 1\n", **how):
        self.members.append(Member(name, content, **how))
        return self

    def first(self, name, content="x = 1\n", **how):
        self.members.insert(0, Member(name, content, **how))
        return self

    def replace(self, name, content=None, **how):
        """Another content, or the same one with other headers; a name without a folder is one of the metadata."""
        path = (name if "/" in name else f"{INFO}/{name}").encode()
        for index, member in enumerate(self.members):
            if member.name == path:
                self.members[index] = Member(path, member.content if content is None else content, **how)
        return self

    def without(self, name):
        path = f"{INFO}/{name}".encode()
        self.has_record = self.has_record and name != "RECORD"
        self.members = [member for member in self.members if member.name != path]
        return self

    def moved(self, old, new):
        """All members of a folder under another one, RECORD with them."""
        for member in self.members:
            if member.name.startswith(old.encode() + b"/"):
                member.name = new.encode() + member.name[len(old):]
        self.record_name = self.record_name.replace(old + "/", new + "/")
        return self

    def recorded(self, change):
        """`change` makes other lines of RECORD out of the right ones."""
        self.of_record = change
        return self

    def record_bytes(self, change):
        """`change` makes the bytes of RECORD out of the right ones."""
        self.of_lines = change
        return self

    def commands(self, text, section="[console_scripts]\n"):
        content = text if isinstance(text, bytes) else (section + text).encode()
        return self.add(f"{INFO}/entry_points.txt", content)

    def bytes_changed(self, change):
        self.of_bytes = change
        return self

    def record_lines(self):
        lines = [record_line(member.name.decode("utf-8", "replace"), member.content)
                 for member in self.members if not member.name.endswith(b"/")]
        return [*lines, f"{self.record_name},,"]

    def bytes(self):
        members = list(self.members)
        if self.has_record:
            text = "".join(line + "\n" for line in self.of_record(self.record_lines())).encode("utf-8")
            members.append(Member(self.record_name, self.of_lines(text)))
        body, directory = b"", b""
        for member in members:
            local, entry = member.written(len(body))
            body += local
            directory += entry
        end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(members), len(members), len(directory), len(body), 0)
        return self.of_bytes(body + directory + end)
