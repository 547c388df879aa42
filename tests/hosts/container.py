"""A container on a host of a fleet: real podman and crun inside the host, from a root that the test sees too.

What differs from a usual machine: no cgroups of its own, the host's network, and `docker` is podman under that name.
"""

from hosts import kernel
from hosts.storage import mount_overlay

FOLDER = "/srv/containers"
CONFIG = {
    # No limit may be raised where the tests themselves have no right to.
    "/etc/containers/containers.conf": """[containers]
cgroups = "disabled"
netns = "host"
utsns = "private"
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
""",
    "/etc/containers/storage.conf": """[storage]
driver = "vfs"
runroot = "/run/containers/storage"
graphroot = "/var/lib/containers/storage"
""",
}


class Container:
    """`root` is its root as the test sees it; it ends with the host."""

    def __init__(self, host, name, storage):
        if not host.path("/usr/bin/podman").exists():
            raise OSError(f"there is no podman for the release of '{host.name}': containers need one that has it")
        self.host = host
        self.name = name
        self.root = storage / "root"
        self._mounted = False
        storage.mkdir(parents=True)
        mount_overlay(host.lower, storage, host.volatile)
        self._mounted = True
        inside = f"{FOLDER}/{name}"
        host.show(self.root, inside)
        done = host.beside(["podman", "run", "--detach", "--name", name, "--hostname", name, "--rootfs", inside,
                            "sleep", "infinity"])
        if done.returncode != 0:
            self.remove()
            raise OSError(f"podman does not run a container: {done.stderr}")

    def run(self, argv, **options):
        """Runs argv in the container, by podman itself; a CompletedProcess with text."""
        return self.host.beside(["podman", "exec", self.name, *argv], **options)

    def path(self, inside):
        return self.root / str(inside).lstrip("/")

    def stop(self):
        """It is still known to podman, and no longer runs."""
        self.host.beside(["podman", "stop", "--time", "0", self.name], check=True)

    def start(self):
        self.host.beside(["podman", "start", self.name], check=True)

    def remove(self):
        """Of the test's own mount; called by the host when all its processes have ended."""
        if self._mounted:
            kernel.unmount(self.root, kernel.MNT_DETACH)
            self._mounted = False


def prepare_podman(host):
    """Settings with which podman works in a host; nothing where there is no podman."""
    if host.path("/usr/bin/podman").exists():
        for path, text in CONFIG.items():
            host.path(path).parent.mkdir(parents=True, exist_ok=True)
            host.path(path).write_text(text)
        host.path("/usr/local/bin/docker").symlink_to("/usr/bin/podman")
