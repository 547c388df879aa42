"""Judges the corpus of logs (tests/data/logs): what `topsctl doctor` finds in each, and what it must."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.topsctl import run_topsctl


@pytest.fixture(scope="module")
def expected(repository):
    return json.loads((repository / "tests" / "data" / "logs" / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def judged(repository, expected, tmp_path_factory):
    """What doctor says of each log, by its name."""
    binary = repository / "build" / "release" / "topsctl"
    home = tmp_path_factory.mktemp("home")

    def judge(name):
        status = expected[name].get("exit_status")
        argv = ["doctor", "--json", "--log", repository / "tests" / "data" / "logs" / name]
        done = run_topsctl(binary, argv + ([] if status is None else ["--exit-status", str(status)]), home)
        assert done.code in (0, 5), done
        body = done.json
        return {"verdict": body["verdict"], "first_cause": body["first_cause"], "failed": body["failed"],
                "severities": {each["severity"] for each in body["diagnoses"]},
                "found": sorted(each["id"] for each in body["diagnoses"])}

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(expected, pool.map(judge, expected)))


def test_the_corpus_is_whole(repository, expected):
    logs = repository / "tests" / "data" / "logs"
    present = {path.name for path in logs.iterdir()} - {"expected.json", "make"}
    assert present == set(expected)
    made = [name for name in expected if expected[name]["origin"] == "made"]
    of_verdict = {verdict: sum(each["verdict"] == verdict for each in expected.values())
                  for verdict in ("healthy", "problems", "unknown")}
    print(f"{len(expected)} logs, {len(made)} of them really produced: {of_verdict}")
    sound = [name for name in expected if expected[name].get("sound")]
    assert len(expected) >= 300 and len(made) >= 100 and len(sound) >= 55
    assert of_verdict["healthy"] >= 20 and of_verdict["unknown"] - sum(expected[name]["verdict"] == "unknown" for name in sound) >= 20


def test_what_is_found_is_what_is_wrong(expected, judged):
    false, missed = [], []
    true = wanted = 0
    for name, said in judged.items():
        must, found = set(expected[name]["found"]), set(said["found"])
        true += len(found & must)
        wanted += len(must)
        false += [f"{name}: {each}" for each in sorted(found - must)]
        missed += [f"{name}: {each}" for each in sorted(must - found)]
    precision, recall = true / (true + len(false)), true / wanted
    print(f"precision {precision:.3f}, recall {recall:.3f}")
    assert not false, "\n".join(false)
    assert recall >= 0.95, "\n".join(missed)


def test_the_verdict_and_the_first_cause_are_right(expected, judged):
    wrong = [f"{name}: {said['verdict']}, must be {expected[name]['verdict']}" for name, said in judged.items()
             if said["verdict"] != expected[name]["verdict"]]
    failed = [name for name, each in expected.items() if each["verdict"] == "problems"]
    other = [f"{name}: {judged[name]['first_cause']}, must be {expected[name]['first_cause']}" for name in failed
             if judged[name]["first_cause"] != expected[name]["first_cause"]]
    share = 1 - len(other) / len(failed)
    print(f"first cause right in {share:.3f}")
    assert not wrong, "\n".join(wrong)
    assert share >= 0.95, "\n".join(other)


def test_no_log_of_a_sound_job_raises_an_alarm(expected, judged):
    """Without a line that tells that it ended well its verdict is unknown, but nothing has failed."""
    sound = [name for name in expected if expected[name].get("sound")]
    alarms = [name for name in sound if judged[name]["failed"] or judged[name]["severities"] & {"error", "critical"}]
    assert not alarms


def test_nothing_is_healthy_beside_an_error(judged):
    assert not [name for name, said in judged.items() if said["verdict"] == "healthy" and (said["failed"] or said["severities"] & {"error", "critical"})]
