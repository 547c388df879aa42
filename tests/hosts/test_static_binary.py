"""The static binary runs on a host whose C library is older than the one it was built with, and loads nothing of it."""

import hashlib
import json
import re
import subprocess

HARDENING = ("-fPIE", "-fstack-protector-strong", "-fstack-clash-protection", "-D_FORTIFY_SOURCE=2", "-D_GLIBCXX_ASSERTIONS", "-O[2s]")


def test_the_binary_asks_for_no_interpreter_and_no_library(topsctl_release):
    headers = subprocess.run(["readelf", "--program-headers", "--dynamic", topsctl_release], capture_output=True,
                             text=True, check=True).stdout
    assert "INTERP" not in headers and "NEEDED" not in headers


def test_its_code_lies_anywhere_and_its_tables_are_read_only(topsctl_release):
    said = subprocess.run(["readelf", "--file-header", "--program-headers", "--dynamic", "--wide", topsctl_release],
                          capture_output=True, text=True, check=True).stdout
    assert "DYN (Position-Independent Executable file)" in said and re.search(r"FLAGS_1\).* NOW PIE", said)
    assert "GNU_RELRO" in said and "BIND_NOW" in said and "TEXTREL" not in said
    assert re.search(r"GNU_STACK.* RW +0x", said) and not re.search(r"LOAD.* RWE ", said)


def test_all_of_it_is_compiled_with_checks(topsctl_release):
    commands = json.loads((topsctl_release.parent / "compile_commands.json").read_text())
    lacking = [(entry["file"], flag) for entry in commands for flag in HARDENING if not re.search(flag, entry["command"])]
    assert commands and lacking == []


def test_its_bill_of_materials_and_the_document_are_of_it(topsctl_release, repository, tmp_path):
    bill = json.loads((topsctl_release.parent / "topsctl.cdx.json").read_text())
    digest = hashlib.sha256(topsctl_release.read_bytes()).hexdigest()
    assert bill["metadata"]["component"]["hashes"] == [{"alg": "SHA-256", "content": digest}]
    told = json.loads(subprocess.run([topsctl_release, "version", "--json"], capture_output=True, text=True, check=True).stdout)
    assert {each["name"] for each in bill["components"]} == {each["package"].split("/")[0] for each in told["linked"]["packages"]}
    # Versions are those of the machine that a release is built on: packaging/linked-packages document --check tells there.
    page = tmp_path / "third-party.md"
    page.write_text((repository / "docs/third-party.md").read_text())
    subprocess.run([repository / "packaging/linked-packages", "document", "--list", topsctl_release.parent / "src/linked.json",
                    page], check=True)
    written, made = (re.sub(r"(?m)^(\| [^|]+\| \S+) [^|]+", r"\1 ", path.read_text())
                     for path in (repository / "docs/third-party.md", page))
    assert written == made and written.count("\n| ") > 10


def test_it_runs_where_the_c_library_is_older(topsctl_host):
    here = subprocess.run(["ldd", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    there = topsctl_host.run(["ldd", "--version"], check=True).stdout.splitlines()[0]
    done = topsctl_host.run(["topsctl", "version", "--json"])
    assert done.returncode == 0, f"built on '{here}', run on '{there}': {done.stderr}"
    assert json.loads(done.stdout)["command"] == "version"


def test_it_maps_nothing_but_itself(topsctl_host):
    """What name look-ups would load is also looked for in a root where there is nothing to load."""
    bare = topsctl_host.path("/srv/bare")
    (bare / "etc").mkdir(parents=True)
    topsctl_host.copy_in(topsctl_host.path("/usr/local/bin/topsctl"), "/srv/bare/topsctl")
    done = topsctl_host.run(["chroot", "/srv/bare", "/topsctl", "version"])
    assert done.returncode == 0, done.stderr


def test_xz_is_decoded_by_the_faster_library(topsctl_release):
    """Where packaging/install-packages could not get it, topsctl works as well and is a third slower."""
    done = subprocess.run([topsctl_release, "version", "--json"], capture_output=True, text=True, check=True)
    version = json.loads(done.stdout)["libraries"]["liblzma"]
    assert [int(part) for part in version.split(".")[:2]] >= [5, 6], \
        "run `packaging/install-packages packaging/build-packages` and configure again"
