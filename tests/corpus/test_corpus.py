"""The verdict of topsctl inspect on every case of the corpus is the one written beside the case."""

import json

import pytest

from support.corpus.cases import CASES
from support.corpus.judge import faults
from support.measured import measured
from support.topsctl import SANITIZERS

MOST_MEMORY = 160 << 20  # bytes; the promise is 128 MiB for the archives, the rest is room for the program itself
HANG = 300  # seconds; a guard only, nothing here takes a tenth of it on an idle machine


@pytest.fixture(scope="session")
def inspect(repository, topsctl_dev, tmp_path_factory):
    """inspect(arguments, bounded) -> Measured; what is bounded is run by the release binary where there is one."""
    release = repository / "build" / "release" / "topsctl"
    home = tmp_path_factory.mktemp("home")

    def run(arguments, bounded=False):
        binary = release if bounded and release.exists() else topsctl_dev
        done = measured([binary, "inspect", "--json", *arguments], cwd=home, timeout=HANG,
                        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", **SANITIZERS})
        return done, binary is release

    return run


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(3)
def test_the_verdict_is_the_expected_one(inspect, built_case, snapshot_file, schema, name):
    path, expected = built_case(name)
    against = ["--against", snapshot_file(expected["against"])] if expected["against"] else []
    done, is_release = inspect([*expected["options"], *against, path], expected["bounded"])
    assert not done.timed_out, f"still running after {HANG} s"
    try:
        document = json.loads(done.out)
    except ValueError:
        pytest.fail(f"exit {done.code}, no JSON: {done.out[:2000]!r}\n{done.err.decode(errors='replace')[-4000:]}")
    schema(document, "inspect")
    assert faults(expected, done.code, document) == [], json.dumps(
        [document["error"], document["findings"]], indent=1, ensure_ascii=False)[:6000]
    if expected["bounded"] and is_release:
        assert done.peak <= MOST_MEMORY, f"{done.peak >> 20} MiB"


def test_nothing_of_a_bundle_was_ever_run(built_case):
    path, _ = built_case("run-gzip")
    assert b"this-must-never-run" not in path.read_bytes()[:20000]  # it is in the payload alone
    from pathlib import Path
    assert not Path("/tmp/this-must-never-run").exists()


@pytest.mark.parametrize("options", [["--fast"], []], ids=["fast", "default"])
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.expectation.ids
                                  and not case.expectation.may and not case.expectation.against])
@pytest.mark.sampled(3)
def test_what_is_sound_is_sound_at_every_level(inspect, built_case, name, options):
    path, expected = built_case(name)
    done, _ = inspect([*options, path])
    document = json.loads(done.out)
    loud = [one for one in document["findings"] if one["severity"] != "info"]
    assert (done.code, loud) == (0, []), done.err.decode(errors="replace")
    if expected["packages"] is not None:
        shown = sorted([one["name"], one["version"]] for one in document["packages"])
        assert shown == sorted(map(list, expected["packages"]))
