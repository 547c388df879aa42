"""Wheels with everything that the binary distribution format has, and such as lie."""

import hashlib
import json
import zipfile
from pathlib import Path

from support.sample_bundle.wheels import record_line

NAME, VERSION = "sample_parts", "1.0"
STACK = {
    "schema": 1, "name": "one-wheel", "title": "A wheel alone",
    "components": [{"id": "sample", "kind": "wheel", "names": [NAME]}],
    "python": {"tested_minors": ["3.9", "3.11"], "executables": ["/usr/bin/python3"], "unchanged": ["torch"]},
    "environment": {"file": "/etc/profile.d/sample.sh", "variables": [], "paths": []},
    "checks": [],
}


def members(version=VERSION):
    """path -> (content, mode); the second version lacks a module, has another, and turns a file into a folder."""
    data = f"{NAME}-{version}.data"
    common = {
        f"{NAME}/__init__.py": (f"__version__ = '{version}'\n\ndef main():\n    print('{version}')\n\n\n"
                                "class Main:\n    run = staticmethod(main)\n", 0o644),
        f"{NAME}/deep/er/module.py": ("x = 1\n", 0o644),
        f"{NAME}/tool.sh": ("#!/bin/sh\n", 0o755),
        f"{NAME}/odd, \"name\".txt": ("quoted\n", 0o644),
        f"{NAME}/说明.txt": ("text\n", 0o644),
        f"{NAME}/empty.txt": ("", 0o644),
        f"{data}/purelib/{NAME}_pure.py": ("y = 2\n", 0o644),
        f"{data}/platlib/{NAME}_plat.py": ("z = 3\n", 0o644),
        f"{data}/scripts/parts-python": ("#!python\nprint('script')\n", 0o755),
        f"{data}/scripts/parts-shell": ("#!/bin/sh\necho shell\n", 0o755),
        f"{data}/data/share/{NAME}/table.csv": ("a,b\n", 0o644),
        f"{data}/headers/{NAME}.h": ("#pragma once\n", 0o644),
    }
    if version == VERSION:
        return {**common, f"{NAME}/old.py": ("old = True\n", 0o644), f"{NAME}/turned": ("a file\n", 0o644)}
    return {**common, f"{NAME}/new.py": ("new = True\n", 0o644), f"{NAME}/turned/inside.py": ("", 0o644)}


def make_wheel(folder, version=VERSION, name=NAME, tag="py3-none-any", change=None, entry_points=None):
    """Writes a wheel; `change` gets the list of (path, content, mode) and the lines of RECORD, and may change both."""
    info = f"{name}-{version}.dist-info"
    parts = [(path, content.encode(), 0o100000 | mode) for path, (content, mode) in members(version).items()]
    if entry_points is None:
        entry_points = f"[console_scripts]\nparts-main = {NAME}:main\n[gui_scripts]\nparts-gui = {NAME}:Main.run\n"
    for path, text in ((f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\n"
                                            f"Version: {version}\nSummary: parts\n"),
                       (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n"),
                       (f"{info}/entry_points.txt", entry_points)):
        parts.append((path, text.encode(), 0o100644))
    record = [record_line(path, hashlib.sha256(content).digest(), len(content)) for path, content, _ in parts]
    record.append(f"{info}/RECORD,,\n")
    if change:
        change(parts, record)
    target = Path(folder) / f"{name}-{version}-{tag}.whl"
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content, mode in [*parts, (f"{info}/RECORD", "".join(record).encode(), 0o100644)]:
            entry = zipfile.ZipInfo(path, (2024, 1, 30, 0, 0, 0))
            entry.create_system, entry.external_attr, entry.compress_type = 3, mode << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return target


def write_stack(folder, **changes):
    """The stack file for such a wheel."""
    target = Path(folder) / "one-wheel.json"
    target.write_text(json.dumps({**STACK, **changes}))
    return target
