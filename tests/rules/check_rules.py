#!/usr/bin/python3
"""Checks the source tree against the rules of the house and prints each violation as `file:line: rule: what`."""

import functools
import json
import os
import re
import sys
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOMS = ("base", "model", "host", "engine", "cli")
SUB_ROOMS = {  # a file includes its own sub-room and those before it
    "host": ("system", "filesystem", "observation", "trust", "archive", "content", "debian", "python", "bundle", "facts", "network"),
    "engine": ("inspection", "reporting", "compatibility", "planning", "transaction", "observation", "checks", "diagnosis", "launch",
               "execution", "operations", "status", "remote", "cluster", "transfer"),
}
THIRD_PARTY = {  # beginning of an #include -> the rooms, or the files, that may have it
    "CLI/": ("src/cli/command_line.cpp",),
    "archive.h": ("host",), "archive_entry.h": ("host",), "libssh/": ("host",), "openssl/": ("host",),
    "re2/": ("host",),
    "spdlog/": ("base",), "fmt/": ("base",),
    "nlohmann/": ("model", "host", "engine", "cli"),
    "gtest/": (), "gmock/": (),
}
CALLS = {  # call -> the only files of src that may make it
    "exit": (), "quick_exit": (), "system": (), "popen": (),
    "_exit": ("src/host/system/process.cpp", "src/host/system/supervisor.cpp", "src/host/system/detached_run.cpp", "src/host/network/local_remote.cpp"), "_Exit": (),
    "chdir": ("src/host/system/process.cpp", "src/host/system/detached_run.cpp"), "fchdir": ("src/host/system/enclosure.cpp",), "chroot": ("src/host/system/process.cpp", "src/host/system/enclosure.cpp"),
    "getenv": ("src/host/system/host.cpp",), "secure_getenv": ("src/host/system/host.cpp",),
}
STREAMS = ("src/cli/app.cpp", "src/cli/render.cpp", "src/cli/progress.cpp", "src/cli/event_lines.cpp")
HOME_FACTS = ("/root/.topsrider_env", "/root/.bashrc", "/root/.profile")  # files of a T20 host, not of a developer

LONGEST_FILE = 400
SOURCE_FOLDERS = ("src", "include", "tests", "packaging", ".ci")
SOURCE_SUFFIXES = (".cpp", ".hpp", ".c", ".h", ".py", ".sh")
CPP_SUFFIXES = (".cpp", ".hpp", ".c", ".h")
SKIPPED_FOLDERS = {".git", "build", "__pycache__", ".pytest_cache"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', re.MULTILINE)
CALL = re.compile(r"(?<![\w.>:])(?:std::|::)?(" + "|".join(CALLS) + r")\s*\(")
STREAM = re.compile(r"(?<!\w)(std::(?:cout|cerr|clog)\b|(?:std::|(?<![\w.>:]))(?:printf|puts|putchar)\s*\()")
# What these write is read by shells and loaders: a catalogue must never change it.
CODE_WRITERS = ("src/model/environment.cpp", "src/model/environment_formats.cpp")
# concat() with a literal of two words; not scripts for a shell, nor HTML.
GLUED = re.compile(r'\bconcat\((?:[^()"]|"[^"\n]*"|\([^()]*\))*?("(?![^"]*[\\;<$])[^"\n]*[A-Za-z]{2,} [A-Za-z]{2,}[^"\n]*")')
COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
PRIVATE_PATH = re.compile(r"(?:^|[\s\"'`=(:,\[<>])(/(?:home|Users)/[\w.-]+/|/root/[\w.-]*)", re.MULTILINE)
COMMENT_MARK = re.compile(r"//+|/\*+|\*+/|^[ \t]*\*", re.MULTILINE)
CODE = re.compile(r"\S")
UNDATED = re.compile(r"(?://|#|/\*|\*)\s*(TODO|FIXME|XXX)\b(?!.*\b20\d\d-\d\d-\d\d\b)")
# Words that make a comment hard to read; whole words, also over a line end.
HEAVY_WORDS = ("whoever", "whatever", "nobody", "somebody", "newcomers?", "of which", "comes to no end", "in the row",
               "own work", "told", "tells", "looks at", "for ever", "one's own", "is none")
HEAVY = re.compile(r"\b(?:" + "|".join(word.replace(" ", r"\s+") for word in HEAVY_WORDS) + r")\b", re.IGNORECASE)
FIRST_LINE = re.compile(r'^(?://+|#+|/\*+|[rR]?""")\s*(\S.*)$')


class Violation(NamedTuple):
    rule: str
    file: str
    line: int
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.rule}: {self.text}"


