"""A machine of its own: a Debian root on a disk, booted by QEMU with a kernel, reached over SSH as a server is."""

import contextlib
import functools
import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from support.waiting import wait_for

HOME = "/root"  # of the user by whom it is reached
BOOT_S, COMMAND_S = 240, 300
PROCESSOR = "max,arch-capabilities=off"  # which some hosts announce and do not let a guest have
NETWORK = "[Match]\nType=ether\n[Network]\nDHCP=yes\n"
# Of the whole root, what is topsctl's own, logs, and what no restart survives, left out.
DIGEST = r"""cd / && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp -o -path ./var/tmp -o -path ./var/log \
-o -path ./var/lib/topsctl -o -path ./var/lib/systemd -o -path ./root -o -path ./srv/bundle \) -prune -o \
\( -type d -printf '%p d %m %u %g\n' -o -type f -printf '%p f %m %u %g %s %T@\n' -o -printf '%p %y %m %u %g %l\n' \) | sort
find . -xdev -type f \( -path './etc/*' -o -path './opt/*' -o -path './srv/*' -o -path './usr/local/*' -o -path './usr/lib/lib*' \
-o -path './var/lib/dpkg/*' \) ! -path './srv/bundle*' -exec md5sum {} + | sort"""
NOT_COMPARED = ("./etc/resolv.conf", "./etc/machine-id", "./var/lib/dpkg/lock", "./var/lib/dpkg/triggers/Lock", "./var/lib/dhcp")


