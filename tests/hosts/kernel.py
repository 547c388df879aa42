"""The few Linux system calls the hosts need and Python 3.11 does not offer: namespaces, mounts, process relations."""

import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
import sys

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

_SYS_PIVOT_ROOT, _SYS_OPEN_TREE, _SYS_MOVE_MOUNT = 155, 428, 429
_AT_FDCWD, _OPEN_TREE_CLONE, _MOVE_MOUNT_F_EMPTY_PATH = -100, 1, 4
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _bytes(value):
    return None if value is None else os.fsencode(value)


def unshare(flags):
    """Gives this process namespaces of its own."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "cannot unshare namespaces")


def enter_namespace(handle, flags):
    """Moves this process into the namespace of the kind `flags` that the handle is open on."""
    _checked(_libc.setns(ctypes.c_int(handle), ctypes.c_int(flags)), "cannot enter a namespace")


def new_network_namespace(settings=None):
    """A handle on a network namespace with nothing but a loopback; it vanishes when no handle and no process is left.
    `settings` are values by their paths below /proc/sys/net."""
    own = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        unshare(CLONE_NEWNET)
        try:
            bring_loopback_up()
            for name, value in (settings or {}).items():
                with open(f"/proc/sys/net/{name}", "w", encoding="ascii") as file:
                    file.write(value)
            return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        finally:
            enter_namespace(own, CLONE_NEWNET)
    finally:
        os.close(own)


def mount(source, target, kind=None, flags=0, data=None):
    result = _libc.mount(_bytes(source), _bytes(target), _bytes(kind), ctypes.c_ulong(flags), _bytes(data))
    _checked(result, f"cannot mount {kind or source} on '{os.fspath(target)}'")


def in_child(action):
    """Calls `action` in a child process, so that the namespaces it enters are not this process's."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        except BaseException as error:  # it must not return into the caller's half of the fork
            print(error, file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1] != 0:
        raise OSError("what was to be done in other namespaces failed, see above")


def clone_mount(source):
    """A handle on another mount, which is nowhere yet, of what is mounted on `source`."""
    handle = _libc.syscall(_SYS_OPEN_TREE, _AT_FDCWD, _bytes(source), _OPEN_TREE_CLONE | os.O_CLOEXEC)
    _checked(0 if handle >= 0 else -1, f"cannot clone the mount on '{os.fspath(source)}'")
    return handle


def attach_mount(handle, target):
    """Puts a cloned mount on `target`, in whatever mount namespace this process is now."""
    _checked(_libc.syscall(_SYS_MOVE_MOUNT, handle, b"", _AT_FDCWD, _bytes(target), _MOVE_MOUNT_F_EMPTY_PATH),
             f"cannot mount on '{os.fspath(target)}'")


def pivot_root(root):
    """Makes the mount on `root` the root of this mount namespace, with nothing else left in it."""
    os.chdir(root)
    _checked(_libc.syscall(_SYS_PIVOT_ROOT, b".", b"."), f"cannot make '{os.fspath(root)}' the root")
    unmount(".", MNT_DETACH)
    os.chdir("/")


def unmount(target, flags=0):
    _checked(_libc.umount2(_bytes(target), ctypes.c_int(flags)), f"cannot unmount '{os.fspath(target)}'")


def make_mounts_private():
    """No mount made from now on is seen outside of this mount namespace."""
    try:
        mount(None, "/", None, MS_REC | MS_PRIVATE)
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise OSError(error.errno, "'/' is not a mount point, as in a bare chroot: "
                                       "enter it by unshare --root, or after `mount --bind` on itself") from error
        raise


def sync_file_system(descriptor):
    _checked(_libc.syncfs(ctypes.c_int(descriptor)), "cannot sync the file system")


def die_with_parent():
    """The kernel kills this process when its parent is gone, however the parent ended."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "cannot set the parent death signal")


def adopt_orphans():
    """Orphaned descendants become children of this process instead of init's, so they can be found and ended."""
    _checked(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "cannot become a child subreaper")


def bring_loopback_up():
    request = struct.pack("16sh14x", b"lo", 0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        flags = struct.unpack_from("h", fcntl.ioctl(control, _SIOCGIFFLAGS, request), 16)[0]
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))
