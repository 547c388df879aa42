# Real ELF files for the doubles: compiles the sources under doubles/native so that glibc 2.27 can load them.

import platform
import shutil
import subprocess
from pathlib import Path

from .files import DOUBLES, filler, write_filler

# Nothing here may bind to a symbol version newer than GLIBC_2.27; hence no start files for programs
# (__libc_start_main got a 2.34 version) and no stack protector.
FLAGS = ["-O1", "-g0", "-std=gnu11", "-Wall", "-Werror", "-fno-stack-protector", "-fcf-protection=none",
         "-Wl,--build-id=sha1", "-Wl,--hash-style=both", "-Wl,--no-as-needed"]


class Compiler:
    """Compiles into `folder`; sources are copied there so that no path of this machine enters a file."""

    def __init__(self, folder):
        machine = platform.machine()
        if machine != "x86_64":
            raise SystemExit("error: the doubles are x86-64 files, this machine is '{}'".format(machine))
        if not shutil.which("cc"):
            raise SystemExit("error: no C compiler 'cc' found, install gcc")
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for source in sorted((DOUBLES / "native").iterdir()):
            shutil.copyfile(str(source), str(self.folder / source.name))

    def _run(self, output, source, arguments):
        path = self.folder / output
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-I.", "-L."] + FLAGS + ["-o", output, source] + arguments,
                       cwd=str(self.folder), check=True)
        return path

    def library(self, soname, source, defines=(), needed=(), filler_seed="", filler_size=0):
        """A shared library; `filler_size` bytes of filler make a section of it."""
        write_filler(self.folder / "filler.bin", filler_seed, filler_size)
        arguments = ["-shared", "-fPIC", "-Wl,-soname," + soname]
        arguments += ["-D" + define for define in defines]
        return self._run(soname, source, arguments + ["-l:" + name for name in needed])

    def program(self, name, source, needed=()):
        """A dynamic program without glibc's start files."""
        return self._run(name, source, ["-nostartfiles", "-fPIE", "-pie"] + ["-l:" + n for n in needed])

    def extension(self, name, source, needed=()):
        """A Python extension module; `name` is its path below the folder."""
        return self._run(name, source, ["-shared", "-fPIC"] + ["-l:" + n for n in needed])


def stub(seed):
    """16 bytes that begin like an ELF file and are none."""
    return b"\x7fELF\x02\x01\x01" + next(iter(filler(seed, 9)))