@functools.lru_cache
def accelerator(kernel):
    """"kvm" where a probe boots the kernel with it; else plain emulation. A /dev/kvm alone says little: QEMU aborts with some, and some stand still."""
    if os.access("/dev/kvm", os.W_OK):
        with contextlib.suppress(subprocess.TimeoutExpired):
            # It finds no root, panics and ends.
            probe = subprocess.run(["qemu-system-x86_64", "-accel", "kvm", "-cpu", PROCESSOR, "-m", "256", "-display", "none", "-no-reboot", "-kernel",
                                    kernel, "-append", "panic=-1 console=ttyS0", "-serial", "stdio"],
                                   stdin=subprocess.DEVNULL, capture_output=True, timeout=8, check=False)
            if probe.returncode == 0 and b"Linux version" in probe.stdout:
                return "kvm"
    return "tcg,thread=multi"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Machine:
    """`folder` is its own; `files` are put into the root before it is booted: (path in it, local path, mode)."""

    def __init__(self, folder, root, kernel, initrd=None, files=(), more="", memory=2048):
        self.folder, self.kernel, self.initrd, self.memory, self.more = Path(folder), kernel, initrd, memory, more
        self.port, self.process, self.boots = free_port(), None, 0
        self.folder.mkdir(parents=True, exist_ok=True)
        self.disk, self.key, self.known = self.folder / "disk", self.folder / "key", self.folder / "known_hosts"
        self._make_disk(Path(root), files)

    def _make_disk(self, root, files):
        host_key = self.folder / "host_key"
        for key in (self.key, host_key):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
        self.known.write_text(f"[127.0.0.1]:{self.port} {host_key.with_suffix('.pub').read_text()}")
        (self.folder / "network").write_text(NETWORK)
        (self.folder / "hosts.allow").write_text("sshd: ALL\n")
        placed = [(f"{HOME}/.ssh/authorized_keys", self.key.with_suffix(".pub"), 0o600), ("/etc/ssh/ssh_host_ed25519_key", host_key, 0o600),
                  ("/etc/ssh/ssh_host_ed25519_key.pub", host_key.with_suffix(".pub"), 0o644),
                  ("/etc/systemd/network/80-all.network", self.folder / "network", 0o644),
                  ("/etc/hosts.allow", self.folder / "hosts.allow", 0o644), *files]
        with open(self.disk, "wb") as disk:
            disk.truncate(4 << 30)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", root, self.disk], check=True)
        lines, made = [], set()
        for path, local, mode in placed:
            for above in reversed(Path(path).parents):
                if above != Path("/") and above not in made and not os.path.lexists(root / str(above).lstrip("/")):
                    lines.append(f"mkdir {above}")
                    made.add(above)
            lines += [f"rm {path}", f"write {local} {path}", f"sif {path} mode 0100{mode:o}", f"sif {path} uid 0", f"sif {path} gid 0"]
        lines.append(f"sif {HOME}/.ssh mode 040700")
        for service in ("systemd-networkd", "ssh"):
            lines.append(f"symlink /etc/systemd/system/multi-user.target.wants/{service}.service /lib/systemd/system/{service}.service")
        subprocess.run(["debugfs", "-w", "-f", "/dev/stdin", self.disk], input="\n".join(lines), text=True, check=True, capture_output=True)

    def start(self, init=None):
        self.boots += 1
        words = f"root=/dev/vda rw console=ttyS0 quiet panic=-1 systemd.unified_cgroup_hierarchy=0 net.ifnames=0 {self.more}"
        console = self.folder / f"console-{self.boots}"
        (self.folder / "qmp").unlink(missing_ok=True)
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-accel", accelerator(self.kernel), "-cpu", PROCESSOR, "-m", str(self.memory), "-smp", "2", "-display", "none",
             "-kernel", self.kernel, *(["-initrd", self.initrd] if self.initrd else []),
             "-drive", f"file={self.disk},format=raw,if=virtio,cache=unsafe", "-append", words + (f" init={init}" if init else ""),
             "-netdev", f"user,id=n,hostfwd=tcp:127.0.0.1:{self.port}-:22", "-device", "virtio-net-pci,netdev=n",
             "-device", "virtio-rng-pci", "-serial", f"file:{console}", "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off",
             *(["-no-reboot"] if init else [])],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.folder / "qemu.log", "wb"))
        return console

    def boot(self):
        self.start()
        self.wait_until_up()

    def wait_until_up(self):
        """Reached by SSH, and all that it starts has been started."""
        wait_for(lambda: self.process.poll() is not None or self.run("true", timeout=20, check=False).returncode == 0, seconds=BOOT_S)
        assert self.process.poll() is None, (self.folder / "qemu.log").read_text()
        wait_for(lambda: self.run("systemctl is-system-running", timeout=60, check=False).stdout.strip() in ("running", "degraded"),
                 seconds=BOOT_S)

    def words(self):
        return ["-p", str(self.port), "-i", str(self.key), "-o", f"UserKnownHostsFile={self.known}", "-o", "IdentitiesOnly=yes",
                "-o", "ConnectTimeout=15", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "root@127.0.0.1"]

    def run(self, script, timeout=COMMAND_S, check=True):
        """Runs a shell's script there."""
        try:
            done = subprocess.run(["ssh", "-F", "none", *self.words(), script], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=timeout, check=False)
        except subprocess.TimeoutExpired as late:
            done = subprocess.CompletedProcess(late.cmd, 124, str(late.stdout), str(late.stderr))
        assert not check or done.returncode == 0, done
        return done

    def json(self, command, code=0):
        done = self.run(f"{command} --json", check=False)
        assert done.returncode == code, done
        return json.loads(done.stdout)

    def copy_in(self, local, there):
        with subprocess.Popen(["tar", "-C", local, "-cf", "-", "."], stdout=subprocess.PIPE) as packed:
            subprocess.run(["ssh", "-F", "none", *self.words(), f"rm -rf {there}; mkdir -p {there} && tar -C {there} -xf -"],
                           stdin=packed.stdout, check=True, timeout=COMMAND_S)

    def digest(self):
        """Lines, one for a path and one for the content of a file, of all that a rollback puts back."""
        lines = self.run(DIGEST).stdout.splitlines()
        assert len(lines) > 1000
        return {line for line in lines if not any(name in line for name in NOT_COMPARED)}

    def say(self, command):
        """A word of QMP: system_reset, quit."""
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(str(self.folder / "qmp"))
            stream = control.makefile("rw")
            stream.readline()
            for each in ("qmp_capabilities", command):
                stream.write(json.dumps({"execute": each}) + "\n")
                stream.flush()
                stream.readline()

    def wait_until_down(self):
        wait_for(lambda: self.run("true", timeout=5, check=False).returncode != 0, seconds=60)

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
