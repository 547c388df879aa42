#!/usr/bin/env python3
# The command line of the sample bundle generator: reads arguments, builds one bundle, prints its directory.
"""Build a bundle laid out like an Enflame TopsRider T20 bundle, made of test doubles only.

Nothing in the result is Enflame software. The same arguments give byte-identical files.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from sample_bundle import layout  # noqa: E402
from sample_bundle.options import (  # noqa: E402
    COMPRESSIONS, DEFAULT_SCALE, FAULTS, GENERATIONS, PERSONALITIES, Options, python_minors)


def argument_parser():
    faults = "\n".join("  {:22} {}".format(name, text) for name, text in FAULTS.items())
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="faults:\n" + faults,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out_dir", metavar="OUT_DIR", type=Path)
    parser.add_argument("--generation", choices=list(GENERATIONS), default="2.5.136")
    parser.add_argument("--python", metavar="3.9[,3.11...]", type=python_minors, default=(),
                        help="also build a torch_gcu wheel for each of these Python minors")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--scale", metavar="FRACTION", type=float, default=DEFAULT_SCALE,
                      help="file sizes as a fraction of the real ones (default %(default)s)")
    size.add_argument("--full", action="store_true", help="real file sizes, about 0.75 GB")
    parser.add_argument("--personality", choices=PERSONALITIES,
                        help="the API the torch_gcu double offers (default: that of the generation)")
    parser.add_argument("--fault", metavar="NAME", action="append", choices=list(FAULTS),
                        default=[], help="build this fault in; may be repeated")
    parser.add_argument("--compression", choices=COMPRESSIONS,
                        help="of the members of the debs (default gzip; xz with --full)")
    parser.add_argument("--only-needed", action="store_true",
                        help="only the three debs and the torch_gcu wheels")
    parser.add_argument("--force", action="store_true", help="replace an existing bundle")
    return parser


def options_from(arguments, parser):
    if not 0 < arguments.scale <= 1:
        parser.error("--scale must be above 0 and at most 1")
    return Options(
        generation=GENERATIONS[arguments.generation],
        pythons=arguments.python,
        scale=1.0 if arguments.full else arguments.scale,
        personality=arguments.personality or GENERATIONS[arguments.generation].personality,
        faults=frozenset(arguments.fault),
        compression=arguments.compression or ("xz" if arguments.full else "gzip"),
        only_needed=arguments.only_needed)


def main(argv=None):
    parser = argument_parser()
    arguments = parser.parse_args(argv)
    options = options_from(arguments, parser)
    target = arguments.out_dir / options.generation.bundle_name
    if target.exists() and not arguments.force:
        parser.exit(1, "error: '{}' exists already, remove it or pass --force\n".format(target))
    arguments.out_dir.mkdir(parents=True, exist_ok=True)
    os.umask(0o022)
    # Built next to its final place and renamed, so that a failed run leaves no half bundle behind.
    with tempfile.TemporaryDirectory(prefix=".building-", dir=str(arguments.out_dir)) as scratch:
        bundle = Path(scratch) / options.generation.bundle_name
        layout.build(options, bundle, Path(scratch) / "work")
        if target.exists():
            shutil.rmtree(str(target))
        os.rename(str(bundle), str(target))
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
