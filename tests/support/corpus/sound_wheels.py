"""Wheels that are sound, however unusual: every one is accepted, read to the end, and found without fault."""

import base64
import hashlib
import zipfile

from .case import case
from .wheels import Wheel, streamed, zip64

PACKAGE = (("torch_demo", "1.10.0"),)


@case("wheel-plain", packages=PACKAGE)
def _(shop):
    Wheel().write(shop.folder)


@case("wheel-stored", packages=PACKAGE)
def _(shop):
    wheel = Wheel()
    wheel.write(shop.folder, data=wheel.bytes(zipfile.ZIP_STORED))


@case("wheel-build-tag", packages=PACKAGE)
def _(shop):
    Wheel(build="1gcu").write(shop.folder)


@case("wheel-local-version", packages=(("torch_demo", "1.10.0+2.5.136"),))
def _(shop):
    Wheel(version="1.10.0+2.5.136").write(shop.folder)


@case("wheel-several-tags", packages=PACKAGE)
def _(shop):
    Wheel(tag="py2.py3-none-any").write(shop.folder)


@case("wheel-data-descriptors", packages=PACKAGE)
def _(shop):
    wheel = Wheel().file("torch_demo/long.txt", "a line\n" * 5000)
    data = streamed(wheel)
    assert b"PK\7\x08" in data
    wheel.write(shop.folder, data=data)


@case("wheel-zip64", packages=PACKAGE)
def _(shop):
    wheel = Wheel()
    data = zip64(wheel)
    assert b"PK\6\6" in data
    wheel.write(shop.folder, data=data)


@case("wheel-comment-at-end", packages=PACKAGE)
def _(shop):
    wheel = Wheel()
    data = wheel.bytes()
    comment = b"made by a test"
    wheel.write(shop.folder, data=data[:-2] + len(comment).to_bytes(2, "little") + comment)


@case("wheel-nested-dist-info", packages=PACKAGE)
def _(shop):
    # Another distribution is carried along in a subfolder: its metadata are not this wheel's.
    wheel = Wheel()
    inner = "torch_demo/_vendor/other-9.9.dist-info"
    wheel.file(f"{inner}/METADATA", "Metadata-Version: 2.1\nName: other\nVersion: 9.9\n")
    wheel.file(f"{inner}/RECORD", "other/__init__.py,sha256=AAAA,0\n").write(shop.folder)


@case("wheel-data-folders", packages=PACKAGE)
def _(shop):
    base = "torch_demo-1.10.0.data"
    wheel = Wheel().file(f"{base}/scripts/demo", "#!python\nprint('demo')\n").file(f"{base}/headers/demo.h", "int x;\n")
    wheel.file(f"{base}/data/share/demo.txt", "x\n").file(f"{base}/purelib/torch_demo/more.py", "").write(shop.folder)


@case("wheel-names-to-quote", packages=PACKAGE)
def _(shop):
    Wheel().file('torch_demo/a,b "c".txt').file("torch_demo/文件.txt").write(shop.folder)


@case("wheel-signed-record", packages=PACKAGE)
def _(shop):
    # Signatures of RECORD cannot be in RECORD.
    wheel = Wheel()
    lines = wheel.record_lines()
    wheel.info = {"RECORD.jws": b"{}", "RECORD.p7s": b"x"}
    wheel.record = lines
    wheel.write(shop.folder)


@case("wheel-record-of-sha512", packages=PACKAGE)
def _(shop):
    wheel = Wheel()
    content = wheel.files["torch_demo/__init__.py"]
    digest = base64.urlsafe_b64encode(hashlib.sha512(content).digest()).decode().rstrip("=")
    wheel.record = [f"torch_demo/__init__.py,sha512={digest},{len(content)}", *wheel.record_lines()[1:]]
    wheel.write(shop.folder)


@case("wheel-name-in-other-spelling", packages=(("Torch.Demo", "1.10.0"),))
def _(shop):
    # Torch.Demo and torch_demo are one name (PEP 503).
    Wheel(metadata="Metadata-Version: 2.1\nName: Torch.Demo\nVersion: 1.10.0\n").write(shop.folder)


@case("wheel-folded-metadata", packages=PACKAGE)
def _(shop):
    Wheel(requires="Requires-Python: >=3.6\nRequires-Dist: numpy (>=1.19) ; python_version < '3.9'\n"
                   "Requires-Dist: torch==1.10.0\nLicense: one\n        two\n").write(shop.folder)


@case("wheel-native", packages=PACKAGE)
def _(shop):
    wheel = Wheel(tag="cp38-cp38-linux_x86_64")
    wheel.file("torch_demo/_C.cpython-38-x86_64-linux-gnu.so", shop.native.extension("_C")).write(shop.folder)


@case("wheel-stable-abi", packages=PACKAGE)
def _(shop):
    wheel = Wheel(tag="cp36-abi3-linux_x86_64")
    wheel.file("torch_demo/_C.abi3.so", shop.native.extension("_C")).write(shop.folder)


@case("wheel-folder-entries", packages=PACKAGE)
def _(shop):
    wheel = Wheel()
    wheel.write(shop.folder)
    with zipfile.ZipFile(shop.folder / wheel.file_name, "a") as archive:
        archive.writestr(zipfile.ZipInfo("torch_demo/empty/", (2024, 1, 30, 0, 0, 0)), b"")


@case("wheel-bytes-before-the-zip", packages=PACKAGE)
def _(shop):
    # Python's zipfile, and so pip, takes a zip with something in front.
    wheel = Wheel()
    wheel.write(shop.folder, data=b"#!/usr/bin/env python3\n" + wheel.bytes())
