#!/usr/bin/python3
# The command line of the corpus: builds all cases, or those named, each with its expectation beside it.
"""Build crafted packages and bundles, sound and hostile, with the verdict that topsctl inspect must give on each."""

import argparse
import fnmatch
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.corpus.cases import CASES  # noqa: E402
from support.corpus.case import write  # noqa: E402
from support.corpus.native import Native  # noqa: E402
from support.corpus.workshop import Workshop  # noqa: E402


def make_corpus(folder, names):
    """Builds the named cases below `folder`."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as scratch:
        native = Native(Path(scratch) / "native")
        for name in names:
            write(CASES[name], folder, lambda place: Workshop(place, scratch, native))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", metavar="OUT_DIR", type=Path, help="made if need be")
    parser.add_argument("names", metavar="PATTERN", nargs="*", default=["*"], help="cases to build, as a shell matches")
    parser.add_argument("--list", action="store_true", help="only print what is expected of each; OUT_DIR may be '-'")
    parser.add_argument("--force", action="store_true", help="replace cases that are there")
    arguments = parser.parse_args()
    names = [name for name in CASES if any(fnmatch.fnmatch(name, pattern) for pattern in arguments.names)]
    if not names:
        parser.error("no case has such a name; see --list")
    for name in names:
        expected = CASES[name].expectation
        if arguments.list:
            print(f"{name}: exit {'|'.join(map(str, expected.exit))} {' '.join(expected.ids)}")
        elif arguments.force:
            shutil.rmtree(arguments.out / name, ignore_errors=True)
    if not arguments.list:
        make_corpus(arguments.out, names)
        print(f"{len(names)} cases in {arguments.out}")


if __name__ == "__main__":
    main()
