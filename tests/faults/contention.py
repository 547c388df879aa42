"""apt and dpkg in loops beside topsctl on one host: when they had the host, and when topsctl had it."""

import dataclasses
import re
import subprocess
import time
from datetime import datetime, timezone

from hosts.operations import OLD_STACK, PACKAGES

# Each script of the package notes when it ran: it runs only while its dpkg has the locks.
SCRIPT = "#!/bin/sh\nset -e\ndate +%s%N >> /var/tmp/beside.times\n"
LOOPS = {
    "dpkg": "dpkg --install /srv/beside.deb || true; dpkg --remove beside-dpkg || true",
    "apt": "apt-get -y -o DPkg::Lock::Timeout=60 install /srv/beside.deb || true;"
           "apt-get -y -o DPkg::Lock::Timeout=60 remove beside-apt || true",
}
LOG_TIME = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})Z ")


@dataclasses.dataclass
class Contention:
    installs: int
    rollbacks: int       # that were done; one is refused when packages came or went since
    runs_beside: int     # scripts that the other package manager ran
    inside: list         # those of them that ran while topsctl was at work
    faults: list         # what is wrong with the packages in the end


def make_package(folder, name):
    tree = folder / name
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(f"Package: {name}\nVersion: 1\nArchitecture: all\n"
                                         "Maintainer: nobody <nobody@example.org>\nDescription: beside\n")
    for script in ("preinst", "postinst", "prerm"):
        (tree / "DEBIAN" / script).write_text(SCRIPT)
        (tree / "DEBIAN" / script).chmod(0o755)
    (tree / "usr/share/beside").mkdir(parents=True)
    (tree / "usr/share/beside" / name).write_text("beside\n" * 100)
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, folder / f"{name}.deb"], check=True,
                   stdout=subprocess.DEVNULL)
    return folder / f"{name}.deb"


def contend(operator, bundles, manager, rounds, scratch):
    """Installs the two generations in turn, each with a rollback after it, while the manager's loop runs."""
    host = operator.host
    host.copy_in(make_package(scratch, f"beside-{manager}"), "/srv/beside.deb")
    host.path("/var/tmp/beside.times").write_text("")
    loop = host.start(["sh", "-c", f"touch /var/tmp/goes; while [ -e /var/tmp/goes ]; do {LOOPS[manager]}; done"],
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    installs = rollbacks = 0
    try:
        _wait_for_a_run(host)
        for number in range(rounds):
            generation = sorted(bundles)[number % 2]
            # Where a rollback was refused, the older generation is a downgrade.
            stack = ["--stack", OLD_STACK, "--allow-downgrade"] if generation == "2.4.87" else []
            report = operator.json("install", bundles[generation], *stack)
            assert report["outcome"] in ("committed", "no_change"), report
            installs += report["outcome"] == "committed"
            undone = operator.topsctl("rollback", "--json")
            assert undone.code in (0, 4), undone
            rollbacks += undone.code == 0
    finally:
        host.path("/var/tmp/goes").unlink(missing_ok=True)
        loop.wait(120)
    times = _times(host)
    windows = [window for log in sorted(host.path("/var/log/topsctl").glob("*.log")) for window in _windows(log)]
    inside = [moment for moment in times if any(begin <= moment <= end for begin, end in windows)]
    return Contention(installs, rollbacks, len(times), inside, _faults(host))


def _times(host):
    return [int(line) for line in host.path("/var/tmp/beside.times").read_text().split()]


def _wait_for_a_run(host, deadline_s=60):
    """Until the loop has had the host once: what starts beside it really meets it."""
    begun = time.monotonic()
    while not _times(host):
        assert time.monotonic() - begun < deadline_s, "the loop beside topsctl never ran"
        time.sleep(0.02)


def _windows(log):
    """When topsctl was at work, from the first to the last line of each command in a transaction's log, in ns."""
    windows = []
    for line in log.read_text().splitlines():
        match = LOG_TIME.match(line)
        if not match:
            continue
        told = datetime.strptime(match.group(1), "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=timezone.utc)
        moment = round(told.timestamp() * 1000) * 1_000_000
        if "step 1 of" in line and " done after " not in line and "failed after" not in line:
            windows.append([moment, moment])
        elif windows:
            windows[-1][1] = moment
    return windows


def _faults(host):
    audit = host.run(["dpkg", "--audit"]).stdout.splitlines()
    states = host.run(["dpkg-query", "-W", "-f", "${Package} ${Status}\n"], check=True).stdout.splitlines()
    wrong = [line for line in states if not line.endswith(("install ok installed", "deinstall ok config-files"))]
    damaged = host.run(["dpkg", "--verify", *(line.split()[0] for line in states if line.split()[0] in PACKAGES)])
    return audit + wrong + damaged.stdout.splitlines() + [str(path) for path in host.path("/var/lib/dpkg/updates").iterdir()]
