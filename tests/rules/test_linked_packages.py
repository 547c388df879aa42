"""What is linked is known, proven by the linker's map, and newer than nothing that the archive offers."""

import json
import os
import subprocess

import jsonschema
import pytest

from support.boms import cyclonedx_faults

# Doubles of apt: the archive has one version of zlib1g-dev.
APT_GET = """#!/bin/bash
case $* in
*indextargets*) ;;
*update*) echo "$*" >>"$ASKED"; exit "$UPDATE_STATUS" ;;
esac
"""
APT_CACHE = """#!/bin/bash
printf 'zlib1g-dev:\\n  Installed: 1\\n  Candidate: %s\\n  Version table:\\n' "$CANDIDATE"
"""
NEWER, OLDER = "9:9", "0.1"


@pytest.fixture
def packages(tmp_path, repository):
    """packages(command, ..., candidate=, update_status=) runs linked-packages of a checkout that has nothing else."""
    for name, text in (("apt-get", APT_GET), ("apt-cache", APT_CACHE)):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    script = tmp_path / "checkout" / "packaging" / "linked-packages"
    script.parent.mkdir(parents=True)
    script.write_bytes((repository / "packaging" / "linked-packages").read_bytes())
    script.chmod(0o755)

    def run(*argv, candidate=OLDER, update_status=0):
        return subprocess.run([script, *argv], text=True, capture_output=True, check=False,
                              env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
                                   "ASKED": str(tmp_path / "asked"), "CANDIDATE": candidate,
                                   "UPDATE_STATUS": str(update_status), "SOURCE_DATE_EPOCH": "1700000000"})
    return run


def listed(packages, folder, updates="refuse", **options):
    done = packages("list", "--updates", updates, "--folder", folder, "z", "crypto", **options)
    path = folder / "linked.json"
    return done, json.loads(path.read_text()) if path.exists() else None


def test_what_is_linked_is_listed_with_its_sources(packages, tmp_path):
    done, linked = listed(packages, tmp_path)
    assert done.returncode == 0, done.stderr
    by_name = {entry["package"]: entry for entry in linked["packages"]}
    assert by_name["libssl-dev"]["source"] == "openssl" and by_name["libssl-dev"]["libraries"] == ["libcrypto.a"]
    assert by_name["libcli11-dev"]["linked"] == "headers" and "libc.a" in by_name["libc6-dev"]["libraries"]
    assert linked["archive"] == "asked" and not any(entry["offered"] for entry in linked["packages"])
    assert "zlib1g-dev" in (tmp_path / "linked_packages.cpp").read_text()
    assert "update" in (tmp_path / "asked").read_text()


def test_a_release_with_an_older_library_is_refused(packages, tmp_path):
    done, linked = listed(packages, tmp_path, candidate=NEWER)
    assert done.returncode == 1 and linked is None
    assert "zlib1g-dev" in done.stderr and f"-> {NEWER}" in done.stderr and "--update" in done.stderr


def test_a_release_is_refused_where_the_archive_cannot_be_asked(packages, tmp_path):
    done, linked = listed(packages, tmp_path, update_status=100)
    assert done.returncode == 1 and linked is None and "TOPSCTL_LIBRARY_UPDATES=record" in done.stderr


def test_without_the_archive_it_warns_and_records(packages, tmp_path):
    done, linked = listed(packages, tmp_path, updates="record", candidate=NEWER)
    assert done.returncode == 0 and "warning: " in done.stderr and not (tmp_path / "asked").exists()
    assert linked["archive"] == "not asked"
    assert [entry["package"] for entry in linked["packages"] if entry["offered"] == NEWER] == ["zlib1g-dev"]


def test_what_the_linker_took_besides_is_found(packages, tmp_path):
    listed(packages, tmp_path)
    library = subprocess.run(["c++", "-print-file-name=libz.a"], capture_output=True, text=True, check=True).stdout.strip()
    other = library.replace("libz.a", "libbz2.a")
    for names, status in (((library,), 0), ((library, other), 1), ((), 1)):
        (tmp_path / "map").write_text("".join(f"{name}(x.o)\n    y.o (f)\n" for name in names) + "Memory Configuration\n")
        done = packages("prove", "--map", tmp_path / "map", "--list", tmp_path / "linked.json")
        assert done.returncode == status, done.stderr
        assert ("libbz2.a" in done.stderr) == (other in names)


def test_the_bill_of_materials_is_valid(packages, tmp_path, repository):
    listed(packages, tmp_path)
    (tmp_path / "binary").write_bytes(b"x")
    argv = ["sbom", "--list", tmp_path / "linked.json", "--binary", tmp_path / "binary", "--version", "0.1.0", "--output"]
    for name in ("one", "two"):
        assert packages(*argv, tmp_path / name).returncode == 0
    bill = json.loads((tmp_path / "one").read_text())
    schema = json.loads((repository / "tests/data/schemas/cyclonedx-1.5.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(bill)
    assert cyclonedx_faults(bill) == [] and {"libssl-dev", "libc6-dev", "libfmt-dev"} <= {each["name"] for each in bill["components"]}
    assert (tmp_path / "one").read_text() == (tmp_path / "two").read_text()


def test_the_document_says_what_was_linked(packages, tmp_path):
    _, linked = listed(packages, tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# Libraries\n\n| library | x |\n|---|---|\n| old | 1 |\n\nMore.\n")
    argv = ("document", "--list", tmp_path / "linked.json", page)
    assert packages(*argv, "--check").returncode == 1
    assert packages(*argv).returncode == 0 and packages(*argv, "--check").returncode == 0
    text = page.read_text()
    assert "| old |" not in text and text.endswith("\n\nMore.\n")
    assert all(f"{entry['source']} {entry['source_version']}" in text for entry in linked["packages"])
