"""topsctl status on a host in each state: what it shows, and that the command it proposes works when it is typed."""

import json
import os
import re
import shlex

import pytest

from hosts.test_confirmation import NEW_CONNECTION, OLD_CONNECTION
from support.browser import faults_of
from support.waiting import wait_for

BUNDLE = "/srv/bundle"
PROFILE = "/etc/profile.d/topsrider.sh"
LIBRARY = "/usr/lib/libeccl.so"
# Kills an install once it changes packages.
INTERRUPT = """
import json, subprocess, sys
install = subprocess.Popen(["topsctl", "install", sys.argv[1], "--events", "--yes"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, universal_newlines=True)
for line in install.stderr:
    if line.startswith("{") and "dpkg" in line and json.loads(line)["event"] == "step_started":
        install.kill()
        break
install.wait()
"""
# Starts a training, and runs the command once it runs.
TRAIN = """
import json, subprocess, sys, time
running = subprocess.Popen(["topsctl", "launch", "--preflight", "none", "--nproc", "1", "--log-dir", f"/srv/logs/{time.monotonic_ns()}", "--", "/srv/sleep.py"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
end = time.monotonic() + 60
while time.monotonic() < end:
    runs = json.loads(subprocess.run(["topsctl", "runs", "--json"], stdout=subprocess.PIPE, universal_newlines=True).stdout)["runs"]
    if runs and runs[-1]["state"] == "running" and runs[-1]["ranks"]:
        break
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, universal_newlines=True)
print(done.stdout)
running.terminate()
running.wait()
sys.exit(done.returncode)
"""


class Asked:
    """Somebody at a shell of a host."""

    def __init__(self, host, schema):
        self.host = host
        self.schema = schema

    def run(self, command, env=None):
        """In a shell as it is after a log-in by ssh without a profile."""
        return self.host.run(["bash", "-c", command], env=env, timeout=600)

    def json(self, code, before="", env=None):
        done = self.run(f"{before}topsctl status --json", env)
        assert done.returncode == code, done
        document = json.loads(done.stdout)
        self.schema(document, "status")
        return document

    def text(self, before="", env=None):
        """By the first word of each line; no line is wider than a terminal."""
        done = self.run(f"{before}topsctl status", env)
        facts = dict(re.split(r"\s{2,}|(?<=:) ", line, maxsplit=1) for line in done.stdout.splitlines() if not line.startswith(" "))
        return facts

    def type(self, document, before="", env=None):
        return self.run(before + document["next"]["command"], env)


@pytest.fixture
def asked(topsctl_host, schema):
    return Asked(topsctl_host, schema)


@pytest.fixture
def installed(asked, bundle):
    asked.host.copy_in(bundle(python=asked.host.python_minor(), only_needed=True), BUNDLE)
    done = asked.run(f"topsctl install {BUNDLE} --yes", env=OLD_CONNECTION)
    assert done.returncode == 0, done
    return asked


def test_where_nothing_is_installed_the_next_command_leads_to_an_install(asked, bundle):
    document = asked.json(0)
    assert document["installed"] is None and document["intact"] is None and document["waiting"] == []
    assert asked.text()["release"] == "nothing is installed"
    assert document["next"]["command"] == "topsctl help install" and asked.type(document).returncode == 0
    asked.host.copy_in(bundle(python=asked.host.python_minor(), only_needed=True), BUNDLE)
    here = asked.json(0, f"cd {BUNDLE} && ")
    assert here["next"]["command"] == "topsctl inspect ." and asked.type(here, f"cd {BUNDLE} && ").returncode == 0
    assert not asked.host.path("/var/lib/topsctl/installed-digests").exists(), "nothing is made on a host that topsctl has not changed"


def test_an_install_is_shown_and_each_next_command_works(installed):
    document = installed.json(0)
    assert document["intact"] and document["installed"]["stack"] == "topsrider-t2x"
    assert document["installed"]["transaction"]["id"] == 1 and document["python"]
    assert document["environment"]["missing"] and not document["environment"]["in_effect"]
    facts = installed.text()
    assert "transaction 1, " in facts["release"] and facts["files"].startswith("intact, ")
    assert facts["environment"].startswith("not in effect in this shell")
    assert facts["next:"] == f". {PROFILE}" == document["next"]["command"]
    loaded = f"{document['next']['command']} && "
    after = installed.json(0, loaded)
    assert after["environment"] == {"file": PROFILE, "in_effect": True, "missing": [], "different": []}
    assert installed.text(loaded)["environment"] == "in effect in this shell"
    other = installed.json(0, f"{loaded} export {document['environment']['missing'][0]}=other; ")
    assert other["environment"]["different"] or other["environment"]["missing"]
    assert after["next"]["command"] == "topsctl verify --level import"
    assert installed.type(after, loaded).returncode == 0


def test_a_file_that_was_changed_is_seen_though_others_are_not_read_again(installed):
    notes = installed.host.path("/var/lib/topsctl/installed-digests")
    # Nothing is noted of files that were changed in the last two seconds.
    wait_for(lambda: installed.json(0) and notes.exists())
    library = installed.host.path(LIBRARY).resolve()
    content = library.read_bytes()
    # The very size and times of before, but for the time of the change.
    status = library.stat()
    library.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(library, ns=(status.st_atime_ns, status.st_mtime_ns))
    document = installed.json(5)
    assert not document["intact"] and notes.exists()
    assert document["next"]["command"] == "topsctl repair"
    library.unlink()
    gone = installed.json(5)
    assert any("is missing" in check["observed"] for check in gone["checks"] if check["status"] == "fail")
    assert installed.text()["next:"] == "topsctl repair"
    assert installed.type(gone).returncode == 0
    assert installed.json(0)["intact"]


