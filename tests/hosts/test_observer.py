"""The process that observes an install: whom it serves, what its end means, and hosts on which there can be none."""

import json
import os

import pytest

from hosts.operations import Operator
from hosts.test_write_set import HIDDEN
from support.compiled import compiled

# A daemon of a package: it opens its file anew each time, and ends when it is told to.
DAEMON = """cat >/opt/daemon <<'END'
while [ ! -e /run/enough ]; do echo beat >>/srv/beats || echo refused >>/run/refused; sleep 0.1; done
echo ended >>/srv/beats
END
setsid sh /opt/daemon >/dev/null 2>&1 </dev/null &
sleep 0.3"""
# A shell's functions for what the tests' shells do; the first names the processes that observe.
FUNCTIONS = """observers() { grep -ls '^topsctl-observ' /proc/[0-9]*/comm | cut -d/ -f3; }
reached() { n=0; while [ ! -e /run/reached ] && [ $n -lt 300 ]; do n=$((n + 1)); sleep 0.1; done; }
install() { topsctl install /srv/bundle --json --accept script-starts-background-program; }
"""


@pytest.fixture
def run_with(topsctl_host, with_eccl):
    """run_with(script of the package, shell script) -> what the latter says, run inside the host beside the bundle."""
    def run(script, shell):
        topsctl_host.copy_in(with_eccl(script), "/srv/bundle")
        return topsctl_host.run(["sh", "-c", FUNCTIONS + shell], timeout=100)

    return run


def test_a_daemon_writes_on_after_the_install_and_the_observer_ends_with_it(run_with):
    said = run_with(DAEMON, """install >/run/report || exit 1
[ -n "$(observers)" ] && echo serving
before=$(wc -l </srv/beats); sleep 0.5; [ $(wc -l </srv/beats) -gt $before ] && echo beating
touch /run/enough; sleep 1; tail -n 1 /srv/beats; cat /run/refused; [ -n "$(observers)" ] || echo gone""")
    assert said.stdout.split() == ["serving", "beating", "ended", "gone"], said


def test_without_a_filter_a_daemon_is_let_go_when_the_install_ends(run_with, topsctl_host):
    topsctl_host.copy_in(compiled("older_kernel", "-static"), "/srv/older_kernel")
    said = run_with(DAEMON, """/srv/older_kernel docker topsctl install /srv/bundle --json --accept script-starts-background-program >/run/report || exit 1
n=0; while [ -n "$(observers)" ] && [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.1; done; [ -n "$(observers)" ] || echo gone
before=$(wc -l </srv/beats); sleep 0.5; [ $(wc -l </srv/beats) -gt $before ] && echo beating
touch /run/enough; sleep 1; tail -n 1 /srv/beats; cat /run/refused""")
    assert said.stdout.split() == ["gone", "beating", "ended"], said
    assert json.loads(topsctl_host.path("/run/report").read_text())["write_set"]["known"] == "observed"


def test_a_daemon_writes_on_when_topsctl_is_killed_and_recover_makes_it_all_undone(run_with, topsctl_host):
    # The text names the daemon's file, to which it writes on: a recovery has to be told that this is to go, too.
    slow = f"{DAEMON}\n{HIDDEN}\ntouch /run/reached\nsleep 30"
    topsctl_host.path("/etc/hosts.allow").write_text("before\n")
    said = run_with(slow, """install >/run/report 2>&1 & reached; topsctl=$(grep -ls "^topsctl$" /proc/[0-9]*/comm | cut -d/ -f3 | sort -n | head -n 1)
cp /etc/hosts.allow /run/changed; kill -9 $topsctl; sleep 0.5
before=$(wc -l </srv/beats); sleep 0.5; [ $(wc -l </srv/beats) -gt $before ] && echo beating
touch /run/enough; sleep 1; [ -n "$(observers)" ] || echo gone
cat /run/changed; echo
topsctl recover --force --json >/run/recovered ; cat /etc/hosts.allow; ls -d /srv/hidden /srv/beats /opt/daemon""")
    assert said.stdout.split() == ["beating", "gone", "before", "added", "before"], said
    recovered = json.loads(topsctl_host.path("/run/recovered").read_text())
    assert recovered["outcome"] == "rolled_back" and recovered["rollback"]["verified"]["paths_differing"] == 0


@pytest.mark.parametrize("place", ["", "/srv/older_kernel docker "], ids=["with a filter", "without"])
def test_without_the_observer_the_programs_end_and_so_does_the_install(run_with, topsctl_host, place):
    topsctl_host.copy_in(compiled("older_kernel", "-static"), "/srv/older_kernel")
    topsctl_host.path("/etc/hosts.allow").write_text("before\n")
    waiting = f"{HIDDEN}\n: >/run/reached\nwhile [ ! -e /run/go ]; do sleep 0.1; done\necho more >>/etc/issue"
    said = run_with(waiting, f"install() {{ {place}topsctl install /srv/bundle --json; }}\n" + """install >/run/report 2>/dev/null & reached
cat /etc/hosts.allow; echo; kill -9 $(observers); sleep 0.2; echo >/run/go; wait $!; echo $?; cat /etc/hosts.allow""")
    assert said.stdout.split() == ["before", "added", "8", "before"], said
    report = json.loads(topsctl_host.path("/run/report").read_text())
    assert report["outcome"] == "rolled_back"
    assert any("the process that observes programs has ended" in warning for warning in report["warnings"])


