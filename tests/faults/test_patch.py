"""`doctor --apply` by a user without root, killed in the midst: after `recover` the project is old or new, never both."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from faults.tracer import build_nth
from hosts.digest import tree_digest
from support.unprivileged import as_nobody, give_to_nobody, open_folder

PROJECT = Path(__file__).resolve().parents[1] / "data" / "project"
# How many kills, spread over all calls that change files: `TOPSCTL_TEST_PATCH_KILLS=30` for a campaign.
KILLS = int(os.environ.get("TOPSCTL_TEST_PATCH_KILLS") or 6)


class Patched:
    """A project of nobody's, and a state directory."""

    def __init__(self, folder, topsctl, nth):
        self.topsctl, self.nth, self.folder = topsctl, nth, folder
        self.project = folder / "project"
        shutil.copytree(PROJECT, self.project)
        (folder / "state").mkdir()
        give_to_nobody(folder)
        self.before = self.digest()

    def digest(self):
        return tree_digest(self.project)

    def environment(self):
        return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "XDG_STATE_HOME": os.fspath(self.folder / "state"),
                "LANG": "C.UTF-8"}

    def run(self, *argv):
        return subprocess.run(as_nobody([self.topsctl, *argv]), env=self.environment(), cwd="/", capture_output=True,
                              text=True, check=False)

    def apply(self, number=0, action="kill"):
        """Struck at a call; how many there were, and what it printed."""
        output = self.folder / "counted"
        output.touch()
        argv = [self.topsctl, "doctor", "--project", self.project, "--backend", "gloo", "--apply"]
        done = subprocess.run([self.nth, output, str(number), action, *as_nobody(argv)], env=self.environment(), cwd="/",
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        return int(output.read_text().split()[0]), done

    def contents(self):
        return {path: entry.sha256 for path, entry in self.digest().items()}


@pytest.fixture(scope="module")
def make_patched(topsctl_release):
    with open_folder() as folder:
        topsctl = shutil.copy(topsctl_release, folder / "topsctl")
        nth = build_nth(folder)
        made = []

        def make():
            place = folder / str(len(made))
            place.mkdir()
            made.append(Patched(place, topsctl, nth))
            return made[-1]
        yield make


def test_killed_it_leaves_old_or_new(make_patched):
    whole = make_patched()
    calls, _ = whole.apply()
    new = whole.contents()
    old = {path: entry.sha256 for path, entry in whole.before.items()}
    assert new != old
    mixed, ends = 0, {"old": 0, "new": 0}
    for point in range(KILLS):
        struck = make_patched()
        struck.apply(1 + calls * point // KILLS)
        mixed += struck.contents() not in (old, new)
        recovered = struck.run("recover", "--json")
        # Before it began there is nothing of its own to recover.
        assert recovered.returncode == 0 or not (struck.folder / "state/topsctl/transactions").exists(), recovered.stdout + recovered.stderr
        now = struck.contents()
        assert now in (old, new), struck.before.diff(struck.digest())
        ends["old" if now == old else "new"] += 1
        if now == old:
            assert struck.before.diff(struck.digest()) == []
        history = struck.run("history", "--json")
        assert '"unfinished"' not in history.stdout
    print(f"{KILLS} of {calls} calls: {ends}, {mixed} of them mixed before recover")


def test_it_is_undone_to_the_digest(make_patched):
    patched = make_patched()
    patched.apply()
    assert patched.before.diff(patched.digest()) != []
    listed = patched.run("history")
    assert listed.returncode == 0, listed
    assert f"files of {patched.project}" in listed.stdout
    undone = patched.run("rollback", "1")
    assert undone.returncode == 0, undone.stderr
    assert patched.before.diff(patched.digest()) == []


def test_what_was_left_out_is_still_to_be_changed(make_patched):
    """A file with two names is not patched: what was found in it is told again, and it does not count as changed."""
    patched = make_patched()
    left = patched.project / "start_8card_training.sh"
    os.link(left, patched.folder / "other name")
    text = left.read_text()
    found = json.loads(patched.run("doctor", "--project", patched.project, "--backend", "gloo", "--json").stdout)
    here = {each["id"] for each in found["diagnoses"] for place in each["evidence"] if place["source"].endswith(left.name)}
    assert here
    done = patched.run("doctor", "--project", patched.project, "--backend", "gloo", "--apply", "--json")
    report = json.loads(done.stdout)
    assert left.read_text() == text and done.returncode == 5, done
    assert report["verdict"] == "problems" and report["patch"]["outcome"] == "committed"
    assert here <= {each["id"] for each in report["diagnoses"]}
    assert report["patch"]["files"] and left.name not in report["patch"]["files"]


def test_nothing_is_said_to_be_changed_where_all_was_undone(make_patched):
    whole = make_patched()
    calls, done = whole.apply()
    assert "files changed; undo with" in done.stdout
    undone = 0
    for point in range(4, 8):
        struck = make_patched()
        _, done = struck.apply(calls * point // 8, "error:5")
        if struck.contents() != {path: entry.sha256 for path, entry in struck.before.items()}:
            continue
        undone += 1
        assert done.returncode not in (0, 5), done
        assert "changed; undo with" not in done.stdout, done
        assert "problems" in done.stdout or done.stdout == "", done
    assert undone > 0


def test_it_makes_what_the_patch_makes(make_patched):
    applied, by_hand = make_patched(), make_patched()
    applied.apply()
    diff = by_hand.run("doctor", "--project", by_hand.project, "--backend", "gloo", "--patch").stdout
    subprocess.run(["patch", "--binary", "-s", "-p1"], cwd=by_hand.project, input=diff, text=True, check=True)
    assert applied.contents() == by_hand.contents()


def test_a_user_without_patches_is_told_of_the_machine(make_patched):
    patched = make_patched()
    assert patched.run("rollback").returncode == 4
    assert not (patched.folder / "state/topsctl").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_patches_no_files_of_others(make_patched, topsctl_release):
    patched = make_patched()
    before = patched.digest()
    done = subprocess.run([topsctl_release, "doctor", "--project", patched.project, "--apply"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 4 and "another user" in done.stderr, done.stderr
    assert before.diff(patched.digest()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_another_users_file_is_no_ones_to_patch(make_patched):
    patched = make_patched()
    theirs = patched.project / "start_8card_training.sh"
    os.chown(theirs, 0, 0)
    before = patched.digest()
    done = patched.run("doctor", "--project", patched.project, "--apply")
    assert done.returncode == 4 and "another user" in done.stderr, done.stderr
    assert before.diff(patched.digest()) == []
