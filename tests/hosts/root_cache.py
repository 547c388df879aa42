"""Makes a root once with mmdebstrap and keeps it outside the source tree: locked while made, renamed when whole."""

import contextlib
import fcntl
import os
import shutil
import subprocess

from hosts import kernel
from hosts.settings import SettingsError, cache_home, root_settings

HOSTNAME = "t20"
# What debootstrap does for a release in which /bin is a link to /usr/bin.
MERGE_USR = "for d in bin sbin lib lib32 lib64 libx32; do mkdir -p \"$1/usr/$d\"; ln -s usr/$d \"$1/$d\"; done"
SMALL_FILES = {
    "etc/hostname": f"{HOSTNAME}\n",
    "etc/hosts": f"127.0.0.1 localhost\n127.0.1.1 {HOSTNAME}\n::1 localhost ip6-localhost\n",
    "etc/resolv.conf": "",
}


def cached_root(settings=None):
    """The path of the root; makes it when it is not there. Needs root. Throws SettingsError."""
    settings = settings or root_settings()
    home = cache_home() / settings.name
    home.parent.mkdir(parents=True, exist_ok=True)
    with _locked(home.with_name(f"{settings.name}.lock")):
        if not (home / "root").is_dir():
            _make(settings, home)
    return home / "root"


def enter_private_mounts():
    """From here on, mounts of this process and its children vanish with them, also after SIGKILL."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.make_mounts_private()


def remove_cached_roots():
    """Removes every cached root, and leaves the cache folder itself."""
    base = cache_home()
    for lock_file in sorted(base.glob("*.lock")):
        with _locked(lock_file):
            remove_tree(lock_file.with_suffix(""))
            lock_file.with_suffix(".log").unlink(missing_ok=True)
            lock_file.unlink()


def remove_tree(path):
    """Removes a tree, never what is mounted below it."""
    if os.path.lexists(path):
        subprocess.run(["rm", "-rf", "--one-file-system", "--", str(path)], check=True)


@contextlib.contextmanager
def _locked(path):
    while True:
        with open(path, "a", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            # Whoever held it before may have removed the file: then the lock is on nothing.
            if os.path.exists(path) and os.fstat(lock.fileno()).st_ino == os.stat(path).st_ino:
                yield
                return


def _make(settings, home):
    if shutil.which("mmdebstrap") is None:
        raise SettingsError("cannot make a root: mmdebstrap is missing; "
                            "run `packaging/install-packages tests/packages`")
    making = home.with_name(f".making-{settings.name}")
    log = home.with_name(f"{settings.name}.log")
    remove_tree(making)  # of a maker that was killed: nobody else holds the lock
    making.mkdir()
    try:
        with open(log, "w", encoding="utf-8") as output:
            done = subprocess.run(_command(settings, making / "root"), stdin=subprocess.DEVNULL, stdout=output,
                                  stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise SettingsError(f"cannot make a root of '{settings.release}': mmdebstrap returned {done.returncode}; "
                                f"see {log}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:]))
        for name, text in SMALL_FILES.items():
            path = making / "root" / name
            path.unlink(missing_ok=True)
            path.write_text(text, encoding="utf-8")
        making.rename(home)
    finally:
        remove_tree(making)


def _command(settings, target):
    return ["mmdebstrap", "--mode=root", "--variant=minbase", f"--components={settings.components}",
            *([f"--include={settings.include}"] if settings.include else []),
            *([f"--setup-hook={MERGE_USR}"] if settings.merged_usr else []),
            # Old releases are no longer signed anew.
            "--aptopt=Acquire::Check-Valid-Until \"false\"",
            settings.release, str(target), settings.mirror]
