"""Every harness takes a fixed number of inputs without a crash, a hang or too much memory, in the box of readers too."""

import os
import re
import subprocess

import pytest

pytestmark = pytest.mark.xdist_group("fuzz")  # they build in one folder
RUNS = 300  # enough to see that a harness works; longer runs are `tests/fuzz/run SECONDS`
LINE = re.compile(r"^(\w+) +(\d+) inputs in +[\d.]+ s, (\d+) crashes$", re.MULTILINE)


@pytest.fixture
def fuzz(repository):
    def run(*argv, **environment):
        return subprocess.run([repository / "tests" / "fuzz" / "run", *argv], capture_output=True, text=True, check=False,
                              env=os.environ | {"TOPSCTL_FUZZ_SCRATCH": "build/fuzz-test"} | environment)
    return run


@pytest.mark.whole
@pytest.mark.parametrize("mode", [[], ["--confined"]], ids=["plain", "confined"])
def test_every_harness_takes_its_inputs(repository, fuzz, mode):
    names = {path.stem.removeprefix("fuzz_") for path in (repository / "tests" / "fuzz").glob("fuzz_*.cpp")}
    done = fuzz(*mode, "--runs", str(RUNS))
    assert done.returncode == 0, done.stdout + done.stderr
    told = {name: (int(inputs), int(crashes)) for name, inputs, crashes in LINE.findall(done.stdout)}
    assert told.keys() == names, done.stdout
    assert all(inputs >= RUNS and crashes == 0 for inputs, crashes in told.values()), done.stdout


@pytest.mark.parametrize("harm, told", [
    ("socket", ["the harness died of signal 31 (Bad system call)", "killed for socket(AF_INET, SOCK_STREAM, IPPROTO_IP)"]),
    ("crash", ["the harness died of signal 11 (Segmentation fault)"]),
])
def test_a_reader_that_does_harm_in_the_box_is_a_crash(fuzz, harm, told):
    done = fuzz("--confined", "--runs", "100", "record", TOPSCTL_FUZZ_HARM=harm)
    assert done.returncode == 1
    assert re.search(r"^record +1 inputs in .*, 1 crashes$", done.stdout, re.MULTILINE), done.stdout
    assert all(f"box: {each}\n" in done.stdout for each in told), done.stdout


def test_a_name_that_is_no_harness_is_refused(fuzz):
    done = fuzz("many")
    assert done.returncode == 2
    assert "hint:" in done.stderr
