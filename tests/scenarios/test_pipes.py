"""What one command prints is what another reads; and a word that is nearly right is understood."""

import gzip
import json
import os
import re
import subprocess

import pytest


@pytest.fixture
def run(topsctl_dev, tmp_path):
    def run_it(*words, **options):
        return subprocess.run([topsctl_dev, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                              check=False, **options)
    run_it.binary = topsctl_dev
    return run_it


@pytest.mark.parametrize("words", [["--help"], ["help", "install"], ["doctor", "--list", "--json"], ["stack"]])
def test_a_reader_that_has_seen_enough_is_no_error(topsctl_dev, words):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([topsctl_dev, *words], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_page_in_a_pipe_is_plain_text_of_80_columns(run):
    page = run("help", "install").stdout
    assert "\nSYNOPSIS\n" in page and "\033" not in page and "\n## " not in page
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.parametrize("stack", ["topsrider-t2x", "vccl-2.26.6"])
def test_a_stack_that_is_shown_can_be_checked(run, tmp_path, stack):
    (tmp_path / "shown.json").write_text(run("stack", "show", stack, "--json").stdout)
    checked = run("stack", "check", "shown.json", "--json")
    assert checked.returncode == 0, checked
    # And so on: what is shown of that file is the same stack.
    again = run("stack", "show", "./shown.json", "--json").stdout
    assert json.loads(again)["stacks"][0]["definition"] == json.loads(checked.stdout)["stacks"][0]["definition"]


def test_a_file_may_be_what_another_command_prints(run, tmp_path, bundle):
    (tmp_path / "stack.json").write_text(run("stack", "show", "topsrider-t2x", "--json").stdout)
    (tmp_path / "host.json").write_text(run("snapshot", "--output", "-").stdout)
    (tmp_path / "hosts").write_text("local:\n")
    for command, file, code in ((["stack", "check"], "stack.json", 0), (["inspect", bundle(only_needed=True), "--against"], "host.json", 5),
                                (["history", "--hosts"], "hosts", 0)):
        plain = run(*command, file)
        # What the other command prints comes late, and in pieces.
        late = f'"$@" <(head -c 9 {file}; sleep 0.5; tail -c +10 {file})'
        piped = subprocess.run(["bash", "-c", late, "-", run.binary, *command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert (piped.returncode, piped.stderr) == (plain.returncode, plain.stderr) == (code, ""), (command, piped)
        assert re.sub(r"/dev/fd/\d+", file, piped.stdout) == plain.stdout, command


def test_standard_input_by_its_name_may_come_late(run, tmp_path):
    (tmp_path / "hosts").write_text("local:\n")
    plain = run("history", "--hosts", "hosts")
    late = '(sleep 0.5; cat hosts) | "$@"'
    piped = subprocess.run(["bash", "-c", late, "-", run.binary, "history", "--hosts", "/dev/stdin"], cwd=tmp_path, capture_output=True, text=True,
                           timeout=60, check=False)
    assert (piped.returncode, piped.stderr) == (plain.returncode, plain.stderr) == (0, "")
    assert piped.stdout.replace("/dev/stdin", "hosts") == plain.stdout


def test_a_pipe_without_an_end_leaves_half_of_the_free_space(run, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", small], check=True)
    try:
        for command in (["bench", "--baseline"], ["status", "--hosts"]):
            done = subprocess.run(["bash", "-c", '"$@" <(yes)', "-", run.binary, *command], cwd=tmp_path, capture_output=True, text=True,
                                  timeout=60, check=False, env=os.environ | {"TMPDIR": str(small)})
            assert done.returncode == 4 and f"half of what is free in '{small}'" in done.stderr, done
            assert "TMPDIR" in done.stderr
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_snapshot_may_be_compressed(run, tmp_path, bundle):
    packages = bundle(only_needed=True)
    with gzip.open(tmp_path / "host.json.gz", "wt") as packed:
        packed.write(run("snapshot", "--output", "-").stdout)
    done = run("inspect", packages, "--against", "host.json.gz")
    assert "GiB" in done.stdout.splitlines()[-2] and done.returncode in (0, 5), done
    (tmp_path / "host.json.gz").write_bytes((tmp_path / "host.json.gz").read_bytes()[:-9])
    done = run("inspect", packages, "--against", "host.json.gz")
    assert "snapshot 'host.json.gz'" in done.stderr and done.returncode == 3, done


@pytest.mark.parametrize("words", [["inspect", "{}"], ["install", "{}", "--dry-run"], ["lock", "{}", "--output", "x.lock"], ["doctor", "--log", "{}"],
                                   ["doctor", "--project", "{}"], ["inspect", "BUNDLE", "--against", "{}"], ["transfer", "{}", "host"],
                                   ["install", "BUNDLE", "--dry-run", "--stack", "./{}"], ["launch", "--", "{}"], ["launch", "--job", "{}"],
                                   ["watch", "--telemetry", "{}"], ["bench", "--baseline", "{}"], ["env", "--library", "{}"],
                                   ["verify", "--target", "root@127.0.0.1:9", "-F", "{}"],
                                   ["verify", "--target", "root@127.0.0.1:9", "-i", "{}"], ["doctor", "--support", "{}/x.tar.zst"],
                                   ["snapshot", "--output", "{}/x"], ["stack", "new", "BUNDLE", "--output", "{}/x.json"],
                                   ["lock", "BUNDLE", "--output", "{}/x.lock"], ["inspect", "BUNDLE", "--lock", "{}/x.lock"],
                                   ["install", "BUNDLE", "--dry-run", "--report", "{}/x.html"]],
                         ids=" ".join)
def test_a_path_with_a_typo_gets_the_one_that_is_meant(run, tmp_path, bundle, words):
    words = [word.replace("BUNDLE", str(bundle(only_needed=True))) for word in words]
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases/bundle-2.5").write_text("")
    done = run(*(word.format("relaeses/bundel-2.5") for word in words))
    assert done.returncode != 0
    assert re.search(r"relaeses/bundel-2\.5' \(did you mean '(\./)?releases/bundle-2\.5'\?\)", done.stderr), done.stderr
    strange = run(*(word.format("zzzzzzzzzzzz") for word in words))
    assert "did you mean" not in strange.stderr, strange.stderr


@pytest.mark.parametrize(("kind", "typed", "some"), [("findings", ["install", "--accept", ""], "script-changes-firewall"),
                                                     ("diagnoses", ["doctor", "--explain", ""], "disk-full"),
                                                     ("diagnoses", ["doctor", "--only", "disk-full,"], "disk-full,card-fault"),
                                                     ("rewrites", ["doctor", "--accept", ""], "backend")])
def test_identifiers_are_completed(run, kind, typed, some):
    offered = run("completion", "--values", kind, "--", *typed).stdout.split()
    assert any(value.startswith(some) for value in offered), offered
    assert len(offered) == len(set(offered)) and "disk-full,disk-full" not in offered


def test_hosts_of_ssh_config_are_completed_where_a_target_is_typed(run, tmp_path):
    (tmp_path / "more").write_text("Host t20-7 !t20-8\n  Port 2222\n")
    (tmp_path / "config").write_text(f"Include {tmp_path}/more\nHost t20-1 t20-? *\nMatch exec \"touch {tmp_path}/run\"\n  User root\n")
    typed = ["deploy", "DIR", "--ssh-config", str(tmp_path / "config")]
    assert run("completion", "--values", "hosts", "--", *typed, "").stdout.split() == ["t20-1", "t20-7"]
    assert run("completion", "--values", "hosts", "--", *typed, "root@t").stdout.split() == ["root@t20-1", "root@t20-7"]
    assert not (tmp_path / "run").exists()
    script = run("completion", "bash").stdout
    assert '"* --target") listed=hosts;;' not in script and '"verify --target") listed=hosts;;' in script