class File:
    """One text file of the tree: its path from the top with '/', and its text."""

    def __init__(self, name, text, is_executable=False):
        self.name = name
        self.text = text
        self.suffix = PurePosixPath(name).suffix
        self.is_executable = is_executable

    @functools.cached_property
    def includes(self):
        """Header and line of each #include."""
        return [(match.group(1), self.line_of(match.start())) for match in INCLUDE.finditer(self.text)]

    @property
    def top(self):
        return self.name.split("/")[0]

    @property
    def is_source(self):
        is_script = not self.suffix and (self.is_executable or self.text.startswith("#!"))
        return self.top in SOURCE_FOLDERS and (self.suffix in SOURCE_SUFFIXES or is_script)

    @property
    def is_production_cpp(self):
        return self.top in ("src", "include") and self.suffix in CPP_SUFFIXES

    @property
    def room(self):
        """The room a production file is in; None for src/main.cpp and for what is in no room."""
        match = re.match(r"(?:src|include/topsctl)/([^/]+)/", self.name)
        return match.group(1) if match and match.group(1) in ROOMS else None

    @property
    def unit(self):
        """`host/archive/zip` for its header and its source; None for what is in no room."""
        match = re.fullmatch(r"(?:src|include/topsctl)/(.+)\.(?:cpp|hpp|c|h)", self.name)
        return match.group(1) if match and self.room else None

    def line_of(self, position):
        return self.text.count("\n", 0, position) + 1


def files_of(tree):
    found = []
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder) / name
            try:
                if path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 20:
                    found.append(File(path.relative_to(tree).as_posix(), path.read_text(encoding="utf-8"),
                                      os.access(path, os.X_OK)))
            except (UnicodeDecodeError, FileNotFoundError):
                pass  # not a text, or gone while we looked
    return found


def place(unit):
    """Where a unit stands in the order: its room, then its sub-room. A name that is in no sub-room has no place."""
    room, *rest = unit.split("/")
    if room not in ROOMS:
        return None
    if room not in SUB_ROOMS:
        return (ROOMS.index(room), 0)
    if len(rest) != 2 or rest[0] not in SUB_ROOMS[room]:
        return None
    return (ROOMS.index(room), SUB_ROOMS[room].index(rest[0]))


def included_unit(header):
    """The unit of a header of ours: `topsctl/...` from include/, `ROOM/...` from src/; None for any other."""
    match = re.fullmatch(r"(?:topsctl/)?((?:" + "|".join(ROOMS) + r")/.+)\.hpp", header)
    return match.group(1) if match else None


def sub_rooms(file):
    """A file lies in a sub-room, and includes its own and those before it; a private header stays in its own."""
    if not file.is_production_cpp or not file.unit:
        return
    own = place(file.unit)
    if own is None:
        yield Violation("sub-room", file.name, 1, f"'{file.unit}' is in no sub-room of {file.room}")
        return
    for header, line in file.includes:
        unit = included_unit(header)
        other = place(unit) if unit else None
        if other is None:
            continue
        if other[0] == own[0] and other[1] > own[1]:
            yield Violation("upward-include", file.name, line, f"'{file.unit}' must not include '{header}'")
        if not header.startswith("topsctl/") and other != own:
            yield Violation("private-include", file.name, line, f"'{header}' is for its own sub-room only")


