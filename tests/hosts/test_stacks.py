"""Stacks that the operator adds, as files in /etc/topsctl/stacks.d or on the command line."""

import json
import os
from pathlib import Path

import pytest

from hosts.crafted import deb
from hosts.operations import OLD_STACK, Operator

BUILT_IN = ["topsrider-i3x", "topsrider-t2x", "vccl-2.26.6"]
FOLDER = "/etc/topsctl/stacks.d"
REVIEW = Path(__file__).resolve().parent.parent.parent / "docs/stacks"


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


def stacks(host):
    return json.loads(host.run(["topsctl", "version", "--json"], check=True).stdout)["stacks"]


def test_a_stack_in_the_folder_is_known_and_chosen_by_what_the_bundle_holds(topsctl_host, bundle):
    assert stacks(topsctl_host) == BUILT_IN
    topsctl_host.copy_in(OLD_STACK, f"{FOLDER}/older.json")
    assert stacks(topsctl_host) == [*BUILT_IN, "topsrider-2.4.87"]
    topsctl_host.copy_in(bundle(generation="2.4.87", only_needed=True), "/srv/bundle")
    seen = json.loads(topsctl_host.run(["topsctl", "inspect", "/srv/bundle", "--json"], check=True).stdout)
    assert {entry["name"]: entry["complete"] for entry in seen["stacks"]} == \
        {"topsrider-i3x": False, "topsrider-t2x": True, "vccl-2.26.6": False, "topsrider-2.4.87": True}


def test_a_stack_in_the_folder_replaces_one_of_the_same_name(topsctl_host):
    document = json.loads(OLD_STACK.read_text())
    document["name"] = "topsrider-t2x"
    path = topsctl_host.path(f"{FOLDER}/mine.json")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document))
    assert stacks(topsctl_host) == BUILT_IN
    verified = topsctl_host.run(["topsctl", "verify", "--json"])
    assert "2.4.87" in json.loads(verified.stdout)["checks"][0]["expected"]


def test_a_broken_stack_in_the_folder_is_told_with_its_place(topsctl_host):
    path = topsctl_host.path(f"{FOLDER}/broken.json")
    path.parent.mkdir(parents=True)
    path.write_text('{"schema": 1, "name": "mine", "titel": "x"}')
    warned = topsctl_host.run(["topsctl", "version"])
    assert warned.returncode == 0 and "unknown key 'titel'" in warned.stderr, warned
    done = topsctl_host.run(["topsctl", "inspect", "/usr/bin"])
    assert done.returncode == 3 and "/etc/topsctl/stacks.d/broken.json" in done.stderr, done
    assert "unknown key 'titel' (did you mean 'title'?)" in done.stderr and "hint:" in done.stderr, done


@pytest.mark.parametrize("folder", ["launchers.d", "diagnoses.d", "stacks.d"])
@pytest.mark.parametrize("what", ["file of another", "file that all write", "directory that all write", "link"])
def test_site_data_that_others_can_change_are_refused(topsctl_host, folder, what):
    place = topsctl_host.path(f"/etc/topsctl/{folder}")
    place.mkdir(parents=True)
    file = place / "mine.json"
    file.write_text("{}")
    if what == "file of another":
        os.chown(file, 1000, 1000)
    elif what == "file that all write":
        file.chmod(0o666)
    elif what == "directory that all write":
        place.chmod(0o777)
    else:
        home = topsctl_host.path("/srv/someone")
        home.mkdir(parents=True)
        file.rename(home / "mine.json")
        file.symlink_to("/srv/someone/mine.json")
    command = {"launchers.d": ["launch", "--engine", "mine", "--dry-run", "--", "x.py"], "diagnoses.d": ["doctor", "--list"],
               "stacks.d": ["inspect", "/srv"]}[folder]
    done = topsctl_host.run(["topsctl", *command])
    assert done.returncode == 4 and folder in done.stderr and "hint:" in done.stderr, done


def test_the_stack_file_of_an_install_is_not_replaced_by_a_guess(operator, bundle, host):
    operator.json("install", bundle(python=host.python_minor(), only_needed=True, generation="2.4.87"), "--stack", OLD_STACK)
    copy, = host.path("/var/lib/topsctl/transactions").glob("*/stack.json")
    copy.unlink()
    for command in (["verify"], ["status"], ["repair", "-y"]):
        done = operator.topsctl(*command)
        assert done.code == 3 and "stack.json" in done.err, done
    assert "--stack FILE" in operator.topsctl("verify").err
    verified = operator.topsctl("verify", "--level", "files", "--stack", OLD_STACK)
    assert verified.code == 0 and "2.4.87" in verified.out, verified


