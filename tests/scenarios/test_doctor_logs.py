"""What `topsctl doctor --log` takes: several files, a pipe, an archive."""

import subprocess
import tarfile

import pytest

ERROR = "Traceback (most recent call last):\n  File \"/srv/train.py\", line 7, in main\nRuntimeError: topsMalloc failed, size: 9\n"
GOOD = "epoch 1 loss: 0.3\ntraining finished\n"


@pytest.fixture
def logs(tmp_path):
    (tmp_path / "good.log").write_text(GOOD, encoding="utf-8")
    (tmp_path / "rank_3.log").write_text(ERROR, encoding="utf-8")
    return tmp_path


def test_logs_may_stand_one_behind_the_other(run_topsctl, topsctl_dev, logs, schema):
    done = run_topsctl(["doctor", "--log", logs / "good.log", logs / "rank_3.log", "--json"], binary=topsctl_dev)
    schema(done.json, "doctor")
    assert [source["rank"] for source in done.json["sources"]] == [None, 3]
    assert (done.code, done.json["first_cause"], done.json["failed"]) == (5, "card-memory-exhausted", True)


def test_a_word_without_log_is_refused(run_topsctl, topsctl_dev, logs):
    done = run_topsctl(["doctor", logs / "good.log"], binary=topsctl_dev)
    assert done.code == 2 and "behind --log" in done.err


@pytest.mark.parametrize("text, verdict, code", [(GOOD, "verdict: healthy", 0), (ERROR, "(card-memory-exhausted)", 5)])
def test_a_log_may_come_by_a_pipe(topsctl_dev, text, verdict, code):
    done = subprocess.run([topsctl_dev, "doctor", "--lang", "en", "--log", "-"], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (code, "") and verdict in done.stdout


def test_an_empty_pipe_is_no_log(topsctl_dev):
    done = subprocess.run([topsctl_dev, "doctor", "--log", "-"], input="", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", check=False)
    assert done.returncode == 3 and "every file is empty" in done.stderr


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_the_logs_of_an_archive_are_read_each_by_itself(run_topsctl, topsctl_dev, logs, schema, mode):
    with tarfile.open(logs / "all.tar", mode) as archive:
        archive.add(logs / "good.log", "logs/good.log")
        archive.add(logs / "rank_3.log", "logs/rank_3.log")
    done = run_topsctl(["doctor", "--log", logs / "all.tar", "--json"], binary=topsctl_dev)
    schema(done.json, "doctor")
    assert [source["path"].split("!")[1] for source in done.json["sources"]] == ["logs/good.log", "logs/rank_3.log"]
    assert (done.json["first_cause"], done.json["diagnoses"][0]["rank"]) == ("card-memory-exhausted", 3)


def test_an_archive_without_logs_is_no_log(run_topsctl, topsctl_dev, logs):
    with tarfile.open(logs / "all.tar", "w") as archive:
        archive.add(logs / "good.log", "weights.pth")
    done = run_topsctl(["doctor", "--log", logs / "all.tar", "--json"], binary=topsctl_dev)
    assert done.code == 3 and done.json["verdict"] is None, done.json


def test_a_run_stands_for_its_logs_and_its_status(run_topsctl, topsctl_release, tmp_path):
    at = {"env": {"XDG_STATE_HOME": str(tmp_path / "state")}, "binary": topsctl_release}
    names = []
    for text, status in (("raise RuntimeError('the loader is empty')\n", 1), ("print('step 1')\n", 0)):
        (tmp_path / "train.py").write_text(text, encoding="utf-8")
        done = run_topsctl(["launch", "--preflight", "none", "--nproc", "1", "--json", "--", "train.py"], **at)
        assert done.code == status, done
        names.append(done.json["run"])
    failed = run_topsctl(["doctor", "--log", names[0], "--json"], **at)
    assert failed.code == 5 and "the loader is empty" in failed.out, failed
    assert run_topsctl(["doctor", "--log", "last", "--json"], **at).json["verdict"] == "healthy"
    assert run_topsctl(["doctor", "--log", "last", "--exit-status", "1", "--json"], **at).json["verdict"] != "healthy"
    (tmp_path / "last").write_text(ERROR, encoding="utf-8")
    assert run_topsctl(["doctor", "--log", "last", "--json"], **at).json["first_cause"] == "card-memory-exhausted"