def headers(files):
    """A header that no other sub-room includes stands beside its source."""
    named = {file.unit: file for file in files if file.unit and file.suffix == ".hpp"}
    users = {unit: set() for unit in named}
    for file in files:
        if not file.is_production_cpp:
            continue
        for header, _ in file.includes:
            users.get(included_unit(header), set()).add(file)
    private = {unit for unit, file in named.items() if file.room not in ("base", "model")}
    while True:
        public = {unit for unit in private
                  if any(not user.unit or place(user.unit) != place(unit) or
                         (user.suffix == ".hpp" and user.unit not in private) for user in users[unit])}
        if not public:
            break
        private -= public
    for unit, file in named.items():
        if unit in private and file.top == "include":
            yield Violation("private-header", file.name, 1, "only its own sub-room includes it: it belongs into src")
        if unit not in private and file.top == "src":
            yield Violation("public-header", file.name, 1, "others include it: it belongs into include")


def circles(files):
    """Units of different sub-rooms never include one another in a circle."""
    edges = {}
    where = {}
    for file in files:
        if not file.is_production_cpp or not file.unit:
            continue
        for header, line in file.includes:
            unit = included_unit(header)
            if unit and unit != file.unit:
                edges.setdefault(file.unit, set()).add(unit)
                where.setdefault((file.unit, unit), (file, line))
    for (unit, other), (file, line) in where.items():
        if place(unit) != place(other) and unit in _reached(edges, other):
            yield Violation("circle", file.name, line, f"'{other}' leads back to '{unit}'")


def _reached(edges, start):
    seen, todo = set(), [start]
    while todo:
        for unit in edges.get(todo.pop(), ()):
            if unit not in seen:
                seen.add(unit)
                todo.append(unit)
    return seen


def includes(file):
    """A room includes itself and the rooms below; a third-party header stays in its room."""
    if not file.is_production_cpp:
        return
    floor = ROOMS.index(file.room) if file.room else len(ROOMS) - 1
    for header, line in file.includes:
        if header.startswith("topsctl/") or included_unit(header):
            room = header.removeprefix("topsctl/").split("/")[0]
            if room not in ROOMS:
                yield Violation("upward-include", file.name, line, f"'{header}' is in no room")
            elif ROOMS.index(room) > floor:
                yield Violation("upward-include", file.name, line, f"{file.room} must not include '{header}'")
        for beginning, places in THIRD_PARTY.items():
            if header.startswith(beginning) and file.room not in places and file.name not in places:
                yield Violation("third-party-include", file.name, line,
                                f"'{header}' belongs in {' or '.join(places) or 'tests'} only")


def calls(file):
    """What ends, changes or reads the whole process is done in one file each."""
    if not file.is_production_cpp:
        return
    code = COMMENT_OR_STRING.sub(lambda match: "\n" * match.group(0).count("\n") or " ", file.text)
    for match in CALL.finditer(code):
        if file.name not in CALLS[match.group(1)]:
            yield Violation("forbidden-call", file.name, code.count("\n", 0, match.start(1)) + 1,
                            f"{match.group(1)}( {_only_in(CALLS[match.group(1)])}")
    for match in STREAM.finditer(code):
        if file.name not in STREAMS:
            yield Violation("standard-stream", file.name, code.count("\n", 0, match.start(1)) + 1,
                            f"{match.group(1)} {_only_in(STREAMS)}")


def _only_in(places):
    return f"is for {', '.join(places)} only" if places else "is not used"


def sentences(file):
    """What a user reads is one sentence of format(), never glued from fragments."""
    if not file.is_production_cpp or not file.name.startswith("src/") or file.name in CODE_WRITERS:
        return
    for match in GLUED.finditer(file.text):
        if "echo " not in match.group(0):
            yield Violation("glued-sentence", file.name, file.line_of(match.start()), f"{match.group(1)} is for format()")


