"""Each source names what it uses: it compiles alone, though the builds compile the sources of a folder as one."""

import subprocess
from pathlib import Path

import pytest

from rules.self_contained import SelfContained

REPOSITORY = Path(__file__).resolve().parent.parent.parent
COMMITS = 8
FOLDERS = sorted({str(source.parent.relative_to(REPOSITORY)) for source in REPOSITORY.glob("src/**/*.cpp")})


@pytest.fixture(scope="session")
def sources(repository):
    if not (repository / "build/dev/compile_commands.json").exists():
        pytest.fail("the dev preset is not configured: run `cmake --preset dev`", pytrace=False)
    return SelfContained(repository)


@pytest.fixture(scope="session")
def changed(repository):
    """The files that the last commits changed or that are not committed; None without a repository."""
    git = ["git", "-c", "safe.directory=*", "-C", repository]
    done = [subprocess.run([*git, *words], capture_output=True, text=True, check=False)
            for words in (["log", f"-{COMMITS}", "--name-only", "--format="], ["status", "--porcelain", "--no-renames"])]
    if any(each.returncode for each in done):
        return None
    return {line.split()[-1] for each in done for line in each.stdout.splitlines() if line.strip()}


@pytest.mark.whole
@pytest.mark.parametrize("folder", FOLDERS)
def test_sources_compile_alone(sources, repository, folder):
    complaints = [sources.complaint(source) for source in sorted((repository / folder).glob("*.cpp"))]
    assert [each for each in complaints if each] == []


@pytest.mark.parametrize("room", ["base", "model", "host", "engine", "cli"])
def test_sources_that_were_changed_compile_alone(sources, repository, changed, room):
    complaints = [sources.complaint(source) for source in sorted((repository / "src" / room).rglob("*.cpp"))
                  if changed is None or str(source.relative_to(repository)) in changed]
    assert [each for each in complaints if each] == []


def test_what_is_not_included_is_told_and_is_looked_at_again_until_it_is(repository, tmp_path):
    tree = tmp_path / "tree"
    for folder in ("src/base", "include/topsctl/base"):
        (tree / folder).mkdir(parents=True)
    (tree / "build").symlink_to(repository / "build")
    header = tree / "include/topsctl/base/words.hpp"
    source = tree / "src/base/words.cpp"
    header.write_text("#pragma once\n")
    source.write_text('#include "topsctl/base/words.hpp"\nstd::string words();\n')
    for _ in range(2):
        assert "std" in SelfContained(tree, tmp_path / "stamps").complaint(source)
    header.write_text("#pragma once\n#include <string>\n")
    for _ in range(2):
        assert SelfContained(tree, tmp_path / "stamps").complaint(source) == ""
    header.write_text("#pragma once\n")
    assert "std" in SelfContained(tree, tmp_path / "stamps").complaint(source), "a changed header is no reason to look again"
