"""What one case of the corpus is: how it is built, and the verdict expected of topsctl inspect."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

CASES = {}


@dataclass(frozen=True)
class Expectation:
    """The verdict of one case.

    `ids` are all findings of severity warning and above, no more and no less but those of `may`. An entry of `ids` is
    one id, a pattern with `*`, or several with `|` between them of which one must be there. `info` are findings of
    severity info that must be there, `absent` findings of any severity that must not.
    """
    ids: tuple = ()
    info: tuple = ()
    may: tuple = ()
    absent: tuple = ()
    exit: tuple = (0,)
    problem_contains: str = None
    against: str = None  # name of a snapshot, see snapshots.py
    packages: tuple = None  # (name, version) of each package shown; None: not looked at
    evidence: tuple = ()  # texts that the evidence of the findings holds, each in one place at least
    options: tuple = ("--deep",)
    bounded: bool = False  # peak memory is measured


@dataclass(frozen=True)
class Case:
    name: str
    build: object
    expectation: Expectation


def case(name, ids=(), exit=0, **more):
    """Registers the function below as the builder of one case; it is given a Workshop."""
    def register(build):
        assert name not in CASES, f"two cases are called '{name}'"
        exits = exit if isinstance(exit, tuple) else (exit,)
        CASES[name] = Case(name, build, Expectation(tuple(ids), exit=exits, **more))
        return build
    return register


def write(one, folder, workshop_of):
    """Builds a case as `folder`/NAME/ and writes NAME.expect.json beside it."""
    place = Path(folder) / one.name
    place.mkdir(parents=True)
    one.build(workshop_of(place))
    files = sorted(place.iterdir())
    assert files, f"case '{one.name}' built nothing"
    # A single file is named itself, as a user would do.
    given = files[0] if len(files) == 1 and not files[0].is_symlink() else place
    text = json.dumps({"path": given.relative_to(folder).as_posix(), **asdict(one.expectation)}, indent=2)
    (Path(folder) / f"{one.name}.expect.json").write_text(text + "\n")
    return given
