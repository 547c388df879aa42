"""What a maintainer script tries in the sandbox of --rehearse: to make devices, to leave it, to reach the kernel."""

import re

import pytest

from hosts.operations import LOCKS, NOT_COMPARED

# Perl's own system calls, by their numbers on x86-64. Each attack that works is named; then the script fails.
ATTACKS = r"""
use strict; use warnings;
my @machine = ('/var/lib/topsctl/marker', 'MACHINE');   # paths that the host has, or who runs it, and no sandbox
my @worked;
sub in_child { my $work = shift; my $pid = fork; exit($work->() ? 1 : 0) unless $pid; waitpid $pid, 0; return $? >> 8; }
sub attack { my ($name, $work) = @_; push @worked, $name if in_child($work); }
sub ends_with { my ($error, $number, @rest) = @_; return syscall($number, @rest) < 0 && $!{$error}; }
sub refused { my ($name, @call) = @_; attack $name, sub { !ends_with('EPERM', @call) }; }
sub unknown { my ($name, @call) = @_; attack $name, sub { !ends_with('ENOSYS', @call) }; }
sub outside { my $root = shift; return grep { -e "$root$_" } @machine; }
sub opened { return open my $file, '<', shift; }
use Errno; use Fcntl;

open my $partitions, '<', '/proc/partitions' or die; my @disk;
while (<$partitions>) { @disk = ($1, $2) if !@disk && /^\s*(\d+)\s+(\d+)\s+\d+/; }
for my $folder ('/dev', '/dev/shm', '/run', '/tmp', '/srv') {
    attack "disk in $folder", sub { syscall(133, "$folder/disk", 060600, $disk[0] << 8 | $disk[1]) == 0 or opened "$folder/disk" };
    attack "disk by mknodat in $folder", sub { syscall(259, -100, "$folder/disk2", 060600, $disk[0] << 8 | $disk[1]) == 0 };
    attack "null in $folder", sub { syscall(133, "$folder/zero", 020666, 1 << 8 | 5) == 0 };
}
attack 'out of the root', sub {
    mkdir '/srv/deeper'; chroot '/srv/deeper' or return 0;
    chdir '..' for 1 .. 60;
    chroot '.'; outside '' };
attack 'root of the first process', sub { outside '/proc/1/root' };
attack 'working folder of the first process', sub { outside '/proc/1/cwd' };
attack 'memory of the first process', sub { open my $memory, '+<', '/proc/1/mem' };
attack 'namespaces of the first process', sub {
    open my $mounts, '<', '/proc/1/ns/mnt' or return 0; syscall(308, fileno $mounts, 0) == 0 };
attack 'SCSI commands', sub { -e '/proc/scsi/scsi' and open my $file, '>>', '/proc/scsi/scsi' };
refused 'ptrace', 101, 0x4206, 1, 0, 0;
refused 'new user namespace', 272, 0x10000000;
refused 'new namespace of mounts', 272, 0x20000;
refused 'clone', 56, 0x10000000 | 17, 0, 0, 0, 0;
refused 'mount', 165, 'none', '/srv', 'tmpfs', 0, 0;
refused 'umount', 166, '/dev', 2;
refused 'fsopen', 430, 'tmpfs', 0;
refused 'open by handle', 304, 0, pack('II x128', 8, 1), 0;
refused 'load a module', 175, pack('x'), 0, pack('x');
refused 'load a module by descriptor', 313, 0, pack('x'), 0;
refused 'kexec', 246, 0, 0, 0, 0;
refused 'bpf', 321, 0, 0, 0;
refused 'keyctl', 250, 0, -3, 0, 0, 0;
refused 'add a key', 248, 'user', 'x', 'x', 1, -3;
refused 'count events', 298, pack('x120'), 0, -1, -1, 0;
refused 'userfaultfd', 323, 1;
unknown 'clone3', 435, pack('x88'), 88;
unknown 'io_uring', 425, 8, pack('x120');
print "attack worked: $_\n" for @worked;
exit(@worked ? 9 : 0);
"""

# What packages do and has to go on working there.
USUAL = r"""
mkfifo /srv/pipe
install -o nobody -g nogroup -m 4750 /dev/null /srv/mine
test "$(stat -c %U:%a /srv/mine)" = nobody:4750
chown root /srv/mine; chmod 2755 /srv/mine; touch /srv/mine; rm /srv/mine
su -s /bin/sh -c true nobody
sleep 60 & kill $!
chroot / true
dd if=/dev/zero of=/dev/null bs=1k count=1 2>/dev/null
echo x >/proc/self/fd/2
head -c 8 /dev/urandom >/dev/null
"""


@pytest.fixture
def rehearse(topsctl_host, with_eccl):
    """rehearse(script) -> what topsctl said, when tops-eccl has this postinst; the host is as before."""
    def run(script, *more):
        topsctl_host.copy_in(with_eccl(script), "/srv/bundle")
        topsctl_host.path("/var/lib/topsctl").mkdir(mode=0o700)
        topsctl_host.path("/var/lib/topsctl/marker").touch()
        before = topsctl_host.digest(NOT_COMPARED)
        done = topsctl_host.run(["topsctl", "install", "/srv/bundle", "--rehearse", "--dry-run", *more])
        assert [line for line in before.diff(topsctl_host.digest(NOT_COMPARED)) if not line.startswith(LOCKS)] == []
        return done
    return run


def test_no_attack_of_a_script_leaves_the_sandbox(rehearse, topsctl_host):
    attacks = ATTACKS.replace("MACHINE", str(topsctl_host.root))
    done = rehearse(f"cat >/tmp/attacks.pl <<'END'\n{attacks}\nEND\nperl /tmp/attacks.pl >&2", "-v")
    said = done.stdout + done.stderr
    assert re.findall("attack worked: .*", said) == [] and done.returncode == 0, said


def test_what_packages_usually_do_works_in_the_sandbox(rehearse):
    done = rehearse(USUAL, "-v")
    assert done.returncode == 0, done.stderr


def test_a_script_that_makes_a_device_is_told_why_it_failed(rehearse):
    done = rehearse("mknod /srv/null c 1 3")
    assert done.returncode == 1 and "creating device nodes" in done.stderr, done