@pytest.mark.parametrize("name", sorted(path.stem for path in REVIEW.glob("*.json")))
def test_stacks_from_public_documents_are_sound_untested_and_say_where_their_lines_are_from(run_topsctl, topsctl_release, schema, name):
    document = json.loads((REVIEW / f"{name}.json").read_text())
    schema(document, "stack")
    checked = run_topsctl(["stack", "check", REVIEW / f"{name}.json"], binary=topsctl_release)
    assert checked.code == 0 and "a draft with" in checked.out and document["name"] == name, checked
    assert document.get("releases", {}).get("tested", []) == []
    assert all(variable["grade"] == "attested" and variable["source"] for variable in document["environment"]["variables"])
    assert {note["place"].split("/")[1] for note in document["draft"]} >= {"components", "environment", "backend"}
    assert f"`{name}.json`" in (REVIEW / "README.md").read_text()


def test_an_install_by_a_stack_for_review_says_that_it_is_untested_and_a_draft(operator, host, tmp_path):
    """Doubles with the names and versions of NVIDIA's packages; of NCCL the release of CUDA is behind the plus sign."""
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    for package, version in (("cuda-cudart-12-4", "12.4.127-1"), ("libcublas-12-4", "12.4.5.8-1"), ("libnccl2", "2.21.5-1+cuda12.4")):
        deb(tmp_path / package, bundle / f"{package}_{version}_amd64.deb", package, version, "", "", ())
    plan = operator.json("install", bundle, "--stack", REVIEW / "nvidia-cuda-12.json", "--dry-run")
    told = " ".join(plan["warnings"])
    assert plan["plan"]["release"] == "12.4.127", plan["plan"]
    assert "release 12.4.127 of nvidia-cuda-12 is untested (tested: none)" in told and "is a draft with 4 lines to decide" in told


@pytest.mark.parametrize("words, told", [(["--output", "/nonexistent/s.json"], "/nonexistent"), (["--output", ""], "name of a file"),
                                         (["--name", "x" * 65], "up to 64"), (["--name", "a b"], "up to 64")])
def test_a_draft_goes_to_a_new_file_under_a_plain_name(bundle, run_topsctl, topsctl_release, words, told):
    done = run_topsctl(["stack", "new", bundle(only_needed=True), *words], binary=topsctl_release)
    assert done.code == 2 and told in done.err and "internal" not in done.err, done


def test_a_drafted_stack_installs_its_bundle_as_it_is(operator, bundle, host, run_topsctl, topsctl_release, tmp_path, schema):
    """The sample bundle as if its vendor were unknown: --name keeps topsctl from taking the stack that it knows."""
    given, file = bundle(python=host.python_minor(), only_needed=True), tmp_path / "ours.json"
    made = run_topsctl(["stack", "new", given, "--name", "ours", "--output", file, "--json"], binary=topsctl_release)
    assert made.code == 0, made
    schema(made.json, "stack-command")
    schema(json.loads(file.read_text()), "stack")
    again = run_topsctl(["stack", "new", given, "--name", "ours", "--output", file], binary=topsctl_release)
    assert again.code == 3 and "already exists" in again.err
    told = run_topsctl(["stack", "explain", file], binary=topsctl_release)
    assert "named as Enflame's packages are" in told.out and "to decide: how many cards" in told.out
    known = run_topsctl(["stack", "new", given], binary=topsctl_release)
    assert json.loads(known.out)["name"] == "topsrider-t2x", "a bundle that a known stack describes has that stack"

    before = operator.digest()
    assert operator.json("install", given, "--stack", file)["outcome"] == "committed"
    verified = operator.topsctl("verify", "--stack", file, "--level", "load", "--json").json
    states = {check["id"]: check["status"] for check in verified["checks"]}
    assert set(states.values()) == {"pass"} and {"tops-eccl-version", "torch_gcu-installed"} <= set(states), verified["checks"]
    assert operator.json("rollback")["outcome"] == "rolled_back"
    assert operator.changes_since(before) == []
