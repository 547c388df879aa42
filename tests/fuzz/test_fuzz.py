"""Every harness takes a fixed number of inputs without a crash, a hang or too much memory."""

import re
import subprocess

RUNS = 2000  # enough to see that a harness works; longer runs are `tests/fuzz/run SECONDS`
LINE = re.compile(r"^(\w+) +(\d+) inputs in +[\d.]+ s, (\d+) crashes$", re.MULTILINE)


def test_every_harness_takes_its_inputs(repository):
    names = {path.stem.removeprefix("fuzz_") for path in (repository / "tests" / "fuzz").glob("fuzz_*.cpp")}
    done = subprocess.run([repository / "tests" / "fuzz" / "run", "--runs", str(RUNS)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    told = {name: (int(inputs), int(crashes)) for name, inputs, crashes in LINE.findall(done.stdout)}
    assert told.keys() == names, done.stdout
    assert all(inputs >= RUNS and crashes == 0 for inputs, crashes in told.values()), done.stdout


def test_a_name_that_is_no_harness_is_refused(repository):
    done = subprocess.run([repository / "tests" / "fuzz" / "run", "many"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "hint:" in done.stderr