def test_a_package_that_was_removed_leads_to_an_install(installed):
    assert installed.run("dpkg --remove --force-depends tops-eccl").returncode == 0
    document = installed.json(5)
    assert document["next"]["command"] == f"topsctl install {BUNDLE}"
    assert installed.type(document).returncode == 0 and installed.json(0)["intact"]


def test_an_install_that_awaits_its_confirmation_says_how(asked, bundle):
    asked.host.copy_in(bundle(python=asked.host.python_minor(), only_needed=True), BUNDLE)
    assert asked.run(f"topsctl install {BUNDLE} --yes --confirm-timeout 600", env=OLD_CONNECTION).returncode == 0
    same = asked.json(5, env=OLD_CONNECTION)
    assert same["waiting"][0]["state"] in ("unconfirmed", "unwatched") and same["waiting"][0]["until"]
    assert same["next"] == {"command": "topsctl confirm 1", "over_new_connection": True}
    assert asked.text(env=OLD_CONNECTION)["next, over a new connection:"] == "topsctl confirm 1"
    assert asked.type(same, env=OLD_CONNECTION).returncode == 4
    new = asked.json(5, env=NEW_CONNECTION)
    assert new["next"] == {"command": "topsctl confirm 1", "over_new_connection": False}
    assert asked.type(new, env=NEW_CONNECTION).returncode == 0 and asked.json(0)["waiting"] == []


def test_an_interrupted_install_leads_to_a_recovery(asked, bundle):
    asked.host.copy_in(bundle(python=asked.host.python_minor(), only_needed=True), BUNDLE)
    asked.host.path("/srv/interrupt.py").write_text(INTERRUPT)
    asked.run(f"python3 /srv/interrupt.py {BUNDLE}")
    document = asked.json(5)
    assert [each["state"] for each in document["waiting"]] == ["unfinished"]
    assert "was interrupted" in asked.text()["waiting"]
    assert document["next"]["command"] == "topsctl recover" and asked.type(document).returncode == 0
    assert asked.json(0)["waiting"] == []


def test_a_running_training_is_shown_and_watched(installed):
    installed.host.path("/srv/train.py").write_text(TRAIN)
    installed.host.path("/srv/sleep.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(600)\n")
    status = f". {PROFILE}; python3 /srv/train.py "
    done = installed.run(f"{status} topsctl status --json")
    document = json.loads(done.stdout)
    installed.schema(document, "status")
    run, = document["trainings"]
    assert run["log_folder"].startswith("/srv/logs/")
    assert document["next"]["command"] == "topsctl watch"
    shown = installed.run(f"{status} topsctl status").stdout
    assert "/srv/logs" in shown
    typed = installed.run(f"{status} {shlex.join(document['next']['command'].split())}")
    assert typed.returncode == 0, typed


def test_without_root_it_shows_what_can_be_read(installed):
    done = installed.host.run(["bash", "-c", f". {PROFILE} && topsctl status --json"], user=65534, env={"HOME": "/tmp"})
    assert done.returncode == 0, done
    document = json.loads(done.stdout)
    installed.schema(document, "status")
    assert document["intact"] and document["waiting"] is None and document["installed"]["transaction"] is None
    assert document["next"]["command"] == "sudo topsctl verify --level import"


def test_a_fleet_is_compared_and_those_that_deviate_stand_first(make_workstation, packages, schema, browser):
    station = make_workstation(3)
    fleet = station.fleet.home / "fleet.txt"
    fleet.write_text("root@h1\nroot@h2\nroot@h3\n")
    bare = station.topsctl("status", "--hosts", fleet, "--json")
    schema(bare.json, "targets")
    assert bare.code == 0 and bare.json["fleet"]["deviating"] == 0
    assert station.topsctl("deploy", packages, "root@h1", "root@h3", timeout=900).code == 0
    page = station.fleet.home / "fleet.html"
    seen = station.topsctl("status", "--hosts", fleet, "--json", "--report", page)
    schema(seen.json, "targets")
    assert seen.code == 5 and seen.json["error"] is None, seen
    assert [(each["target"], each["verdict"]) for each in seen.json["fleet"]["hosts"]] == [
        ("root@h2", "differs"), ("root@h1", "same"), ("root@h3", "same")]
    assert set(seen.json["fleet"]["hosts"][0]["deviations"]) >= {"release", "sha256"}
    html = page.read_text()
    assert html.count("<section ") == 3 and html.index("root@h2") < html.index("root@h1")
    assert faults_of(browser, page) == []
    station.hosts[2].path(LIBRARY).unlink()
    shown = station.topsctl("status", "--hosts", fleet)
    assert shown.code == 5 and "error:" not in shown.err, shown
    rows = [line.split() for line in shown.out.splitlines()]
    assert rows[0][:3] == ["host", "state", "release"] and rows[0][-2:] == ["stack", "sha256"], shown.out
    assert [row[0] for row in rows[1:4]] == ["root@h3", "root@h2", "root@h1"] and rows[1][1] == "problems"
    assert "2 of 3 hosts deviate" in shown.out
    proposed = shown.out.splitlines()[-1].removeprefix("next: ").split()
    assert proposed == ["topsctl", "status", "--target", "root@h3"]
    closer = station.topsctl(*proposed[1:])
    assert closer.code == 5 and "next, on h3: topsctl repair" in closer.out, closer
    fleet.write_text("root@h1\nadmin@gcu-node-0123\n")
    lost = station.topsctl("status", "--hosts", fleet, "--connect-timeout", "2", "--json", "--report", page)
    schema(lost.json, "targets")
    assert lost.code == 9 and lost.json["fleet"]["hosts"][0]["verdict"] == "unreached"
    assert faults_of(browser, page) == []
