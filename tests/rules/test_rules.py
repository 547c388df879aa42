"""The tree keeps the rules of the house, and a planted violation of each is reported by rule, file and line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rules.check_rules import HEAVY_WORDS, ROOMS, SUB_ROOMS, File, files_of, violations, violations_in

CHECKER = Path(__file__).with_name("check_rules.py")
HEADER = "// A planted file for the rule test.\n"
HOME = "/ho" + "me/somebody/"  # in two parts, for this file is checked too
ROOT = "/ro" + "ot/place/"
TODO = "TO" + "DO"

PLANTED = [  # rule, file, text, line
    ("glued-sentence", "src/host/archive/planted.cpp", HEADER + 'auto f = concat("cannot read ", in_quotes(x));\n', 2),
    ("upward-include", "src/host/archive/planted.cpp", HEADER + '#include "topsctl/host/debian/deb.hpp"\n', 2),
    ("upward-include", "src/engine/planning/planted.cpp",
     HEADER + '#include "topsctl/engine/execution/executor.hpp"\n', 2),
    ("upward-include", "include/topsctl/engine/inspection/planted.hpp",
     HEADER + '#include "topsctl/engine/transfer/upload.hpp"\n', 2),
    ("private-include", "src/host/network/planted.cpp", HEADER + '#include "host/archive/zip_bytes.hpp"\n', 2),
    ("private-include", "src/engine/transfer/planted.cpp", HEADER + '#include "host/archive/zip_bytes.hpp"\n', 2),
    ("sub-room", "src/host/planted.cpp", HEADER, 1),
    ("sub-room", "src/engine/attic/planted.cpp", HEADER, 1),
    ("circle", "include/topsctl/host/system/host.hpp", HEADER + '#include "topsctl/host/facts/facts.hpp"\n', 2),
    ("private-header", "include/topsctl/host/archive/planted.hpp", HEADER, 1),
    ("private-header", "include/topsctl/cli/planted.hpp", HEADER, 1),
    ("upward-include", "src/base/planted.cpp", HEADER + '#include "topsctl/model/plan.hpp"\n', 2),
    ("upward-include", "src/model/planted.cpp", HEADER + '\n#include "topsctl/host/system/host.hpp"\n', 3),
    ("upward-include", "src/host/network/planted.cpp", HEADER + '#include "topsctl/engine/planning/planner.hpp"\n', 2),
    ("upward-include", "src/engine/transfer/planted.cpp", HEADER + '#include "topsctl/cli/app.hpp"\n', 2),
    ("upward-include", "include/topsctl/host/network/planted.hpp", HEADER + '#include "topsctl/cli/app.hpp"\n', 2),
    ("upward-include", "src/cli/planted.cpp", HEADER + '#include "topsctl/attic/app.hpp"\n', 2),
    ("third-party-include", "src/engine/transfer/planted.cpp", HEADER + "#include <CLI/CLI.hpp>\n", 2),
    ("third-party-include", "src/cli/commands/planted.cpp", HEADER + "#include <CLI/App.hpp>\n", 2),
    ("third-party-include", "src/engine/transfer/planted.cpp", HEADER + "#include <archive.h>\n", 2),
    ("third-party-include", "src/cli/planted.cpp", HEADER + "#include <archive_entry.h>\n", 2),
    ("third-party-include", "include/topsctl/engine/transfer/planted.hpp", HEADER + "#include <libssh/libssh.h>\n", 2),
    ("third-party-include", "src/base/planted.cpp", HEADER + "#include <openssl/evp.h>\n", 2),
    ("third-party-include", "src/engine/transfer/planted.cpp", HEADER + "#include <re2/re2.h>\n", 2),
    ("third-party-include", "src/host/network/planted.cpp", HEADER + "#  include <spdlog/spdlog.h>\n", 2),
    ("third-party-include", "src/cli/planted.cpp", HEADER + "#include <fmt/format.h>\n", 2),
    ("third-party-include", "src/base/planted.cpp", HEADER + "#include <nlohmann/json.hpp>\n", 2),
    ("third-party-include", "src/cli/planted.cpp", HEADER + "#include <gtest/gtest.h>\n", 2),
    ("long-file", "src/base/planted.cpp", HEADER + "\n" * 400, 401),
    ("long-file", "tests/support/planted.py", "# A planted file for the rule test.\n" + "\n" * 400, 401),
    ("long-file", "packaging/planted", "#!/bin/bash\n# A planted file for the rule test.\n" + "\n" * 400, 401),
    ("first-line", "src/base/planted.cpp", "#include <string>\n", 1),
    ("first-line", "include/topsctl/base/planted.hpp", "#pragma once\n\nint planted();\n", 2),
    ("first-line", "tests/unit/planted.cpp", "// Planted.\n", 1),
    ("first-line", "packaging/planted", "#!/bin/bash\nset -e\n", 2),
    ("forbidden-call", "src/engine/transfer/planted.cpp", HEADER + "void f() { std::exit(1); }\n", 2),
    ("forbidden-call", "src/engine/transfer/planted.cpp", HEADER + "void f() { system(x); }\n", 2),
    ("forbidden-call", "src/engine/transfer/planted.cpp", HEADER + "auto f = ::getenv (x);\n", 2),
    ("forbidden-call", "src/host/network/planted.cpp", HEADER + "/* one\ntwo */ int f = chdir(x);\n", 3),
    ("forbidden-call", "src/host/network/planted.cpp", HEADER + "int f = chroot(x);\n", 2),
    ("forbidden-call", "src/host/network/planted.cpp", HEADER + "void f() { _exit(1); }\n", 2),
    ("standard-stream", "src/engine/transfer/planted.cpp", HEADER + "void f() { std::cout << 1; }\n", 2),
    ("standard-stream", "src/engine/transfer/planted.cpp", HEADER + "void f() { std::cerr << 1; }\n", 2),
    ("standard-stream", "src/engine/transfer/planted.cpp", HEADER + "void f() { printf(x); }\n", 2),
    ("private-path", "docs/planted.md", f"see\n{HOME}notes\n", 2),
    ("private-path", "tests/support/planted.py", f'# A planted file for the rule test.\nX = "{ROOT}x"\n', 2),
    ("undated-todo", "src/base/planted.cpp", HEADER + f"// {TODO}: later\n", 2),
    ("undated-todo", "packaging/planted", f"#!/bin/bash\n# A planted file for the rule test.\n# {TODO} later\n", 3),
    ("heavy-word", "src/base/planted.cpp", HEADER + "\nint f();  // told by Nobody\n", 3),
    ("heavy-word", "src/base/planted.cpp", "// A planted file, each of\n// which is for the rule test.\n", 1),
    ("heavy-word", "include/topsctl/base/planted.hpp", HEADER + "/* one\n * that looks at another */\n", 3),
    ("command-page", "src/cli/commands/planted.cpp", HEADER, 1),
    ("command-story", "src/cli/commands/untold.cpp", HEADER, 1),
]

ALLOWED = [  # file, text: looks like a violation and is none
    ("src/host/archive/planted.cpp", HEADER + 'auto f = format("cannot read {}", x) + concat("/a b", x, "; echo it is");\n'),
    ("src/cli/commands/planted.cpp", HEADER + "".join(f'#include "topsctl/{room}/x.hpp"\n' for room in ROOMS)),
    ("src/main.cpp", HEADER + '#include "topsctl/cli/app.hpp"\n'),
    ("src/cli/command_line.cpp", HEADER + "#include <CLI/CLI.hpp>\n#include <nlohmann/json.hpp>\n"),
    ("src/host/network/planted.cpp", HEADER + "#include <archive.h>\n#include <libssh/libssh.h>\n"),
    ("src/engine/transfer/planted.cpp", HEADER + '// system("x"), exit(1)\nauto f = "getenv(x)";\n'),
    ("src/engine/transfer/planted.cpp", HEADER + "auto g = at_exit(1) + h.exit(2) + h->exit(3);\n"),
    ("src/engine/transfer/planted.cpp", HEADER + 'auto f = R"(std::cout << exit(1);\n)"; int g = host::system(1);\n'),
    ("src/base/planted.cpp", HEADER + "\n" * 399),
    ("src/base/planted.cpp", HEADER + f"// {TODO} 2026-12-31: in docs/decisions.md\n"),
    ("src/base/planted.cpp", HEADER + 'auto f = "nobody // whatever"; int told = is_none;  // untold\n'),
    ("src/base/planted.cpp", HEADER + "int f();  // it is\nint none();  // none of\nint g();  // which\n"),
    ("docs/planted.md", "`/root/.topsrider_env` and $DIR/root/etc, /home and ~/home/x/\n"),
    ("packaging/planted", "#!/bin/bash\n# A planted file for the rule test.\n"),
]


@pytest.fixture(scope="module")
def tree(repository):
    return {file.name: file for file in files_of(repository)}


def with_planted(tree, *planted):
    """The violations of the tree with these files, (name, text), planted in it."""
    files = [File(name, text, text.startswith("#!")) for name, text in planted]
    return violations_in([*(tree | {file.name: file for file in files}).values()], files)


def test_the_tree_keeps_the_rules(repository):
    found = violations(repository)
    assert not found, "\n" + "\n".join(map(str, found))


@pytest.mark.parametrize("rule, name, text, line", PLANTED, ids=[f"{row[0]}-{row[1]}" for row in PLANTED])
def test_a_planted_violation_is_reported(tree, rule, name, text, line):
    assert (rule, name, line) in [violation[:3] for violation in with_planted(tree, (name, text))]


def test_a_private_header_that_another_sub_room_includes_is_reported(tree):
    user = HEADER + '#include "host/archive/planted.hpp"\n'
    planted = [("src/host/archive/planted.hpp", HEADER), ("src/host/archive/user.cpp", user)]
    assert {"public-header", "private-include"}.isdisjoint(found.rule for found in with_planted(tree, *planted))
    found = {violation[:2] for violation in with_planted(tree, *planted, ("src/host/debian/user.cpp", user))}
    assert {("public-header", "src/host/archive/planted.hpp"), ("private-include", "src/host/debian/user.cpp")} <= found


def test_every_sub_room_of_the_table_is_there(repository):
    for room, names in SUB_ROOMS.items():
        assert {path.name for path in (repository / "src" / room).iterdir() if path.is_dir()} == set(names)


@pytest.mark.parametrize("word", HEAVY_WORDS)
def test_each_heavy_word_is_reported(tree, word):
    text = HEADER + f"// It {word.replace('?', '')} here.\n"
    assert ("heavy-word", "src/base/planted.cpp", 2) in [
        violation[:3] for violation in with_planted(tree, ("src/base/planted.cpp", text))]


@pytest.mark.parametrize("name, text", ALLOWED, ids=[row[0] for row in ALLOWED])
def test_what_only_looks_like_a_violation_is_none(tree, name, text):
    # What a planted source lacks besides is told by other rules.
    lacking = ("command-page", "command-story")
    found = [found for found in with_planted(tree, (name, text)) if found.file == name and found.rule not in lacking]
    assert [str(violation) for violation in found] == []


def test_the_command_line_names_rule_file_and_line_and_fails(tmp_path):
    planted = tmp_path / "src/base/planted.cpp"
    planted.parent.mkdir(parents=True)
    planted.write_text(HEADER + '#include "topsctl/cli/app.hpp"\n')
    done = subprocess.run([sys.executable, "-B", CHECKER, tmp_path], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
    assert done.returncode == 1
    assert "src/base/planted.cpp:2: upward-include: base must not include 'topsctl/cli/app.hpp'" in done.stdout
