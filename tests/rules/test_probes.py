"""The probes that topsctl gives to interpreters of other machines: they are of the oldest Python that is supported."""

import ast
import subprocess
from pathlib import Path

import pytest

OLDEST = (3, 6)


@pytest.fixture(scope="module")
def probes(repository):
    found = sorted((repository / "src" / "data" / "probes").glob("*.py"))
    assert found
    return found


def test_they_are_written_in_the_oldest_python(probes):
    for probe in probes:
        ast.parse(probe.read_text(), feature_version=OLDEST)


def test_the_interpreters_here_compile_them(probes):
    interpreters = sorted({path.resolve() for path in Path("/usr/bin").glob("python3.*[0-9]")})
    assert interpreters
    for interpreter in interpreters:
        for probe in probes:
            subprocess.run([interpreter, "-I", "-B", "-c", "import sys; compile(open(sys.argv[1]).read(), sys.argv[1], 'exec')",
                            probe], check=True)


def test_newer_words_are_noticed():
    with pytest.raises(SyntaxError):
        ast.parse("if (n := 1): pass", feature_version=OLDEST)
