"""Maintainer scripts that change what no text of theirs tells, each as the postinst of a package that is a double."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

TARGET = "/etc/hosts.allow"
TEXT = "before\n"


@dataclass(frozen=True)
class Case:
    name: str
    script: str
    before: str = ""     # run on the host before anything is compared
    within: str = ":"    # run in the same mounts before topsctl: what it mounts is there for install and rollback
    mounted: str = ""    # the directory of it that is compared there
    executables: dict = field(default_factory=dict)
    programs: dict = field(default_factory=dict)  # paths of compiled ones, by their place in the package
    fields: str = ""     # of the package's control file
    files: tuple = ()    # of the package
    scripts: dict = field(default_factory=dict)  # its others
    debs: tuple = ()     # that are on the host before, as crafted.deb() takes them
    fails: bool = False  # the install fails, and is rolled back by itself


# An i386 program without any library; a static one of the host's architecture does the same with libc.
COMPATIBLE = """
static int call(int n, const void *a, int b, int c) {
  int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b), "d"(c) : "memory"); return r; }
static void done(void) { __asm__ volatile("int $0x80" :: "a"(1), "b"(0)); }
void _start(void) {
  int f = call(5, "/etc/hosts.allow", 02001, 0);                 /* open: O_WRONLY | O_APPEND */
  __asm__ volatile("int $0x80" :: "a"(4), "b"(f), "c"("added\\n"), "d"(6) : "memory");
  call(39, "/srv/of-i386", 0755, 0);                             /* mkdir */
  call(15, "/etc/debian_version", 0600, 0);                      /* chmod */
  call(38, "/etc/issue", (int)"/etc/issue.moved", 0);            /* rename */
  call(10, "/etc/issue.net", 0, 0);                              /* unlink */
  done(); }
"""
STATIC = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static void *work(void *name) {
  char path[64]; snprintf(path, sizeof path, "/etc/%s", (char *)name);
  int f = open(path, O_WRONLY | O_APPEND); if (f >= 0) { (void)!write(f, "added\n", 6); close(f); }
  return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, "hosts.allow"); pthread_create(&b, 0, work, "issue");
  pthread_join(a, 0); pthread_join(b, 0);
  int f = open("/etc/issue.net", O_RDWR);
  char *m = mmap(0, 4, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0); close(f);
  m[0] = 'X'; munmap(m, 4);
  mkdir("/srv/of-static", 0700); truncate("/etc/debian_version", 3); return 0; }
"""


def compiled(folder):
    """The two programs, by name."""
    folder = Path(folder)
    made = {}
    for name, source, options in (("compatible", COMPATIBLE, ["-m32", "-nostdlib", "-ffreestanding", "-static", "-fno-pic", "-no-pie"]),
                                  ("static", STATIC, ["-static", "-pthread"])):
        (folder / f"{name}.c").write_text(source)
        made[name] = folder / name
        subprocess.run(["gcc", "-O1", "-w", *options, "-o", made[name], folder / f"{name}.c"], check=True)
    return made


def python(code):
    return f"python3 - <<'END'\n{code}\nEND"


