"""clang 14 accepts every source file without a warning, with the flags the dev preset gives to the first compiler."""

import json
import os
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

COMPILERS = {".cpp": "clang++-14", ".c": "clang-14"}
STRICT = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
KEPT = ("-I", "-D", "-std=", "-isystem")


@pytest.fixture(scope="module")
def flags(repository):
    """The flags that name includes and definitions, by source file."""
    database = repository / "build" / "dev" / "compile_commands.json"
    if not database.exists():
        pytest.fail("build/dev/compile_commands.json is missing: run `cmake --preset dev`", pytrace=False)
    found = {}
    for entry in json.loads(database.read_text()):
        words = iter(shlex.split(entry["command"]))
        kept = []
        for word in words:
            if word == "-isystem":
                kept += [word, next(words)]
            elif word.startswith(KEPT):
                kept.append(word)
        found[os.path.realpath(os.path.join(entry["directory"], entry["file"]))] = kept
    return found


def test_clang_accepts_every_source(repository, flags):
    if shutil.which("clang++-14") is None:
        pytest.fail("clang++-14 is missing: run `packaging/install-packages tests/packages`", pytrace=False)
    sources = sorted(path for path in (repository / "src").rglob("*") if path.suffix in COMPILERS)
    assert sources
    a_cpp_file = next(kept for file, kept in flags.items() if file.endswith(".cpp"))

    def complaint(source):
        # A source that only the static build compiles has no entry of its own.
        kept = flags.get(str(source.resolve()), a_cpp_file if source.suffix == ".cpp" else [])
        standard = ["-std=c++20"] if source.suffix == ".cpp" else []
        done = subprocess.run([COMPILERS[source.suffix], *kept, *standard, *STRICT, source], capture_output=True,
                              text=True, check=False)
        return "" if done.returncode == 0 else f"{source.relative_to(repository)}\n{done.stderr}"

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        complaints = [text for text in pool.map(complaint, sources) if text]
    assert not complaints, "\n".join(complaints)
