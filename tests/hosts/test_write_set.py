"""How topsctl knows what an install changes: from the text of the scripts, or by a trial run where no text tells it."""

import json

import pytest

from hosts.operations import Operator

# Nothing of what it writes stands in its text as a path.
HIDDEN = """python3 -c 'import os
e, s = "/et" + "c", "/s" + "rv"
with open(e + "/hosts.allow", "a") as file: file.write("added")
os.makedirs(s + "/hidden"); open(s + "/hidden/" + str(os.getpid()), "w").close()'"""
PLAIN = "ldconfig\nmkdir -p /srv/plain\necho x >/srv/plain/file"


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    host.path("/etc/hosts.allow").write_text("before\n")
    return Operator(host, topsctl_release, run_topsctl)


def test_a_script_whose_text_does_not_tell_is_exact_by_default(operator, with_eccl):
    bundle, before = with_eccl(HIDDEN), operator.digest()
    dry = operator.json("install", bundle, "--dry-run")
    assert dry["write_set"]["known"] == "rehearsed" and "python3 -c" in dry["write_set"]["reason"], dry["write_set"]
    done = operator.json("install", bundle)
    assert done["outcome"] == "committed" and done["write_set"]["known"] == "rehearsed"
    assert done["write_set"]["reason"].startswith("postinst of tops-eccl, line 3: python3 -c"), done["write_set"]
    # The name of its file is another one each time: the directory is known, what is in it is seen afterwards.
    undone = operator.json("rollback")
    assert undone["rollback"]["verified"]["paths_differing"] == 0 and operator.changes_since(before) == []
    assert undone["msg"] == "the host is as it was before transaction 1"


def test_without_a_trial_run_what_differs_is_named(operator, with_eccl):
    bundle, before = with_eccl(HIDDEN), operator.digest()
    done = operator.json("install", bundle, "--write-set", "predicted")
    assert done["write_set"]["known"] == "predicted" and "/etc/hosts.allow" in done["escaped_paths"]
    undone = operator.json("rollback")
    assert "except for" in undone["msg"] and operator.changes_since(before) != []
    assert any(line.startswith("/etc/hosts.allow: ") for line in undone["not_restored"]), undone["not_restored"]


def test_scripts_that_are_understood_need_no_trial_run(operator, with_eccl):
    bundle, before = with_eccl(PLAIN), operator.digest()
    done = operator.json("install", bundle)
    assert done["write_set"]["known"] == "predicted" and done["write_set"]["reason"] == "all scripts are understood"
    assert "rehearse" not in [step["id"] for step in done["steps"]] and done["rehearsal"] is None
    undone = operator.json("rollback")
    assert operator.changes_since(before) == []
    # No script touches a service or a module, so none is warned of.
    assert undone["not_restored"] == []


def test_services_are_warned_of_where_a_script_touches_them(operator, with_eccl):
    done = operator.json("install", with_eccl("systemctl restart docker || true"))
    assert done["write_set"]["known"] == "predicted"
    services = ["services started, stopped or restarted by package scripts"]
    assert operator.json("rollback", "--dry-run")["not_restored"] == services
    assert operator.json("rollback")["not_restored"] == services


def test_where_no_trial_run_is_possible_the_reason_is_told(topsctl_host, with_eccl):
    topsctl_host.copy_in(with_eccl(HIDDEN), "/srv/bundle")
    without = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all", "topsctl", "install", "/srv/bundle", "--json"]
    done = topsctl_host.run(without)
    written = json.loads(done.stdout)["write_set"]
    assert done.returncode == 0 and written["known"] == "predicted", done
    assert "python3 -c" in written["reason"] and "cannot rehearse on this host" in written["reason"], written
