"""Tests of the measuring of programs: their own memory and not the caller's, their end however it came."""

import sys

import pytest

from support.measured import measured


def test_output_and_status_come_back():
    done = measured([sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(5)"])
    assert (done.code, done.out, done.err, done.timed_out) == (5, b"out\n", b"err\n", False)


def test_the_memory_of_the_caller_does_not_count():
    ballast = b"x" * (300 << 20)
    assert measured(["true"]).peak < 64 << 20 < len(ballast)


def test_the_memory_of_the_program_counts():
    assert measured([sys.executable, "-c", "b'x' * (200 << 20)"]).peak > 200 << 20


def test_processor_time_of_children_counts():
    loop = "import time\nwhile time.process_time() < 0.3: pass"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {loop!r}])"
    assert measured([sys.executable, "-c", program]).cpu >= 0.3


def test_what_hangs_is_ended_and_said_to_have_hung():
    done = measured(["sleep", "1000"], timeout=0.2)
    assert done.timed_out and done.code == -9


def test_a_program_that_is_not_there_is_an_error():
    with pytest.raises(OSError, match="no-such-program"):
        measured(["/no-such-program"])
