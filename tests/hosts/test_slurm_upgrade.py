"""packaging/slurm/upgrade-nodes on a real Slurm: two nodes, each of which is a host of its own to topsctl."""

import os
import shutil
import signal
import subprocess
import time

import pytest

from hosts.operations import OLD_STACK, PACKAGES
from hosts.slurm import Slurm
from support.programs import needed

PYTHON = "3.9"
OLD, NEW = "2.4.87", "2.5.136"
NODES = ("n0", "n1")
TOPSCTL = """#!/bin/sh
# topsctl for the host that this node is.
command=$1
shift
exec "{topsctl}" "$command" --root "{folder}/$(hostname)" "$@"
"""
SCONTROL = """#!/bin/sh
# Notes how a node is changed.
[ "$1" != update ] || echo "$2 $3 ${{4:-}}" >>"{folder}/updates"
exec "{scontrol}" "$@"
"""
DRAINED = "nodename={} state=drain reason=topsctl: {}"
RESUMED = "nodename={} state=resume "


class Cluster(Slurm):
    """`hosts` are what topsctl works on at each node."""

    def __init__(self, folder, hosts, repository, topsctl):
        self.hosts = dict(zip(NODES, hosts))
        self.place = folder
        self.script = repository / "packaging" / "slurm" / "upgrade-nodes"
        for name, host in self.hosts.items():
            (folder / name).symlink_to(host.root)
        for name, text in (("topsctl", TOPSCTL.format(topsctl=topsctl, folder=folder)),
                           ("scontrol", SCONTROL.format(scontrol=shutil.which("scontrol"), folder=folder))):
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        super().__init__(folder / "slurm")
        self.environment["PATH"] = f"{folder}:/usr/sbin:/usr/bin:/sbin:/bin"

    def begin(self, *words, level="import"):
        """The Popen of the script, which leads a process group of its own; its output has both streams."""
        (self.place / "updates").write_text("")
        words = self.argv(0, self.script, "--topsctl", self.place / "topsctl", "--log-dir", self.place / "logs", "--level", level, *words)
        # Tests that were started in the background may ignore SIGINT, and a shell cannot trap what was ignored when it began.
        process = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.processes.append(process)
        return process

    def upgrade(self, *words, **options):
        """(exit status, lines of the output in order of the nodes)"""
        return self.end_of(self.begin(*words, **options))

    def end_of(self, process):
        output, _ = process.communicate(timeout=180)
        return process.returncode, sorted(output.splitlines())

    def updates(self):
        return (self.place / "updates").read_text().splitlines()

    def states(self):
        """Of each node; without the mark of one that has not answered since it was resumed."""
        return dict(line.replace("* ", " ").split("=", 1) for line in
                    self.run("sinfo", "--noheader", "--Node", "--format=%N=%T %E").stdout.splitlines())

    def versions(self):
        """Of each node, of the stack's packages."""
        return {name: sorted(set(host.run(["dpkg-query", "-W", "-f", "${Version} ", *PACKAGES]).stdout.split()))
                for name, host in self.hosts.items()}

    def begin_job(self, node):
        """A job that runs there until its file is removed; (its number, the file)."""
        file = self.place / f"job-{node}"
        file.touch()
        number = self.run("sbatch", "--parsable", f"--nodelist={node}", "--output=/dev/null", "--wrap",
                          f"while test -e {file}; do sleep 0.1; done").stdout.strip()
        self.wait_for(lambda: self.state_of(number) == "RUNNING")
        return number, file


@pytest.fixture(scope="module")
def cluster(host_factory, tmp_path_factory, repository, topsctl_release, bundle):
    """Its nodes have the old generation, and pass the tests one after the other."""
    needed("slurmctld", "slurmd", "munged")
    hosts = [host_factory(), host_factory()]
    try:
        cluster = Cluster(tmp_path_factory.mktemp("cluster"), hosts, repository, topsctl_release)
        try:
            cluster.old = (str(bundle(generation=OLD, python=PYTHON, only_needed=True)), "--stack", str(OLD_STACK))
            cluster.new = (str(bundle(python=PYTHON, only_needed=True)),)
            yield cluster
        finally:
            cluster.remove()
    finally:
        for host in hosts:
            host.remove()


def test_nodes_are_drained_upgraded_after_their_jobs_and_resumed(cluster):
    job, file = cluster.begin_job("n0")
    process = cluster.begin("--at-once", "2", "n[0-1]", *cluster.old)
    cluster.wait_for(lambda: cluster.versions()["n1"] == [OLD + "-1"] and cluster.states()["n1"] == "idle none")
    assert cluster.states()["n0"] == "draining topsctl: upgrade" and cluster.versions()["n0"] == []
    file.unlink()
    assert cluster.end_of(process) == (0, ["n0  committed", "n1  committed"])
    assert cluster.state_of(job) in ("COMPLETED", ""), "the job was waited for, not ended"
    assert cluster.versions() == dict.fromkeys(NODES, [OLD + "-1"])
    assert cluster.states() == dict.fromkeys(NODES, "idle none")
    assert cluster.upgrade("n[0-1]", *cluster.old) == (0, ["n0  no_change", "n1  no_change"])
    assert cluster.updates() == [], "a node that would not change is not drained"