def length(file):
    lines = len(file.text.splitlines())
    if file.is_source and lines > LONGEST_FILE:
        yield Violation("long-file", file.name, LONGEST_FILE + 1, f"{lines} lines, at most {LONGEST_FILE}")


def first_line(file):
    """The first line, after a shebang or #pragma once, says in a sentence what the file owns."""
    if not file.is_source:
        return
    lines = file.text.splitlines() or [""]
    number = 1 if lines[0].startswith(("#!", "#pragma once")) and len(lines) > 1 else 0
    match = FIRST_LINE.match(lines[number])
    if not match or len(match.group(1).split()) < 3:
        yield Violation("first-line", file.name, number + 1, "must be a comment that says what the file owns")


def private_paths(file):
    for match in PRIVATE_PATH.finditer(file.text):
        if not match.group(1).startswith(HOME_FACTS):
            yield Violation("private-path", file.name, file.line_of(match.start(1)),
                            f"'{match.group(1)}' is a place on somebody's machine")


def plain_comments(file):
    """A comment of C++ uses the plain words of the field; a phrase may go on in the next line of the comment."""
    if not file.is_production_cpp:
        return
    for match in HEAVY.finditer(_comments_of(file.text)):
        yield Violation("heavy-word", file.name, file.line_of(match.start()), f"'{' '.join(match.group(0).split())}'")


def _comments_of(text):
    """The text with its comments and line ends in place: the marks of comments are blanks, code is NULs."""
    kept, end = [], 0
    for match in COMMENT_OR_STRING.finditer(text):
        kept.append(CODE.sub("\0", text[end:match.start()]))
        is_comment = match.group(0).startswith(("//", "/*"))
        kept.append(COMMENT_MARK.sub(lambda mark: " " * len(mark.group(0)), match.group(0)) if is_comment
                    else CODE.sub("\0", match.group(0)))
        end = match.end()
    return "".join(kept) + CODE.sub("\0", text[end:])


def undated(file):
    if not file.is_source:
        return
    for number, line in enumerate(file.text.splitlines(), 1):
        match = UNDATED.search(line)
        if match:
            yield Violation("undated-todo", file.name, number, f"{match.group(1)} without a date (2026-12-31)")


def commands(files):
    """Each command has its page and a story that uses it."""
    names = {file.name for file in files}
    for file in files:
        match = re.fullmatch(r"src/cli/commands/([^/]+)\.cpp", file.name)
        if not match:
            continue
        command = match.group(1)
        if f"docs/commands/{command}.md" not in names:
            yield Violation("command-page", file.name, 1, f"there is no docs/commands/{command}.md")
        if not any(_tells_of(command, other) for other in files):
            yield Violation("command-story", file.name, 1, f"no scenario and no host test runs '{command}'")


def _tells_of(command, file):
    """Is this a scenario that runs the command, or a host test that names it as an argument?"""
    if re.fullmatch(r"tests/scenarios/[^/]+/scenario\.json", file.name):
        story = json.loads(file.text)
        return any(command in step.get("argv", []) for step in [story, *story.get("steps", [])])
    return f'"{command}"' in file.text and re.fullmatch(r"tests/(hosts|faults)/(.+/)?test_[^/]+\.py", file.name)


def violations(tree):
    """All violations in a tree, in order of file and line."""
    files = files_of(Path(tree))
    return violations_in(files, files)


def violations_in(files, looked_at):
    """What the tree as a whole breaks, and each of the files that are looked at."""
    found = [*commands(files), *headers(files), *circles(files)]
    for file in looked_at:
        for rule in (includes, sub_rooms, sentences, calls, length, first_line, private_paths, undated,
                     plain_comments):
            found += rule(file)
    return sorted(found, key=lambda violation: (violation.file, violation.line, violation.rule))


def main():
    tree = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    found = violations(tree)
    for violation in found:
        print(violation)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
