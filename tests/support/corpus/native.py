"""Small ELF files made with gcc: needing what a case wants them to need, or patched to be what they are not."""

import struct
import subprocess
from pathlib import Path

MACHINE_AARCH64 = 183


class Native:
    """Compiles each library once into a folder; the same call gives the same bytes."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._made = {}

    def library(self, soname="", needs=(), exports="tops_demo", run_path=None):
        """The bytes of a shared library that needs the (soname, version node) pairs; no node: ''."""
        key = (soname, tuple(needs), exports, run_path)
        if key not in self._made:
            calls, links = [], []
            for index, (library, node) in enumerate(needs):
                name = f"needed_{index}"
                links.append(str(self._stub(library, node, name)))
                calls.append(name)
            text = "".join(f"int {name}(void);\n" for name in calls)
            text += f"int {exports}(void) {{ return {' + '.join(f'{name}()' for name in calls) or '1'}; }}\n"
            flags = ([f"-Wl,-soname,{soname}"] if soname else []) + (
                [f"-Wl,--enable-new-dtags,-rpath,{run_path}"] if run_path is not None else [])
            self._made[key] = self._compile(text, [*flags, *links]).read_bytes()
        return self._made[key]

    def extension(self, module):
        """A shared library that exports what the interpreter looks for in an extension module."""
        return self.library(exports=f"PyInit_{module}")

    def _stub(self, library, node, symbol):
        place = self.folder / f"stub-{symbol}-{node or 'plain'}-{library}"
        if not place.exists():
            flags = [f"-Wl,-soname,{library}"]
            if node:
                script = place.with_suffix(".map")
                script.write_text(f"{node} {{ global: {symbol}; }};\n")
                flags.append(f"-Wl,--version-script={script}")
            self._compile(f"int {symbol}(void) {{ return 1; }}\n", flags, place)
        return place

    def _compile(self, text, flags, output=None):
        output = output or self.folder / f"library-{len(list(self.folder.iterdir()))}.so"
        subprocess.run(["gcc", "-x", "c", "-shared", "-fPIC", "-O1", "-s", "-nostdlib", "-Wl,--build-id=none", "-o",
                        output, "-", "-x", "none", *flags], input=text.encode(), check=True)
        return output


def for_machine(elf, machine=MACHINE_AARCH64):
    """The ELF file with another machine in its header."""
    return elf[:18] + struct.pack("<H", machine) + elf[20:]
