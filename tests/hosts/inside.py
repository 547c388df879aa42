"""Runs one command inside a host: own mount, pid, net, ipc and uts namespaces, then chroot; all of it ends with it.

Started by host.py with one argument, a JSON object: root, argv, env, cwd, user, hostname, interactive, parent; and
network, the path of a network namespace to enter instead of a new one; the host then has all that containers need:
its root is that of the mount namespace, and there is a /sys.
"""

import json
import os
import resource
import signal
import socket
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernel  # noqa: E402

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main():
    spec = json.loads(sys.argv[1])
    kernel.die_with_parent()
    if spec["parent"] not in (None, os.getppid()):
        sys.exit(125)  # the parent died before the line above could take effect
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if spec.get("network"):
        kernel.enter_namespace(os.open(spec["network"], os.O_RDONLY | os.O_CLOEXEC), kernel.CLONE_NEWNET)
    kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
                   | (0 if spec.get("network") else kernel.CLONE_NEWNET))
    kernel.make_mounts_private()
    read_end, write_end = os.pipe()
    init = os.fork()
    if init == 0:
        os.close(read_end)
        _as_init(spec, write_end)
    os.close(write_end)
    _forward_signals(init, spec)
    _wait_for(init)
    with os.fdopen(read_end, "rb") as report:
        data = report.read()
    _end_as(struct.unpack("i", data)[0] if len(data) == 4 else signal.SIGKILL)


def _as_init(spec, report):
    """Pid 1 of the host: prepares it, starts the command, reaps, and reports the command's wait status."""
    try:
        kernel.die_with_parent()
        socket.sethostname(spec["hostname"])
        kernel.bring_loopback_up()
        _mount_pseudo_file_systems(spec["root"])
        if spec.get("network"):
            _mount_sys(spec["root"])
            kernel.pivot_root(spec["root"])
            spec["root"] = "/"
        command = os.fork()
        if command == 0:
            os.close(report)
            _exec(spec)
        _forward_signals(command, spec)
        os.write(report, struct.pack("i", _wait_for(command)))
        os._exit(0)
    except BaseException as error:  # an exception must not return into the caller's half of the fork
        print(f"inside.py: {error}", file=sys.stderr, flush=True)
        os.write(report, struct.pack("i", 125 << 8))
        os._exit(125)



def _mount_pseudo_file_systems(root):
    safe = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    for kind, place, flags, data in (
            ("proc", "proc", safe, None),
            ("tmpfs", "dev/shm", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=1777,size=512m"),
            ("devpts", "dev/pts", kernel.MS_NOSUID | kernel.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")):
        target = os.path.join(root, place)
        if os.path.isdir(target):
            kernel.mount(kind, target, kind, flags, data)


def _mount_sys(root):
    """To be read only; the cgroups are not this host's to change, and container runtimes take their folder for the old kind."""
    safe = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    kernel.mount("sysfs", os.path.join(root, "sys"), "sysfs", safe | kernel.MS_RDONLY)
    kernel.mount("tmpfs", os.path.join(root, "sys/fs/cgroup"), "tmpfs", safe, "mode=755")


def _exec(spec):
    argv = spec["argv"]
    try:
        for number in FORWARDED:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.chroot(spec["root"])
        os.chdir(spec["cwd"])
        os.umask(0o022)
        if spec["user"] is not None:
            os.setgroups([])
            os.setgid(spec["user"])
            os.setuid(spec["user"])
        os.execve(_found(argv[0], spec["env"].get("PATH", "/usr/bin:/bin")), argv, spec["env"])
    except BaseException as error:  # nor here; and nothing may be imported any more: we are in another root
        print(f"cannot run '{argv[0]}': {error}", file=sys.stderr, flush=True)
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def _found(command, search_path):
    if "/" not in command:
        for folder in search_path.split(":"):
            candidate = f"{folder or '.'}/{command}"
            if os.access(candidate, os.X_OK):
                return candidate
    return command


def _forward_signals(child, spec):
    def forward(number, _frame):
        try:
            os.kill(child, number)
        except ProcessLookupError:
            pass
    for number in FORWARDED:
        # A terminal sends its signals to the command itself.
        signal.signal(number, signal.SIG_IGN if spec["interactive"] else forward)


def _wait_for(child):
    """Reaps every process until the given child has ended; its wait status."""
    while True:
        pid, status = os.wait()
        if pid == child:
            return status


def _end_as(status):
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    sys.exit(os.WEXITSTATUS(status))


main()
