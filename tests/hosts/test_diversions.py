"""Diversions that no script names, on one host: a rollback, and a recovery after a kill, give exactly the old root."""

import os
import subprocess
import time

import pytest

from faults.sweep import spread
from faults.tracer import build_nth
from hosts.crafted import deb
from hosts.diversion_cases import CASES, OLD, TAKEN, WRITTEN
from hosts.operations import PREDICTED, Operator

# In a folder whose contents no digest has: a script that comes to the point named in HOLD tells so, and goes no further.
HOLD, REACHED = "/var/log/topsctl/hold", "/var/log/topsctl/reached"
PAUSE = f'd={{folder}}; pause() {{{{ if [ "$(cat {HOLD} 2>&1)" = $1 ]; then : > {REACHED}; sleep 60; fi; }}}}\n'
# So many kills of each case, spread over all calls that change files; the usual run has one, where its diversions are made.
KILLS = int(os.environ.get("TOPSCTL_TEST_DIVERSION_KILLS", "0"))
# Every run has a third of the cases.
EACH = [pytest.param(case, id=case.name) for case in CASES]
ACCEPTED = ("--accept", "script-dangerous", "--accept", "script-modifies-system")


class SharedHost:
    """A host with all that the cases have before; `before` is its digest, None until it is needed and after a failure."""

    def __init__(self, host, scratch):
        self.host, self.scratch = host, scratch
        self.installed, self.has_old, self.before = 0, False, None
        host.path("/var/log/topsctl").mkdir()
        cases = (*CASES, WRITTEN, TAKEN)
        self.install([package for case in cases for package in case.before])
        for case in cases:
            if case.local:
                host.run(["sh", "-ec", case.local], check=True)

    def prepare(self, operator, case):
        if case.upgrades and not self.has_old:
            self.install([OLD])
            self.has_old, self.before = True, None
        if self.before is None:
            self.before = operator.digest()

    def install(self, packages):
        for package in packages:
            self.installed += 1
            target = self.scratch / f"{self.installed}.deb"
            deb(target.with_suffix(""), target, **{"version": "1", "fields": "", "script": "", **package})
            self.host.copy_in(target, f"/srv/debs/{target.name}")
        self.host.run(["sh", "-ec", "dpkg -i $(ls -v /srv/debs/*.deb); rm -r /srv/debs"], check=True)


@pytest.fixture(scope="module")
def shared(host_factory, tmp_path_factory):
    host = host_factory()
    yield SharedHost(host, tmp_path_factory.mktemp("before"))
    host.remove()


@pytest.fixture
def host(shared):
    return shared.host


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl, PREDICTED)


@pytest.fixture
def bundle_of(with_eccl):
    def make(case):
        begin = PAUSE.format(folder=case.folder)
        scripts = {"preinst": f"{begin}{case.preinst or ':'}\npause preinst"}
        postinst = f"{begin}pause postinst\n{case.postinst}" if case.fails else f"{begin}{case.postinst or ':'}\npause postinst"
        return with_eccl(postinst, case.fields, case.files, scripts, case.executables)

    return make


@pytest.fixture
def as_before(shared, operator):
    """Compares with the host as it was before its first case."""
    def compare():
        found = operator.changes_since(shared.before)
        if found:
            shared.before = None
        assert found == []

    return compare


@pytest.mark.parametrize("case", EACH)
@pytest.mark.sampled(6)
def test_what_was_diverted_is_put_back(shared, operator, bundle_of, as_before, topsctl_release, tmp_path, case):
    shared.prepare(operator, case)
    bundle = bundle_of(case)
    report = operator.json("install", bundle, code=8 if case.fails else 0)
    if not case.fails:
        made = operator.host.path(case.path(case.makes or "foo.dat")).exists()
        changed = [line for line in operator.changes_since(shared.before) if f"/{case.name}" in line]
        escaped = [path for path in report["escaped_paths"] if f"/{case.name}" in path]
        report = operator.json("rollback")
        assert made and changed, "it did not divert"
        # What came back to its place was renamed all the same, and another name of a file has its time of change.
        assert case.makes is None or set(escaped) <= {case.path("again.dat")}, escaped
    assert report["rollback"]["verified"]["paths_differing"] == 0
    as_before()
    kill_at(operator, bundle, "preinst" if case.preinst and not case.upgrades else "postinst")
    assert operator.json("recover")["outcome"] == "rolled_back"
    as_before()
    if KILLS:
        kill_everywhere(operator, bundle, tmp_path, as_before)


@pytest.mark.parametrize("case, lost, made", [(WRITTEN, ["foo.dat"], []), (TAKEN, ["bar.dat", "foo.dat"], ["else.dat"])],
                         ids=["written", "taken"])
def test_what_cannot_be_put_back_is_told(shared, operator, bundle_of, case, lost, made):
    shared.prepare(operator, case)
    bundle = bundle_of(case)
    report = operator.json("install", bundle)
    paths = sorted(case.path(name) for name in (*lost, *made))
    assert [path for path in report["escaped_paths"] if path.startswith(case.folder)] == paths
    undone = operator.json("rollback")
    assert [line for line in undone["not_restored"] if line.startswith(case.folder)] == [
        f"{path}: changed by transaction {undone['transaction']}, but not backed up" for path in paths]
    assert undone["msg"].startswith(f"rolled back; {len(report['escaped_paths'])} path"), undone["msg"]
    found, shared.before = operator.changes_since(shared.before), None
    assert {line.split(":")[0].split()[1] for line in found} <= {*paths, case.folder}
    for name in lost:
        operator.host.path(case.path(name)).write_text("there again\n")
    kill_at(operator, bundle, "preinst")
    recovered = operator.json("recover")
    assert {case.path(name) for name in lost} <= set(recovered["escaped_paths"]), recovered


def kill_at(operator, bundle, point):
    operator.host.path(HOLD).write_text(point)
    reached = operator.host.path(REACHED)
    reached.unlink(missing_ok=True)
    process = subprocess.Popen([operator.binary, "install", bundle, *operator.install, "--root", operator.host.root, "--quiet"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 60
    while not reached.exists():
        assert process.poll() is None and time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)
    process.kill()
    process.wait()
    operator.host.path(HOLD).unlink()


def kill_everywhere(operator, bundle, scratch, as_before):
    nth = build_nth(scratch)

    def struck(number):
        subprocess.run([nth, scratch / "out", str(number), "kill", operator.binary, "install", bundle, *operator.install, "--root",
                        operator.host.root],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, start_new_session=True)
        return int((scratch / "out").read_text().split()[0])

    total = struck(0)
    operator.topsctl("rollback")  # of a case that fails there is nothing
    as_before()
    for number in spread(total, KILLS):
        struck(number)
        operator.json("recover")
        as_before()
