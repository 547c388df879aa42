# What topsctl launch keeps from other users: secrets among the settings and arguments, records and logs, and places that they could change.

import json
import os
import stat
import subprocess

import pytest

from .test_cluster_launch import launch  # noqa: F401  (a fixture)
from .test_hosts_launch import hosts  # noqa: F401  (a fixture)
from .test_launch import job, record_of, runs  # noqa: F401  (job is a fixture)

TRAIN = "import os\nprint('has it', len(os.environ.get('HF_TOKEN', '')))\n"
SECRET = "hunter2xhunter2x"


def modes(folder):
    return {path.relative_to(folder.parent).as_posix(): stat.S_IMODE(path.lstat().st_mode) for path in [folder, *folder.rglob("*")]}


def finished(process):
    out, err = process.communicate(timeout=90)
    return process.returncode, out, err


@pytest.fixture
def again(tmp_path, topsctl_release):
    """again(*options, **variables): a repetition that is only tried."""
    def run(*options, **variables):
        environment = os.environ | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "LANG": "C.UTF-8"} | variables
        return subprocess.run([topsctl_release, "launch", "--again", "last", "--preflight", "none", "--dry-run", *options], cwd=tmp_path, env=environment,
                              capture_output=True, text=True, timeout=60)
    return run


def test_other_users_cannot_read_what_a_launch_was_told(job, tmp_path, schema):
    code, out, err = finished(job(TRAIN, "--json", "--set", f"HF_TOKEN={SECRET}", ranks=1,
                                  arguments=["--api-key", SECRET, f"--db-password={SECRET}", f"url=https://me:{SECRET}@host/x", "--max-tokens", "12"]))
    assert code == 0, out + err
    # torchrun's own files are as it makes them, below directories that nobody else enters.
    ours = {path: mode for path, mode in modes(tmp_path / "logs").items() if "torchrun" not in path}
    assert len(ours) > 3 and {path: oct(mode) for path, mode in ours.items() if mode & 0o077} == {}
    record = record_of(tmp_path, schema)
    assert SECRET not in json.dumps(record) and SECRET not in out
    words = record["request"]["words"]
    assert words[1] == "--api-key" and words[2].startswith("[secret ") and words[3].startswith("--db-password=[secret ")
    assert words[4].startswith("url=[secret ") and words[5:] == ["--max-tokens", "12"], words
    assert "has it 16" in (tmp_path / "logs/attempt_0/rank_0.log").read_text()


def test_a_run_with_a_secret_is_repeated_with_the_same_one_alone(job, again):
    assert finished(job(TRAIN, "--set", f"HF_TOKEN={SECRET}", "--set", "COLOUR=red", ranks=1))[0] == 0
    missing = again()
    assert missing.returncode == 2 and "leaves out the value of HF_TOKEN" in missing.stderr and "--set HF_TOKEN=VALUE" in missing.stderr, missing
    for given, variables in ([], {"HF_TOKEN": SECRET}), (["--set", f"HF_TOKEN={SECRET}"], {}):
        assert again(*given, **variables).returncode == 0
    other = again(HF_TOKEN="another")
    assert other.returncode == 3 and "HF_TOKEN differs" in other.stderr, other
    assert again("--set", "COLOUR=blue", HF_TOKEN=SECRET).returncode == 2


def test_a_secret_among_the_arguments_has_to_be_given_again(job, again):
    assert finished(job(TRAIN, ranks=1, arguments=["--token", SECRET]))[0] == 0
    refused = again()
    assert refused.returncode == 2 and "a secret among the script's arguments" in refused.stderr, refused


def test_a_secret_among_the_words_of_resume_too(job, tmp_path, schema, again):
    job_ended = finished(job(TRAIN, "--max-restarts", "1", "--checkpoints", str(tmp_path), "--resume", f"--token {SECRET} {{checkpoint}}", ranks=1))
    assert job_ended[0] == 0, job_ended
    words = record_of(tmp_path, schema)["request"]["resume"].split(" ")
    assert words[0] == "--token" and words[1] == "[secret" and words[-1] == "{checkpoint}" and SECRET not in str(words), words
    assert not any(SECRET in path.read_text() for path in (tmp_path / "logs").rglob("launch.json"))
    refused = again()
    assert refused.returncode == 2 and "among the words of --resume" in refused.stderr, refused


def holding(folder):
    """The files below it that have the secret, but for the script and emitted jobs."""
    return [path for path in folder.rglob("*") if path.is_file() and SECRET in path.read_text(errors="replace")]


def test_a_job_with_secrets_is_written_nowhere_for_a_run_in_the_background(job, tmp_path, topsctl_release):
    code, out, err = finished(job(TRAIN, "--detach", "--json", "--set", f"HF_TOKEN={SECRET}", ranks=1, arguments=["--api-key", SECRET]))
    assert code == 0 and SECRET not in out + err, out + err
    environment = os.environ | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "LANG": "C.UTF-8"}
    followed = runs(topsctl_release, environment, tmp_path, "logs", "last", "--follow")
    assert "has it 16" in followed.stdout, followed
    assert holding(tmp_path) == []


def test_a_job_with_secrets_is_written_nowhere_on_hosts(hosts, tmp_path, schema):
    group = hosts(2)
    done = group.launch(TRAIN, "--json", "--set", f"HF_TOKEN={SECRET}", arguments=["--api-key", SECRET])
    assert done.returncode == 0 and SECRET not in done.stdout, done.stdout + done.stderr
    assert [rank["last_line"] for rank in group.record(schema)["attempts"][0]["ranks"]] == ["has it 16"] * 2
    assert list((tmp_path / "home").rglob("report")), "the runs of the hosts are there"
    assert holding(tmp_path) == []


@pytest.mark.parametrize("engine", ["slurm", "mpi", "k8s"])
def test_a_report_on_emitted_jobs_has_no_secrets(launch, engine, tmp_path):
    words = launch.words(engine, "--json", "--hosts-from", "n[0-1]", "--nproc", "2", "--set", f"HF_TOKEN={SECRET}", "--set", "COLOUR=red",
                         *(["--image", "i:1", "--volume", f"hostPath:{tmp_path}:{tmp_path}"] if engine == "k8s" else []))
    done = subprocess.run([*words, "--api-key", SECRET], cwd=tmp_path, env=launch.environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stdout and "[secret " in done.stdout and "COLOUR" in done.stdout
    assert any(SECRET in path.read_text() for path in (tmp_path / "job").iterdir()), "the job itself has to have it"


def test_root_keeps_no_logs_where_others_can_put_another_directory(job, tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    os.chown(theirs, 1000, 1000)
    code, _, err = finished(job(TRAIN, "--log-dir", str(theirs / "logs"), ranks=1))
    assert code == 4 and "belongs to another user" in err and "--log-dir" in err, err
    assert list(theirs.iterdir()) == []


def test_a_log_does_not_steer_a_terminal(job, tmp_path, topsctl_release):
    assert finished(job("print('\\x1b]0;title\\x07red \\x1b[31mred')\n", ranks=1))[0] == 0
    environment = os.environ | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "LANG": "C.UTF-8"}
    plain = runs(topsctl_release, environment, tmp_path, "logs", "last")
    assert "\x1b[31m" in plain.stdout  # a pipe gets every byte
    shown = subprocess.run(["script", "-qec", f"{topsctl_release} runs logs last", "/dev/null"], cwd=tmp_path, env=environment, capture_output=True, timeout=60)
    assert b"red ?[31mred" in shown.stdout and b"\x1b]0" not in shown.stdout and b"\x1b[31m" not in shown.stdout, shown.stdout
