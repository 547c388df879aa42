"""Relations between packages mean to topsctl what they mean to dpkg: all of Debian's, and near misses of the syntax."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from peers.judges import question
from peers.near_misses import ARCHITECTURES, FIELD_PIECES, field, mutated, source_field

SHOWN = 10
MUTATED_FIELDS = 30_000
SOURCE_FIELDS = 2_000
SAMPLE = 10_000  # Dpkg::Deps is Perl: it takes as long for these as dpkg's library for all
STATUS = Path("/var/lib/dpkg/status")
RELATIONS = re.compile(
    rb"^(?:Depends|Pre-Depends|Recommends|Suggests|Enhances|Breaks|Conflicts|Provides|Replaces):"
    rb"([^\n]*(?:\n[ \t][^\n]*)*)", re.MULTILINE | re.IGNORECASE)
VERSION = re.compile(r"\((<<|<=|=|>=|>>) ([+-]?\d+):([^)]*)\)")
CANONICAL_RELATION = (r"[a-z0-9][a-z0-9+._-]*(?::[A-Za-z0-9-]+)?(?: \((?:<<|<=|=|>=|>>) [^() ]+\))?"
                      r"(?: \[[^][]+\])?(?: <[^<>]+>)*")
CANONICAL = re.compile(rf"(?:{CANONICAL_RELATION}(?:(?: \||,) {CANONICAL_RELATION})*)?")


def meaning(text):
    """The text with epochs as numbers, and without those that are zero, as dpkg prints versions."""
    def version(match):
        operator, epoch, rest = match.group(1), int(match.group(2)), match.group(3)
        return f"({operator} {epoch}:{rest})" if epoch or ":" in rest else f"({operator} {rest})"

    return "error" if text.startswith("error") else VERSION.sub(version, text)


def differing(fields, ours, theirs):
    return [case for case in zip(fields, ours, theirs) if meaning(case[1]) != meaning(case[2])]


@pytest.fixture(scope="module")
def debian_fields():
    """Every relation field of the machine's index of Debian packages, each once."""
    program = shutil.which("apt-cache")
    index = subprocess.run([program, "dumpavail"], capture_output=True, check=False).stdout if program else b""
    if index.count(b"\nPackage: ") < 1000:
        pytest.skip("this machine has no index of Debian packages: run apt-get update")
    return sorted(set(RELATIONS.findall(index)))


@pytest.mark.whole
def test_debians_whole_index_means_what_it_means_to_dpkg(debian_fields, chance, probe, dpkg_library):
    # As the index has them, fields are canonical: without their blanks nothing can pass by being copied.
    squeezed = [re.sub(rb"\s", b"", text) for text in debian_fields]
    ours = probe.answers([question("rel", text) for text in squeezed])
    theirs = dpkg_library.answers([question("rel", text) for text in debian_fields])
    assert "error" not in theirs
    assert not (found := differing(debian_fields, ours, theirs)), f"{len(found)} differ: {found[:SHOWN]}"
    assert not [text for text in ours if not CANONICAL.fullmatch(text)]
    # What is printed is read as it was, by both.
    sample = chance.sample(range(len(ours)), SAMPLE)
    questions = [question("rel", ours[i]) for i in sample]
    assert probe.answers(questions) == [ours[i] for i in sample]
    assert dpkg_library.answers(questions) == [theirs[i] for i in sample]


def test_debians_index_means_what_it_means_to_dpkg_deps(debian_fields, chance, probe, dpkg_deps):
    # Underscores in names are for dpkg alone.
    fields = chance.sample([text for text in debian_fields if b"_" not in text], SAMPLE)
    ours = probe.answers([question("rel", text) for text in fields])
    theirs = dpkg_deps.answers([question("rel", text) for text in fields])
    assert not (found := differing(fields, ours, theirs)), f"{len(found)} differ: {found[:SHOWN]}"


def test_dpkgs_status_means_what_it_means_to_dpkg(probe, dpkg_library):
    if not STATUS.exists():
        pytest.skip(f"this machine has no '{STATUS}'")
    fields = sorted(set(RELATIONS.findall(STATUS.read_bytes())))
    ours = probe.answers([question("status", text) for text in fields])
    theirs = dpkg_library.answers([question("status", text) for text in fields])
    assert fields and "error" not in theirs
    assert not (found := differing(fields, ours, theirs)), f"{len(found)} differ: {found[:SHOWN]}"


@pytest.mark.parametrize("kind", ["rel", "status"])
def test_near_misses_are_taken_or_refused_as_dpkg_does(kind, chance, probe, dpkg_library):
    fields = []
    while len(fields) < MUTATED_FIELDS:
        text = field(chance).encode()
        for _ in range(chance.choice([0, 1, 1, 2])):
            text = mutated(chance, text, FIELD_PIECES)
        # Comments are of source packages only.
        if not re.search(rb"^\s*#", text, re.MULTILINE):
            fields.append(text)
    ours = probe.answers([question(kind, text) for text in fields])
    theirs = dpkg_library.answers([question(kind, text) for text in fields])
    # Build profiles are of source packages only.
    ours = ["error" if "<" in re.sub(r"\([^)]*\)", "", text) else text for text in ours]
    for is_error in (True, False):
        assert sum((text == "error") == is_error for text in theirs) > MUTATED_FIELDS // 10
    assert not (found := differing(fields, ours, theirs)), f"{len(found)} differ: {found[:SHOWN]}"


def test_fields_of_source_packages_mean_what_they_mean_to_dpkg_deps(chance, probe, dpkg_deps):
    fields = [source_field(chance) for _ in range(SOURCE_FIELDS)]
    ours = probe.answers([question("rel", text) for text in fields])
    theirs = dpkg_deps.answers([question("rel", text) for text in fields])
    assert "error" not in theirs
    assert not (found := differing(fields, ours, theirs)), f"{len(found)} differ: {found[:SHOWN]}"


def test_lists_of_architectures_count_where_dpkg_counts_them(chance, probe, dpkg_deps):
    hosts = [name for name in ARCHITECTURES if "any" not in name]
    questions = [question("arch", chance.choice(hosts), source_field(chance)) for _ in range(SOURCE_FIELDS)]
    questions += [question("arch", host, f"a [{sign}{name}]")
                  for host in hosts for name in ARCHITECTURES for sign in ("", "!")]
    ours, theirs = probe.answers(questions), dpkg_deps.answers(questions)
    found = [case for case in zip(questions, ours, theirs) if case[1] != case[2]]
    assert not found, f"{len(found)} of {len(questions)} differ: {found[:SHOWN]}"
