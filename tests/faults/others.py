"""What others do between the crash of an install and its recovery: programs, administrators, packages that are not ours."""

import time

from faults.sweep import NOT_THE_SAME_TWICE, OF_ONE_INSTALL, spread
from hosts.crafted import build, deb, executable
from hosts.operations import LOCKS, NOT_COMPARED, Operator

# Longer than the last sign of life of a killed topsctl may be late.
AFTER_THE_CRASH = 0.8  # s

# name -> what is run in the host. `guest` is installed before the install begins, `other` is a deb in /srv.
ACTS = {
    "a package installed": ["dpkg -i /srv/other.deb"],
    "a package removed": ["dpkg -r guest"],
    "a package purged": ["dpkg -P guest"],
    "a package held": ["echo guest hold | dpkg --set-selections"],
    "a file in a folder of the packages": ["echo mine > /opt/nasty/theirs"],
    "a file in a shared folder of the packages": ["echo mine > /usr/share/doc/nasty/theirs"],
    "a file below /etc": ["echo mine > /etc/nasty/theirs.conf"],
    "a file in dpkg's info": ["echo mine > /var/lib/dpkg/info/theirs.list"],
    "a file in the loader's folder": ["echo /opt/theirs > /etc/ld.so.conf.d/theirs.conf"],
    "a unit of systemd": ["mkdir -p /etc/systemd/system; echo '[Unit]' > /etc/systemd/system/theirs.service"],
    "a file that was there, edited": ["echo more >> /opt/nasty/shared/mine"],
    "a folder": ["mkdir /opt/nasty/their-folder; echo x > /opt/nasty/their-folder/x"],
    "a local diversion": ["dpkg-divert --local --rename --divert /usr/bin/who.theirs --add /usr/bin/who"],
    "a statoverride": ["dpkg-statoverride --update --add root root 0700 /usr/bin/whoami"],
    "an alternative added": ["update-alternatives --install /usr/bin/theirs theirs /usr/bin/env 10"],
    "an alternative chosen": ["update-alternatives --set awk /usr/share/guest/awk"],
    "a user": ["SOURCE_DATE_EPOCH=0 useradd --no-create-home their-user"],
    "a group": ["groupadd their-group"],
    "a conffile edited": ["echo '# mine' >> /etc/nasty/kept.conf"],
    "a conffile of another package edited": ["echo '# mine' >> /etc/guest.conf"],
    "a module for Python": ["d=$(python3 -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))'); mkdir -p $d; echo 1 > $d/theirs.py"],
    "the loader's cache written": ["ldconfig"],
    "dpkg --configure -a": ["dpkg --force-confold --configure -a"],
    "apt-get --fix-broken": ["DEBIAN_FRONTEND=noninteractive apt-get -y --no-download -o Dpkg::Options::=--force-confold --fix-broken install"],
}
# They change nothing of their own: what they do is to go on with ours.
GO_ON = ("dpkg --configure -a", "apt-get --fix-broken", "the loader's cache written")
# What dpkg, apt and useradd keep of the state before the last one, and indexes.
BY_THEMSELVES = ("/var/lib/dpkg/status-old", "/var/lib/dpkg/diversions-old", "/var/lib/dpkg/statoverride-old",
                 "/var/lib/dpkg/available", "/var/lib/dpkg/triggers/", "/etc/passwd-", "/etc/shadow-", "/etc/group-",
                 "/etc/gshadow-", "/etc/subuid-", "/etc/subgid-", "/etc/.pwd.lock", "/etc/ld.so.cache", "/var/cache/",
                 "/var/lib/apt/", "/var/log/")
# Files of records, whose order says nothing, and how many lines one has; stanzas end with an empty line.
RECORDS = {"/var/lib/dpkg/status": 0, "/var/lib/dpkg/diversions": 3, "/var/lib/dpkg/statoverride": 1}
LEAST_POINTS = 10
# Where dpkg has put the new one in its place, both have changed it: that is told, and --force restores.
CONFLICTING = {"a conffile edited": "/etc/nasty/kept.conf"}


