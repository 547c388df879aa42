"""The ladder of `topsctl verify` on hosts that are whole, and on hosts that are broken in one way each."""

import json
import os
import signal
import stat

import pytest

from hosts.broken_states import ENVIRONMENT, NODES, STATES
from hosts.host import Host
from support.waiting import wait_for

RESULTS = "/tmp/eccl_test_results.json"
REPORT = "/tmp/eccl_test_report.txt"


def give_cards(host):
    """What kernel and driver would show of eight cards: nodes that are /dev/null, and plain files below /sys."""
    for node in NODES:
        os.mknod(host.path(node), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    driver = host.path("/sys/module/enflame")
    driver.mkdir(parents=True)
    (driver / "version").write_text("1.0.20230110\n")
    for card in range(8):
        device = host.path(f"/sys/bus/pci/devices/0000:3{card}:00.0")
        device.mkdir(parents=True)
        (device / "vendor").write_text("0x1e36\n")
        (device / "class").write_text("0x120000\n")  # processing accelerators; gloo looks at every device


@pytest.fixture(scope="module")
def installed(host_factory, bundle, topsctl_release):
    """installed(personality) -> a host with cards on which topsctl has installed that sample bundle; not to be changed."""
    hosts = {}
    try:
        for personality in ("t2x", "s60"):
            host = hosts[personality] = host_factory()
            host.install_binary(topsctl_release)
            give_cards(host)
            host.copy_in(bundle(python=host.python_minor(), personality=personality, only_needed=True), "/srv/bundle")
            done = host.run(["topsctl", "install", "/srv/bundle", "--json"], timeout=600)
            assert done.returncode == 0, done.stderr
            # An install shows by itself what the cards can do.
            assert statuses(json.loads(done.stdout))["eccl-group"] == "pass", done.stdout
        yield hosts.__getitem__
    finally:
        for host in hosts.values():
            host.remove()


@pytest.fixture
def copy_of(installed, host_place):
    """copy_of(personality) -> that host again, to be changed."""
    made = []

    def make(personality):
        made.append(Host(installed(personality).root, host_place))
        return made[-1]

    yield make
    for host in made:
        host.remove()


def verify(host, *options, code=0):
    done = host.run(["topsctl", "verify", "--json", *options], timeout=600)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


def statuses(document):
    return {check["id"]: check["status"] for check in document["checks"]}


def expect_sound(document, personality):
    """Everything that was climbed to is in order, on a machine of that generation."""
    assert document["api"] == personality and document["stopped_at"] is None
    seen = statuses(document)
    # There is no efsmi in containers, and the older generation is not in torch.distributed.
    assert seen.pop("efsmi") == "unknown"
    assert seen.pop("torch-distributed") == ("pass" if personality == "s60" else "skipped")
    assert set(seen.values()) == {"pass"}, document


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
@pytest.mark.sampled(2)
def test_the_right_rung_fails_and_nothing_else(copy_of, schema, state):
    host = copy_of("t2x")
    state.make(host)
    document = verify(host, *state.options, code=5 if state.fails else 0)
    schema(document, "verify")
    failed = [check for check in document["checks"] if check["status"] == "fail"]
    assert {check["id"] for check in failed} == set(state.fails), failed
    assert {check["rung"] for check in failed} <= {state.rung}
    if state.fails:
        first = next(check for check in failed if check["id"] == state.fails[0])
        assert state.says in first["observed"] and state.hint in first["hint"], first
    unknown = {check["id"] for check in document["checks"] if check["status"] == "unknown"}
    assert unknown <= {"efsmi"}
    if document["stopped_at"]:
        rungs = ["files", "load", "import", "device", "single", "ranks", "perf"]
        above = rungs[rungs.index(document["stopped_at"]["rung"]) + 1:]
        assert all(check["status"] == "skipped" for check in document["checks"] if check["rung"] in above)


@pytest.mark.parametrize("personality", ["t2x", "s60"])
@pytest.mark.parametrize("ranks", [1, 2, 8])
@pytest.mark.sampled(2)
def test_both_generations_climb_to_the_ranks(installed, schema, personality, ranks):
    host = installed(personality)
    document = verify(host, "--ranks", str(ranks))
    schema(document, "verify")
    expect_sound(document, personality)
    told = next(check for check in document["checks"] if check["id"] == "eccl-ranks")
    assert told["observed"] == f"{ranks} rank{'s' if ranks > 1 else ''} with the sum {ranks * (ranks + 1) // 2}"


def test_the_tools_of_the_vendor_are_run_when_asked_for(installed):
    document = verify(installed("t2x"), "--level", "perf", "--ranks", "1")
    told = {check["id"]: check for check in document["checks"] if check["rung"] == "perf"}
    assert len(told) == 10 and told.pop("bandwidth")["status"] == "pass", document
    for name, tool in told.items():
        assert tool["status"] == "pass" and name.replace("-", "_") in tool["observed"] and "25136" in tool["observed"], tool


def test_the_bandwidth_is_measured_compared_and_shown_later(copy_of, schema):
    host = copy_of("t2x")
    done = host.run(["topsctl", "bench", "--json", "--nproc", "2", "--duration", "20", "--operations", "broadcast", "--sizes", "64K"], timeout=600)
    report = json.loads(done.stdout)
    host.path("/srv/report.json").write_text(done.stdout)
    perf = ["--level", "perf", "--ranks", "2", "--baseline", "/srv/report.json", "--at-least", "1"]
    note = host.path("/var/lib/topsctl/benchmark.json")
    kept = note.read_bytes()
    note.unlink()
    note.mkdir()  # a note that cannot be written: the check says what was measured
    for _ in range(3):  # beside other tests a rank may be slow
        seen = json.loads(host.run(["topsctl", "verify", "--json", *perf], timeout=600).stdout)
        bandwidth = next(check for check in seen["checks"] if check["id"] == "bandwidth")
        if bandwidth["status"] == "pass":
            break
    assert bandwidth["status"] == "pass" and "broadcast, 64.0 KiB" in bandwidth["observed"], bandwidth
    note.rmdir()
    note.write_bytes(kept)
    for command in ("status", "watch"):
        shown = json.loads(host.run(["topsctl", command, "--json"]).stdout)
        schema(shown, command)
        assert (shown["benchmark"]["operation"], shown["benchmark"]["backend"], shown["benchmark"]["ranks"]) == ("broadcast", "eccl", 2)
        assert "broadcast, 64.0 KiB" in host.run(["topsctl", command]).stdout

    assert "the baseline has 2 ranks, this benchmark 3" in verify(host, *["3" if word == "2" else word for word in perf], code=3)["error"]["message"]
    for field, value in (("backend", "gloo"), ("operation", "all_talk")):
        other = {**report, "measurements": [{**each, field: value} for each in report["measurements"]]}
        host.path("/srv/report.json").write_text(json.dumps(other))
        refused = verify(host, *perf, code=3)["error"]
        assert refused["code"] == "bad_input" and "measured nothing that eccl can repeat" in refused["message"] and "--backend eccl" in refused["hint"]
    for each in report["measurements"]:
        each["bus_gb_s"] *= 1000
    host.path("/srv/report.json").write_text(json.dumps(report))
    failed = [check for check in verify(host, *perf, code=5)["checks"] if check["status"] == "fail"]
    assert [check["id"] for check in failed] == ["bandwidth"] and "of the baseline's" in failed[0]["observed"]
    host.path(NODES[0]).unlink()
    document = verify(host, *perf, code=5)
    assert statuses(document)["bandwidth"] == "skipped"
    assert "--level perf" in verify(host, *perf[2:], code=2)["error"]["message"]
    host.path("/srv/report.json").write_text("[]")
    assert "is not a report" in verify(host, *perf, code=3)["error"]["message"]


def test_the_results_are_left_and_no_link_is_followed(copy_of):
    host = copy_of("t2x")
    host.path("/etc/precious").write_text("precious\n")
    host.path(RESULTS).unlink(missing_ok=True)
    host.path(RESULTS).symlink_to("/etc/precious")
    document = verify(host, "--level", "files")
    assert statuses(json.loads(host.path(RESULTS).read_text())) == statuses(document)
    assert not host.path(RESULTS).is_symlink() and host.path("/etc/precious").read_text() == "precious\n"
    assert "eccl-library" in host.path(REPORT).read_text()


def test_another_users_results_are_warned_of_once(copy_of):
    host = copy_of("t2x")
    verify(host, "--level", "files")
    done = host.run(["topsctl", "verify", "--json", "--level", "files"], user=65534)
    warnings = json.loads(done.stdout)["warnings"]
    assert [warning.startswith("cannot write the results to /tmp: ") for warning in warnings] == [True], warnings


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_all_that_it_started(copy_of, number, code):
    host = copy_of("t2x")
    next(state for state in STATES if state.name == "probe-hangs").make(host)
    process = host.start(["topsctl", "verify", "--json", "--level", "single", "--events"])
    for line in process.stderr:
        if "level import" in line:  # from there on one process climbs, up to the group
            break
    wait_for(lambda: any("# Climbs from" in command for command in host.running()))  # and the group never comes up
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, out + err
    assert json.loads(out)["error"]["code"] in ("interrupted", "terminated")


def test_fewer_cards_can_be_expected(copy_of):
    host = copy_of("t2x")
    for node in NODES[2:]:
        host.path(node).unlink()
    assert statuses(verify(host, "--cards", "2", "--ranks", "2"))["eccl-ranks"] == "pass"


def test_a_login_shell_has_what_the_checks_had(installed):
    host = installed("t2x")
    seen = host.login_shell("echo $ECCL_MAX_NCHANNELS").stdout
    assert seen.strip() == "2" and host.path(ENVIRONMENT).exists()
