"""What the builders of the cases work with: the folder to build in, scratch space, and outside tools."""

import os
import shutil
import subprocess
from pathlib import Path

from .formats import EPOCH
from .native import Native


def sync_files(folder):
    for path in Path(folder).rglob("*"):
        if path.is_file() and not path.is_symlink():
            with open(path, "rb") as file:
                os.fsync(file.fileno())


class Workshop:
    """One for each case; all share the compiled libraries."""

    def __init__(self, folder, scratch, native=None):
        self.folder = Path(folder)
        self.scratch = Path(scratch)
        self.native = native or Native(self.scratch / "native")

    def place(self, name):
        """An empty scratch folder."""
        path = self.scratch / self.folder.name / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def makeself(self, content, name, *options, start="./install.sh"):
        """A self-extracting archive of a folder, by the real makeself."""
        for folder, folders, names in os.walk(content):
            folders.sort()
            for one in [*folders, *names]:
                os.utime(os.path.join(folder, one), (EPOCH, EPOCH), follow_symlinks=False)
        os.utime(content, (EPOCH, EPOCH))
        # The header has what `du` says, which on some file systems is known only once it is on the disk.
        sync_files(content)
        # The header repeats the command line, so that it must not name this machine's folders.
        content, output = Path(content), self.folder / name
        subprocess.run(["makeself", "--quiet", "--packaging-date", "2024-01-30", "--tar-extra",
                        "--sort=name --owner=0 --group=0 --numeric-owner", *options, content.name, name,
                        "a bundle made for a test", start], cwd=content.parent,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env={**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8", "GZIP": "-n"})
        shutil.move(content.parent / name, output)
        return output

    def tar(self, content, name, *options):
        """A tar of a folder, by the real tar."""
        output = self.folder / name
        subprocess.run(["tar", "--create", "--sort=name", f"--mtime=@{EPOCH}", "--owner=0", "--group=0",
                        "--numeric-owner", *options, "--file", output, "--directory", content, "."], check=True)
        return output