OTHER = "d=/usr/share/doc/$(ls /usr/share/doc | grep -m1 ^perl-base)"  # of another package
CASES = (
    Case("python appends to a file", """python3 -c 'open("/et" + "c/hosts.allow", "a").write("added")'"""),
    Case("python makes a directory tree", python('import os\nos.makedirs("/s" + "rv/hidden/a/b")\nopen("/srv/hidden/a/b/c", "w").write("x")')),
    Case("perl writes in place", """perl -e 'open(F, ">>", "/etc/hosts.allow"); print F "x"'; perl -pi -e 's/b/c/' /etc/hosts.deny""",
         before="echo b >/etc/hosts.deny"),
    Case("a static program of the package", "/opt/x/static", programs={"/opt/x/static": "static"}),
    Case("a 32-bit program of the package", "/opt/x/compatible", programs={"/opt/x/compatible": "compatible"}),
    Case("a program in the background", "(sleep 0.3; echo late >>/etc/hosts.allow; mkdir /srv/late) >/dev/null 2>&1 </dev/null &"),
    Case("a daemon in a session of its own",
         "setsid sh -c 'echo $$ >/run/daemon; echo daemon >>/etc/hosts.allow; mkdir -p /srv/of-daemon; sleep 60' >/dev/null 2>&1 </dev/null &\nsleep 0.5"),
    Case("chmod of a system file", "chmod 0600 /etc/debian_version /etc/issue"),
    Case("chown of a tree", f"{OTHER}; chown -R 7:8 $d"),
    Case("an access control list", python(
        'import os, struct\nacl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in ((1, 6, 0xFFFFFFFF), (2, 4, 7),'
        ' (4, 4, 0xFFFFFFFF), (16, 4, 0xFFFFFFFF), (32, 4, 0xFFFFFFFF)))\n'
        'os.setxattr("/etc/hosts.allow", "system.posix_acl_access", acl)')),
    Case("an extended attribute", python('import os\nos.setxattr("/etc/hosts.allow", "trusted.x", b"1")')),
    Case("times alone", "touch -d 2001-01-01 /etc/debian_version; touch -h -d 2001-01-01 /etc/localtime"),
    Case("a hard link of a system file in the payload", "ln /etc/hosts.allow /opt/x-link; echo more >>/opt/x-link; chmod 0640 /opt/x-link"),
    Case("a hard link elsewhere, written through", "ln /etc/hosts.allow /tmp/l; python3 -c 'open(\"/tmp/l\", \"w\").write(\"z\")'; rm /tmp/l"),
    Case("one of two hard links replaced", "echo new >/etc/twin.new; mv /etc/twin.new /etc/twin-b; chmod 0600 /etc/twin-a",
         before="echo twin >/etc/twin-a; ln /etc/twin-a /etc/twin-b; ln /etc/twin-a /etc/twin-c"),
    Case("a directory of another package renamed", f"{OTHER}; mv $d $d.moved"),
    Case("a directory renamed, another in its place", f"{OTHER}; mv $d /srv/moved; mkdir $d; echo x >$d/copyright; echo y >/srv/moved/new"),
    Case("a directory renamed there and back", f"{OTHER}; mv $d /srv/moved; echo y >>/srv/moved/copyright; mv /srv/moved $d"),
    Case("two files exchanged", python(
        'import ctypes\nassert ctypes.CDLL(None).syscall(316, -100, b"/etc/issue", -100, b"/etc/issue.net", 2) == 0')),
    Case("two directories exchanged", python(
        'import ctypes\nassert ctypes.CDLL(None).syscall(316, -100, b"/etc/dir-a", -100, b"/etc/dir-b", 2) == 0'),
        before="mkdir /etc/dir-a /etc/dir-b; echo a >/etc/dir-a/a; echo b >/etc/dir-b/b; mkdir /etc/dir-b/deep"),
    Case("a file deleted and made again", "f=/etc/hosts.allow; rm $f; echo other >$f"),
    Case("a tree deleted", f"{OTHER}; rm -rf $d"),
    Case("a file edited in place", "f=/etc/hosts.allow; cat >$f <<'END'\nedited\nEND"),
    Case("a file edited by a rename", "sed -i s/before/after/ /etc/hosts.allow"),
    Case("a file truncated", "f=/etc/hosts.allow; truncate -s 3 $f; : >$f"),
    Case("a diversion", "dpkg-divert --local --rename --divert /etc/issue.real --add /etc/issue; echo mine >/etc/issue"),
    Case("a diversion removed", "rm -f /etc/issue.net; dpkg-divert --local --rename --remove /etc/issue.net",
         before="dpkg-divert --local --rename --divert /etc/issue.net.real --add /etc/issue.net; echo own >/etc/issue.net"),
    Case("update-rc.d", "printf '#!/bin/sh\\n### BEGIN INIT INFO\\n# Provides: xd\\n# Required-Start:\\n# Required-Stop:\\n# Default-Start: 2 3\\n"
         "# Default-Stop: 0 6\\n### END INIT INFO\\n' >/etc/init.d/xd; chmod +x /etc/init.d/xd; update-rc.d xd defaults"),
    Case("a unit enabled", "printf '[Service]\\nExecStart=/bin/true\\n[Install]\\nWantedBy=timers.target\\n' >/etc/systemd/system/x.service\n"
         "mkdir -p /etc/systemd/system/timers.target.wants; ln -s ../x.service /etc/systemd/system/timers.target.wants/; systemctl enable x.service || true"),
    Case("users and groups", "groupadd --system xgroup; useradd --system -g xgroup -m -d /srv/xhome xuser"),
    Case("files of another user", "su nobody -s /bin/sh -c 'echo x >/srv/open/new; echo y >>/srv/open/old; chmod 0600 /srv/open/old'",
         before="mkdir /srv/open; chmod 0777 /srv/open; echo old >/srv/open/old; chown 65534 /srv/open/old"),
    Case("below a bind mount", "echo x >>/mnt/b/file; mkdir /mnt/b/dir", before="mkdir -p /srv/bound /mnt/b; echo file >/srv/bound/file",
         within="mount --bind /srv/bound /mnt/b"),
    Case("on another file system", "echo x >>/mnt/t/file; rm /mnt/t/gone; mv /mnt/t/dir /mnt/t/moved",
         before="mkdir -p /mnt/t", within="mount -t tmpfs none /mnt/t; echo f >/mnt/t/file; echo g >/mnt/t/gone; mkdir /mnt/t/dir; echo h >/mnt/t/dir/h", mounted="/mnt/t"),
    Case("a disk that is full in mid-script", "echo x >>/etc/hosts.allow; dd if=/dev/zero of=/mnt/full/big bs=64k count=64 2>/dev/null",
         before="mkdir -p /mnt/full", within="mount -t tmpfs -o size=1m none /mnt/full", fails=True),
    Case("a script that fails afterwards", "python3 -c 'open(\"/etc/hosts.allow\", \"w\")'; mkdir /srv/half; rm /etc/issue; exit 3", fails=True),
    Case("through a symbolic link", "echo x >>/etc/by-link; echo y >/etc/dangling; echo z >/etc/dir-link/new",
         before="ln -s hosts.allow /etc/by-link; ln -s ../srv/made-by-link /etc/dangling; mkdir /srv/real; ln -s /srv/real /etc/dir-link"),
    Case("through proc", "exec 5</etc/hosts.allow; echo x >/proc/self/fd/5; cd /etc; echo y >/proc/self/cwd/issue; echo z >/dev/fd/../../etc/issue.net || true"),
    Case("relative paths", "cd /usr/share; f=../../etc/hosts.allow; echo x >>$f; cd /srv; mkdir rel; cd rel; echo x >../in-srv; echo y >deep"),
    Case("names of all bytes", python(
        'import os\nos.mkdir(b"/srv/\\xff\\n x")\nopen(b"/srv/\\xff\\n x/%41 \\t", "w").write("x")\nopen(b"/etc/odd\\xc3\\x28\\n", "a").write("y")'),
        before="python3 -c 'open(b\"/etc/odd\\xc3\\x28\\n\", \"w\").write(\"odd\")'"),
    Case("long paths", python(
        'import os\nos.chdir("/srv")\nfor i in range(14):\n  os.mkdir("d" * 200)\n  os.chdir("d" * 200)\n  open("f", "w").write("x")')),
    Case("long paths changed", python(
        'import os\nos.chdir("/srv/long")\nfor i in range(14):\n  os.chdir("d" * 200)\n  open("f", "a").write("y")\n  open("g", "w")'),
        before="python3 -c '\nimport os\nos.mkdir(\"/srv/long\")\nos.chdir(\"/srv/long\")\nfor i in range(14):\n  os.mkdir(\"d\" * 200)\n  os.chdir(\"d\" * 200)\n  open(\"f\", \"w\").write(\"x\")\n'"),
    Case("special files", "mkfifo /srv/fifo; mknod /srv/null c 1 3 || true; rm /srv/old-fifo; chmod 0600 /srv/other-fifo\n" + python(
        'import socket\nsocket.socket(socket.AF_UNIX).bind("/srv/socket")'), before="mkfifo /srv/old-fifo /srv/other-fifo"),
    Case("folders where units are", "d=$(echo /etc/systemd/system); touch $d/a.d/new; rmdir $d/b.d; chmod 0700 $d/c.d; mv $d/d.d $d/e.d; mkdir $d/f.d",
         before="cd /etc/systemd/system; mkdir a.d b.d c.d d.d; echo x >d.d/x"),
    Case("a file without a name", python(
        'import os\nf = os.open("/etc", os.O_WRONLY | os.O_TMPFILE, 0o644)\nos.write(f, b"x")\n'
        'os.link(f"/proc/self/fd/{f}", "/etc/hosts.made", follow_symlinks=True)')),
    Case("a file that is open when it is removed", python(
        'import os\nf = os.open("/etc/hosts.allow", os.O_RDWR)\nos.unlink("/etc/hosts.allow")\nos.write(f, b"zzz")\nos.fchmod(f, 0o600)')),
    Case("a folder of its own, and the install fails", "h=$(echo abc | md5sum | cut -c1-8); ln -s x /etc/own/$h.0; touch /etc/own/$h.1; exit 3",
         before="mkdir /etc/own", files=("/etc/own/x",), fails=True),
    Case("mmap of a file that was opened before", python(
        'import mmap\nf = open("/etc/hosts.allow", "r+b")\nm = mmap.mmap(f.fileno(), 0)\nf.close()\nm[0:2] = b"XX"\nm.flush()')),
    Case("many threads", python(
        'import threading\ndef work(i):\n  for j in range(20):\n    open(f"/srv/t{i}-{j}", "w").write("x")\n    open(f"/srv/many/{i}-{j}", "a").write("y")\n'
        't = [threading.Thread(target=work, args=(i,)) for i in range(8)]\n[x.start() for x in t]\n[x.join() for x in t]'),
        before="mkdir /srv/many; for i in 0 1 2 3 4 5 6 7; do for j in $(seq 0 19); do echo o >/srv/many/$i-$j; done; done"),
    Case("a debugger and what it debugs", python(  # what is observed has a tracer already: refused, and the script goes on
        'import ctypes, os, signal\nlibc = ctypes.CDLL(None, use_errno=True)\npid = os.fork()\nif pid == 0:\n    libc.ptrace(0, 0, 0, 0)\n'
        '    open("/et" + "c/hosts.allow", "a").write("traced")\n    os._exit(0)\nos.waitpid(pid, 0)\npid = os.fork()\nif pid == 0:\n'
        '    signal.pause()\nif libc.ptrace(16, pid, 0, 0) == 0:\n    os.waitpid(pid, 0)\n    libc.ptrace(17, pid, 0, 0)\nos.kill(pid, 9)\n'
        'os.waitpid(pid, 0)\nos.mkdir("/s" + "rv/debugged")')),
    Case("io_uring", python(
        'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nassert libc.syscall(425, 8, ctypes.create_string_buffer(120)) < 0 or True\n'
        'open("/etc/hosts.allow", "a").write("x")')),
    Case("a generated script", "f=$(mktemp); printf 'echo x >>/etc/ho''sts.allow; mkdir /srv/generated\\n' >$f; sh $f; rm $f"),
    Case("eval", "x='echo x >>/etc/ho'; eval \"${x}sts.allow\""),
    Case("an archive unpacked over a directory", "tar -C /etc -xzf /opt/x.tar.gz", before="mkdir -p /opt /srv/tar/dir; echo new >/srv/tar/hosts.allow; "
         "echo n >/srv/tar/dir/n; touch -d 2005-05-05 /srv/tar; tar -C /srv/tar -czf /opt/x.tar.gz .; rm -r /srv/tar"),
    Case("a setuid program replaced", "cp -p /usr/bin/passwd /usr/bin/p; chmod 0755 /usr/bin/passwd; mv /usr/bin/p /usr/bin/passwd; chmod u-s /usr/bin/chsh"),
    Case("a database of the system's", "python3 -c 'import dbm.dumb as d; b = d.open(\"/var/lib/x\", \"c\"); b[\"a\"] = \"b\"; b.close()'; ldconfig; "
         "update-alternatives --install /usr/bin/xeditor xeditor /bin/cat 5"),
    Case("within chroot", "mkdir -p /srv/jail/bin; cp /bin/busybox /srv/jail/bin/ 2>/dev/null || cp /opt/x/static /srv/jail/bin/run; "
         "mkdir -p /srv/jail/etc; echo j >/srv/jail/etc/hosts.allow; chroot /srv/jail /bin/run || true",
         programs={"/opt/x/static": "static"}),
)
