"""The scripts of the project pass shellcheck, and each says what it is for and can be run."""

import os
import subprocess

from support.programs import needed

FOLDERS = (".ci", "packaging", "packaging/debian", "packaging/slurm", "tests", "tests/hosts", "tests/fuzz")
SHELLS = (b"#!/bin/bash", b"#!/bin/sh", b"#!/usr/bin/env bash")


def scripts(repository):
    """Every file of these folders that a shell runs."""
    found = []
    for folder in FOLDERS:
        for path in sorted((repository / folder).glob("*")):
            if path.is_file() and path.read_bytes().startswith(SHELLS):
                found.append(path)
    return found


def test_shellcheck_accepts_every_script(repository):
    needed("shellcheck")
    found = scripts(repository)
    assert {".ci/run", "packaging/slurm/upgrade-nodes", "tests/run"} <= {path.relative_to(repository).as_posix() for path in found}
    done = subprocess.run(["shellcheck", "--external-sources", *found], capture_output=True, text=True, cwd=repository,
                          check=False)
    assert done.returncode == 0, done.stdout


def test_every_script_is_executable(repository):
    assert [path.name for path in scripts(repository) if not os.access(path, os.X_OK)] == []


def test_continuous_integration_only_runs_the_tests(repository):
    lines = (repository / ".ci" / "run").read_text().splitlines()
    commands = [line for line in lines if line.strip() and not line.startswith("#")]
    # What goes before names a kernel for the tests.
    assert "tests/run" in commands[-1] and all("kernel" in line or line == "done" for line in commands[:-1])