def make_packages(folder):
    """The two debs of others; (guest, other)."""
    made = []
    for name, version, diverted in (("guest", "1.0", "/usr/bin/w"), ("other", "2.0", "/usr/bin/tty")):
        tree, target = folder / name, folder / f"{name}.deb"
        script = (f"update-alternatives --install /usr/bin/awk awk /usr/share/{name}/awk 1\n"
                  f"dpkg-divert --package {name} --rename --divert {diverted}.{name} --add {diverted}")
        deb(tree, target, name, version, "", script,
            (f"/etc/{name}.conf", f"/usr/share/{name}/data", f"/etc/ld.so.conf.d/{name}.conf", f"/opt/{name}/file"))
        executable(tree / f"usr/share/{name}/awk", "#!/bin/sh\n")
        (tree / "DEBIAN/conffiles").write_text(f"/etc/{name}.conf\n")
        (tree / "DEBIAN/triggers").write_text("activate-noawait ldconfig\n")
        executable(tree / "DEBIAN/prerm",
                   f"#!/bin/sh\n[ $1 != remove ] || update-alternatives --remove awk /usr/share/{name}/awk\n")
        build(tree, target)
        made.append(target)
    return made


def records(text, lines):
    """The records of one of dpkg's databases, each of so many lines."""
    if not lines:
        return {stanza.strip() for stanza in text.split("\n\n") if stanza.strip()}
    every = text.splitlines()
    return {"\n".join(every[first:first + lines]) for first in range(0, len(every), lines)}


class Between:
    """Kills installs at points, lets others act, recovers, and compares with a host on which others acted alone."""

    def __init__(self, sweep, folder):
        folder.mkdir(exist_ok=True)
        self.sweep, self.packages = sweep, make_packages(folder)
        self.alone = {}

    def new_host(self):
        host = self.sweep.new_host("install")
        for package in self.packages:
            host.copy_in(package, f"/srv/{package.name}")
        host.run(["dpkg", "-i", "/srv/guest.deb"], check=True)
        return host

    def points(self):
        """From the first change on, evenly apart."""
        whole = self.sweep.whole("install")
        first, last = whole.records[2] + 1, whole.records[-1]
        return [first + number for number in spread(last - first, LEAST_POINTS)]

    def expected(self, acts):
        if acts not in self.alone:
            host = self.new_host()
            try:
                self.act(host, acts)
                self.alone[acts] = self.seen(host)
            finally:
                host.remove()
        return self.alone[acts]

    @staticmethod
    def act(host, acts):
        for act in acts:
            for command in ACTS[act]:
                done = host.run(["sh", "-ec", command])
                # What goes on with ours may meet what it cannot do; what others do for themselves succeeds.
                assert done.returncode == 0 or act in GO_ON, (act, command, done.stdout, done.stderr)

    @staticmethod
    def seen(host):
        return host.digest(NOT_COMPARED), {path: records(host.path(path).read_text(), lines)
                                           for path, lines in RECORDS.items()}

    def faults(self, number, acts):
        """What is wrong after an install that was killed there, these acts, and a recovery."""
        host = self.new_host()
        try:
            if self.sweep.run("install", host, number, "kill")[1] != 137:
                return ["the install was not killed"]
            time.sleep(AFTER_THE_CRASH)
            self.act(host, acts)
            operator = Operator(host, self.sweep.binary, self.sweep.topsctl)
            done = operator.topsctl("recover", "--json")
            if done.code == 4 and len(acts) == 1 and CONFLICTING.get(acts[0], "-") in done.json["error"]["message"]:
                # What was not restored yet is as others left it.
                status = operator.topsctl("status", "--json").json
                if status["waiting"][0]["state"] != "conflicting" or "topsctl recover --force" not in status["next"]["command"]:
                    return [f"status: {status}"]
                done, acts = operator.topsctl("recover", "--force", "--json"), ()
            if done.code != 0:
                return [str(done)]
            again = operator.topsctl("recover", "--json")
            if again.code != 0 or again.json["outcome"] != "no_change":
                return [f"the second time: {again}"]
            return self.compared(acts, self.seen(host))
        finally:
            host.remove()

    def compared(self, acts, now):
        digest, expected = self.expected(acts)
        lines = [line for line in digest.diff(now[0], NOT_THE_SAME_TWICE)
                 if not line.startswith((*LOCKS, OF_ONE_INSTALL))
                 and not line[2:].startswith((*BY_THEMSELVES, *(f"{path}:" for path in RECORDS)))]
        return lines + [f"{path}: {record}" for path in RECORDS for record in expected[path] ^ now[1][path]]
