# topsctl bench with real torch on doubles of cards (both generations, both forms of the group) and on the CPU: what it measures, whom it
# calls slow, and what it compares.

import json
import os
import signal
import subprocess
import sys

import pytest

from support.browser import faults_of
from support.slowed_rank import slowed
from support.waiting import wait_for

OPERATIONS = ["all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_recv"]
QUICK = ["--duration", "20", "--sizes", "64K"]


@pytest.fixture
def bench(tmp_path, topsctl_release):
    """bench(environment, *options) -> (exit status, document, standard error)."""
    def run(environment, *options):
        given = environment | {"GLOO_SOCKET_IFNAME": "lo", "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), "LANG": "C.UTF-8"}
        done = subprocess.run([topsctl_release, "bench", "--json", "--python", sys.executable, *map(str, options)], cwd=tmp_path,
                              env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
        return done.returncode, json.loads(done.stdout), done.stderr
    return run


def share_of(operation, ranks):
    return {"all_reduce": 2 * (ranks - 1) / ranks, "all_gather": (ranks - 1) / ranks, "reduce_scatter": (ranks - 1) / ranks}.get(operation, 1)


def require_sound(document, ranks, schema):
    schema(document, "bench")
    assert [rank["rank"] for rank in document["ranks"]] == list(range(ranks))
    for each in document["measurements"]:
        assert each["least_us"] <= each["time_us"] <= each["most_us"]
        assert each["algorithm_gb_s"] == pytest.approx(each["bytes"] / each["time_us"] / 1e3)
        assert each["bus_gb_s"] == pytest.approx(each["algorithm_gb_s"] * share_of(each["operation"], ranks))
    measured = {each["operation"] for each in document["measurements"]} | {each["operation"] for each in document["unsupported"]}
    assert measured >= set(OPERATIONS)
    assert [sorted(link["ranks"]) for link in sorted(document["links"], key=lambda link: sorted(link["ranks"]))] == [
        [a, b] for a in range(ranks) for b in range(a + 1, ranks)]


@pytest.mark.parametrize("generation, form", [("t2x", "own"), pytest.param("s60", "torch", marks=pytest.mark.whole)])
def test_cards_are_measured_by_the_backend_of_their_stack(bench, stack, schema, tmp_path, generation, form):
    name = {"t2x": "topsrider-t2x", "s60": "topsrider-i3x"}[generation]
    code, document, errors = bench(stack(generation, form, shim=False), "--backend", "eccl", "--nproc", 2, "--stack", name, *QUICK)
    assert document["backend"] == "eccl" and document["device"] == "gcu", (document, errors)
    require_sound(document, 2, schema)
    assert {copy["what"] for copy in document["copies"]} == {"to_card", "from_card", "on_card"}
    assert code == (5 if document["stragglers"] else 0), "other tests take the processors"
    beside = {each["operation"] for each in document["measurements"] if each["backend"] == "gloo"}
    assert beside == ({"all_reduce"} if form == "torch" else set()), "gloo in the same run, where torch has both groups"
    assert not (tmp_path / "topsctl-logs").exists(), "logs of a success are of no use"


def test_a_host_without_cards_measures_its_processors_and_says_so(bench, stack, schema, tmp_path):
    report = tmp_path / "bench.html"
    code, document, errors = bench(dict(os.environ), "--nproc", 2, "--report", report, "--operations", "all_reduce", "--sizes", "64K,1M")
    assert (document["backend"], document["device"]) == ("gloo", "cpu") and "this host shows no cards" in document["reason"]
    schema(document, "bench")
    assert [each["bytes"] for each in document["measurements"]] == [65536, 1048576]
    page = report.read_text(encoding="utf-8")
    assert "<svg" in page and "all_reduce</text>" in page and code == (5 if document["stragglers"] else 0)

    for each in document["measurements"]:
        each["bus_gb_s"] *= 100
    (tmp_path / "faster.json").write_text(json.dumps(document))
    code, compared, errors = bench(dict(os.environ), "--nproc", 2, "--operations", "all_reduce", "--sizes", "64K", "--baseline", tmp_path / "faster.json")
    schema(compared, "bench")
    assert code == 5 and [each["bytes"] for each in compared["below_baseline"]] == [65536]
    code, compared, errors = bench(dict(os.environ), "--baseline", report)
    assert code == 3 and compared["measurements"] == [] and "topsctl bench --json > FILE" in compared["error"]["hint"]


def test_its_page_is_readable(bench, browser, tmp_path):
    report = tmp_path / "bench.html"
    bench(dict(os.environ), "--nproc", 2, "--report", report, "--operations", "all_reduce,broadcast", "--sizes", "64K,1M", "--duration", 1)
    assert faults_of(browser, report) == []


def test_ranks_that_fail_are_diagnosed_and_their_logs_are_kept(bench, stack, schema, tmp_path):
    code, document, _ = bench(stack("t2x", "own", shim=False, TORCH_GCU_DOUBLE_DEVICES="1"), "--backend", "eccl", "--nproc", 2, *QUICK)
    schema(document, "bench")
    assert code == 5 and document["backend"] is None
    assert "exit status" in document["error"]["message"] and "topsctl-logs" in document["error"]["hint"]
    assert "counts 1 cards for 2 ranks" in next(tmp_path.glob("topsctl-logs/*/attempt_0/rank_0.log")).read_text(encoding="utf-8")


@pytest.mark.parametrize("number, status, code", [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")])
def test_a_signal_ends_it_as_what_it_is_and_leaves_nothing(tmp_path, topsctl_release, number, status, code):
    given = dict(os.environ, GLOO_SOCKET_IFNAME="lo", HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path / "state"))
    running = subprocess.Popen([topsctl_release, "bench", "--json", "--python", sys.executable, "--nproc", "2", "--duration", "60000"],
                               cwd=tmp_path, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: list(tmp_path.glob("topsctl-logs/*/attempt_0/rank_0.log")))
    running.send_signal(number)
    out, _ = running.communicate(timeout=60)
    document = json.loads(out)
    assert (running.returncode, document["error"]["code"], document["stragglers"]) == (status, code, [])
    assert not (tmp_path / "topsctl-logs").exists()


@pytest.mark.parametrize("options, told", [(["--backend", "nccl"], "unknown backend 'nccl'"), (["--backend", "gloo", "--cards", "0"], "--cards"),
                                           (["--at-least", "50"], "--baseline")])
def test_options_without_a_meaning_are_refused_before_ranks_start(bench, tmp_path, options, told):
    code, document, _ = bench(dict(os.environ), *options)
    assert code == 2 and told in document["error"]["message"] and not (tmp_path / "topsctl-logs").exists()


@pytest.mark.alone
def test_a_rank_that_gets_less_of_its_processor_is_named(bench, tmp_path):
    with slowed(1, tmp_path, 0.3):
        code, document, _ = bench(dict(os.environ), "--nproc", 3, "--operations", "broadcast", "--sizes", "64K", "--duration", "20")
    assert code == 5 and [(each["kind"], each["rank"], each["what"]) for each in document["stragglers"]] == [("rank", 1, "memory")]