@pytest.mark.whole
def test_a_node_that_fails_stays_drained_with_the_check_as_the_reason(cluster, bundle):
    cluster.upgrade("n[0-1]", *cluster.old)  # so that it needs no other test
    broken = str(bundle(python=PYTHON, faults=["import-fails"], only_needed=True))
    assert cluster.upgrade("n[0-1]", broken) == (1, ["n0  failed: torch-gcu-import", "n1  not begun"])
    assert cluster.states() == {"n0": "drained topsctl: torch-gcu-import", "n1": "idle none"}
    # It has no cards: the check after the install fails, and the install is rolled back.
    assert cluster.upgrade("--max-failures", "1", "n[0-1]", *cluster.new, level="device") == (
        1, ["n0  failed: device-nodes", "n1  failed: device-nodes"])
    assert cluster.states() == dict.fromkeys(NODES, "drained topsctl: device-nodes")
    assert cluster.versions() == dict.fromkeys(NODES, [OLD + "-1"])
    assert cluster.upgrade("--at-once", "2", "n[0-1]", *cluster.old) == (0, ["n0  no_change", "n1  no_change"])
    assert cluster.states() == dict.fromkeys(NODES, "idle none"), "what an earlier run left drained is resumed once it passes"
    refused = cluster.upgrade("n1", str(cluster.place / "nowhere"))
    assert refused == (1, [f"n1  failed: no such file or directory: '{cluster.place}/nowhere'"]) and cluster.updates() == []


@pytest.mark.whole
def test_a_node_that_others_drained_stays_drained(cluster):
    cluster.run("scontrol", "update", "nodename=n1", "state=drain", "reason=a fan")
    assert cluster.upgrade("n1", *cluster.new) == (0, ["n1  committed"])
    assert cluster.states()["n1"] == "drained a fan" and cluster.updates() == []
    cluster.run("scontrol", "update", "nodename=n1", "state=resume")


@pytest.mark.whole
def test_an_interrupt_resumes_who_waits_and_lets_an_install_end(cluster):
    assert cluster.upgrade("--at-once", "2", "n[0-1]", *cluster.new)[0] == 0
    hold = cluster.hosts["n0"].path("/srv/hold")
    hook = cluster.hosts["n0"].path("/etc/dpkg/dpkg.cfg.d/hold")
    hook.write_text("pre-invoke=touch /srv/held; while test -e /srv/hold; do sleep 0.1; done\n")
    hold.touch()
    _, file = cluster.begin_job("n1")
    process = cluster.begin("--at-once", "2", "n[0-1]", *cluster.old, "--allow-downgrade")
    cluster.wait_for(lambda: cluster.hosts["n0"].path("/srv/held").exists() and cluster.states()["n1"].startswith("draining"))
    os.killpg(process.pid, signal.SIGINT)
    cluster.wait_for(lambda: cluster.states()["n1"] == "mixed none")
    assert process.poll() is None and cluster.states()["n0"].startswith("drained")
    hold.unlink()
    hook.unlink()
    code, lines = cluster.end_of(process)
    assert code == 130 and "n0  committed" in lines and "n1  not begun: interrupted" in lines, lines
    assert cluster.states()["n0"] == "idle none"
    assert cluster.versions() == {"n0": [OLD + "-1"], "n1": [NEW + "-1"]}
    file.unlink()


@pytest.mark.whole
def test_a_second_interrupt_rolls_an_install_back(cluster):
    cluster.upgrade("n0", *cluster.new)
    hold = cluster.hosts["n0"].path("/srv/hold")
    held = cluster.hosts["n0"].path("/srv/held")
    held.unlink(missing_ok=True)
    hook = cluster.hosts["n0"].path("/etc/dpkg/dpkg.cfg.d/hold")
    hook.write_text("pre-invoke=touch /srv/held; while test -e /srv/hold; do sleep 0.1; done\n")
    hold.touch()
    process = cluster.begin("n0", *cluster.old, "--allow-downgrade")
    cluster.wait_for(held.exists)
    end = cluster.place / "logs" / "end"
    cluster.wait_for(lambda: os.killpg(process.pid, signal.SIGINT) or end.exists())
    cluster.wait_for(lambda: time.time() > end.stat().st_mtime + 3)  # it is looked for once a second
    hold.unlink()
    hook.unlink()
    code, lines = cluster.end_of(process)
    assert code == 130 and "n0  failed: interrupted by SIGINT" in lines and cluster.versions()["n0"] == [NEW + "-1"], lines
    assert cluster.states()["n0"].startswith("drained topsctl: ")
    assert cluster.upgrade("n0", *cluster.new) == (0, ["n0  no_change"]) and cluster.states()["n0"] == "idle none"


@pytest.mark.parametrize("words, said", [
    (("n0",), "NODES and BUNDLE are needed"), (("--at-once", "x", "n0", "b"), "--at-once needs a number"),
    (("--at-once", "0", "n0", "b"), "at least 1"), (("--levle", "x", "n0", "b"), "unknown option '--levle'"),
    (("n[0-2]", "b"), "Slurm has no node 'n2'"), (("--level", ""), "--level needs a value")])
def test_what_is_wrong_changes_nothing(cluster, words, said):
    code, [line] = cluster.upgrade(*words)
    assert code == 2 and said in line and cluster.updates() == []
