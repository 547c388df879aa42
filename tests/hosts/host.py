"""One host: a root directory of its own over the cached root, and commands run inside it in their own namespaces."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from hosts import kernel
from hosts.digest import tree_digest
from hosts.root_cache import HOSTNAME
from hosts.storage import Storage, mount_overlay

INSIDE = Path(__file__).with_name("inside.py")
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
DEFAULT_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
}


class Host:
    """Made and removed by the fixtures; `root` is its root directory as seen from the test."""

    hostname = HOSTNAME
    volatile = False  # see mount_overlay
    network = None  # the path of a network namespace; without one each command has an empty one of its own

    def __init__(self, lower, place, kind="overlay", hash_cache=None):
        """kind 'overlay': under a second; 'copy': a real copy on the file system of `place`, for nested overlays."""
        self.lower = Path(lower)
        self.kind = kind
        self._hash_cache = {} if hash_cache is None else hash_cache
        self._mounted = False
        self._started = []
        self._storage = Storage(place)
        self.root = self._storage.path / "root"
        try:
            if kind == "overlay":
                self._mount()
                self._mounted = True
            elif kind == "copy":
                subprocess.run(["cp", "-a", "--reflink=auto", "--", self.lower, self.root], check=True)
            else:
                raise ValueError(f"unknown kind of host '{kind}': expected overlay or copy")
        except BaseException:
            self.remove()
            raise

    def _mount(self):
        mount_overlay(self.lower, self._storage.path, self.volatile)

    def _unmount(self):
        kernel.unmount(self.root, kernel.MNT_DETACH)

    def remove(self):
        """Ends what was started in the host, unmounts and deletes it; may be called twice."""
        self.end_started()
        if self._mounted:
            self._unmount()
            self._mounted = False
        self._storage.remove()

    def running(self):
        """The command lines of all processes that have the root of this host, also those that topsctl started from outside."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):  # it ended while we looked
                if os.readlink(f"/proc/{pid}/root") == str(self.root):
                    words = Path(f"/proc/{pid}/cmdline").read_bytes()
                    found.append(words.rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace"))
        return found

    def end_started(self):
        for process in self._started:
            if process.poll() is None:
                process.kill()
                process.wait()
        self._started.clear()

    def path(self, inside):
        """Where a path of the host is for the test: path('/etc/os-release')."""
        return self.root / str(inside).lstrip("/")

    def run(self, argv, env=None, input=None, timeout=120, user=None, cwd="/", check=False):
        """Runs argv inside, ended with everything it started when it returns or the timeout (seconds) is over.

        A value of None in env removes the variable. Gives a CompletedProcess with text; returncode as subprocess has
        it: 127 when argv[0] is not there, negative for a signal.
        """
        return subprocess.run(self._inside(argv, env, user, cwd), capture_output=True, text=True, timeout=timeout,
                              errors="surrogateescape", check=check, start_new_session=True,
                              **({"stdin": subprocess.DEVNULL} if input is None else {"input": input}))

    def start(self, argv, env=None, user=None, cwd="/", **popen):
        """Starts argv inside and gives the Popen: kill() ends the whole host, terminate() reaches the command."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                   "text": True, "start_new_session": True, **popen}
        self._started.append(subprocess.Popen(self._inside(argv, env, user, cwd), **options))
        return self._started[-1]

    def login_shell(self, command, shell="sh", **options):
        """What a user sees after logging in: `sh -lc` or `bash -lc`."""
        return self.run([shell, "-lc", command], **options)

    def interactive_argv(self, argv, env):
        """The command line that runs argv inside on whatever terminal it is started in."""
        return self._inside(argv, env, None, "/", interactive=True, is_ours=False)

    def interactive(self, argv):
        """Runs argv on the terminal of the caller; its exit status."""
        return subprocess.run(self._inside(argv, {"TERM": os.environ.get("TERM", "dumb")}, None, "/", interactive=True),
                              check=False).returncode

    def copy_in(self, source, inside):
        """Copies a file or a tree into the host; the path for the test."""
        target = self.path(inside)
        target.parent.mkdir(parents=True, exist_ok=True)
        if Path(source).is_dir():
            shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
        else:
            shutil.copy2(source, target)
        return target

    def install_binary(self, binary):
        """Puts the static topsctl to /usr/local/bin; call it before the first digest."""
        target = self.path("/usr/local/bin/topsctl")
        shutil.copyfile(binary, target)
        target.chmod(0o755)
        return target

    def digest(self, exclude=()):
        """Every path of the root with all that can be compared; see digest.py."""
        made = os.stat(self.lower.parent).st_ctime_ns
        return tree_digest(self.root, exclude, self._hash_cache, cache_before_ns=made)

    def python_minor(self, executable="python3"):
        """The Python of the host, as '3.9'."""
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        return self.run([executable, "-c", code], check=True).stdout.strip()

    def has_module(self, module, executable="python3"):
        return self.run([executable, "-c", f"import {module}"], timeout=300).returncode == 0

    def _inside(self, argv, env, user, cwd, interactive=False, is_ours=True):
        environment = {**DEFAULT_ENVIRONMENT, **(env or {})}
        spec = {"root": str(self.root), "argv": [os.fspath(part) for part in argv],
                "env": {key: value for key, value in environment.items() if value is not None},
                "cwd": cwd, "user": user, "hostname": self.hostname, "interactive": interactive, "parent": os.getpid() if is_ours else None,
                "network": self.network}
        return [PYTHON, "-ISB", str(INSIDE), json.dumps(spec)]