def test_what_cannot_be_kept_cannot_be_changed(run_with, topsctl_host):
    """A file on another file system has to be copied, and the store has no room for it."""
    said = run_with("python3 -c 'open(\"/mn\" + \"t/big\", \"a\").write(\"x\")' || echo refused >>/run/refused; test -e /run/refused",
                    """mount -t tmpfs none /mnt; truncate -s 8T /mnt/big; before=$(stat -c '%s %Y' /mnt/big)
install >/run/report; echo $?; cat /run/refused; [ "$before" = "$(stat -c '%s %Y' /mnt/big)" ] && echo same""")
    assert said.stdout.split() == ["0", "refused", "same"], said
    report = json.loads(topsctl_host.path("/run/report").read_text())
    assert any("a change was refused, as what it changes cannot be backed up: " in each for each in report["warnings"])


# Arguments of tests/support/older_kernel.
PLACES = ("4.15", "5.4", "docker", "4.15 docker", "listener", "no-readv")
NO_RIGHT_TO_TRACE = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-all"]
# Whoever becomes another user is closed to a tracer without a right to its memory, and so are its links in /proc.
OF_ANOTHER_USER = """mkdir /opt/theirs; echo kept >/opt/theirs/kept; chown -R nobody /opt/theirs; cat >/opt/theirs/drop.py <<'END'
import os
os.chdir("/opt/theirs")
os.setgid(65534)
os.setuid(65534)
open("/srv/theirs/made", "w").write("by another")
os.fchmod(os.open("/srv/theirs/made", os.O_RDONLY), 0o600)
os.chdir("/srv/theirs")
os.rename("there", "moved")
os.unlink("/opt/theirs/kept")
END
python3 /opt/theirs/drop.py"""


@pytest.fixture
def install_and_undo(topsctl_host, with_eccl, operator_of):
    """install_and_undo(script, words before topsctl) -> the two documents, and what differs in the end."""
    def run(script, argv):
        topsctl_host.path("/etc/hosts.allow").write_text("before\n")
        topsctl_host.copy_in(with_eccl(script), "/srv/bundle")
        topsctl_host.copy_in(compiled("older_kernel", "-static"), "/srv/older_kernel")
        topsctl_host.path("/srv/theirs").mkdir()
        topsctl_host.path("/srv/theirs/there").write_text("of another user")
        for path in ("/srv/theirs", "/srv/theirs/there"):
            os.chown(topsctl_host.path(path), 65534, 65534)
        before = operator_of.digest()
        documents = []
        for command in (["install", "/srv/bundle"], ["rollback"]):
            done = topsctl_host.run([*argv, "topsctl", *command, "--json"], timeout=300)
            assert done.returncode == 0, done.stdout[:3000]
            documents.append(json.loads(done.stdout))
        return *documents, operator_of.changes_since(before)

    return run


@pytest.mark.parametrize("script", [HIDDEN, OF_ANOTHER_USER], ids=["as root", "as another user"])
@pytest.mark.parametrize("place", [*(["/srv/older_kernel", *place.split()] for place in PLACES), NO_RIGHT_TO_TRACE], ids=" ".join)
@pytest.mark.sampled(3)
def test_programs_are_observed_and_undone_exactly(place, script, install_and_undo):
    installed, undone, changed = install_and_undo(script, place)
    assert installed["write_set"]["known"] == "observed", installed["write_set"]
    assert not any("refused" in warning for warning in installed["warnings"]), installed["warnings"]
    assert changed == [] and undone["outcome"] == "rolled_back"


@pytest.mark.parametrize("place, words", [
    ("5.4 docker", ["no Landlock (Linux 5.13)", "programs of an install are observed"]),
    ("no-ptrace", ["programs of an install are not observed: topsctl may not trace programs (ptrace is refused)"])])
def test_what_a_host_lacks_is_said_by_version(topsctl_host, place, words):
    topsctl_host.copy_in(compiled("older_kernel", "-static"), "/srv/older_kernel")
    done = topsctl_host.run(["/srv/older_kernel", *place.split(), "topsctl", "version", "--verbose"])
    assert done.returncode == 0 and [word for word in words if word not in done.stdout] == [], done


def test_where_no_program_can_be_observed_that_is_said(topsctl_host, install_and_undo):
    argv = ["/srv/older_kernel", "no-ptrace"]
    installed, undone, changed = install_and_undo(HIDDEN, argv)
    reason = "topsctl may not trace programs (ptrace is refused)"
    assert installed["write_set"]["known"] == "predicted" and reason in installed["write_set"]["reason"], installed["write_set"]
    assert undone["outcome"] == "rolled_back_with_differences" and changed != []
    refused = topsctl_host.run([*argv, "topsctl", "install", "/srv/bundle", "--json", "--write-set", "observed"], timeout=300)
    assert refused.returncode == 4 and reason in json.loads(refused.stdout)["error"]["message"]


@pytest.fixture
def operator_of(topsctl_host, topsctl_release, run_topsctl):
    return Operator(topsctl_host, topsctl_release, run_topsctl)
