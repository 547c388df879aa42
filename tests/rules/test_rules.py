"""The tree keeps the rules of the house, and a planted violation of each is reported by rule, file and line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rules.check_rules import ROOMS, SKIPPED_FOLDERS, violations

CHECKER = Path(__file__).with_name("check_rules.py")
HEADER = "// A planted file for the rule test.\n"
HOME = "/ho" + "me/somebody/"  # in two parts, for this file is checked too
ROOT = "/ro" + "ot/place/"
TODO = "TO" + "DO"

PLANTED = [  # rule, file, text, line
    ("upward-include", "src/base/planted.cpp", HEADER + '#include "topsctl/model/plan.hpp"\n', 2),
    ("upward-include", "src/model/planted.cpp", HEADER + '\n#include "topsctl/host/host.hpp"\n', 3),
    ("upward-include", "src/host/planted.cpp", HEADER + '#include "topsctl/engine/planner.hpp"\n', 2),
    ("upward-include", "src/engine/planted.cpp", HEADER + '#include "topsctl/cli/app.hpp"\n', 2),
    ("upward-include", "include/topsctl/host/planted.hpp", HEADER + '#include "topsctl/cli/app.hpp"\n', 2),
    ("upward-include", "src/cli/planted.cpp", HEADER + '#include "topsctl/attic/app.hpp"\n', 2),
    ("third-party-include", "src/engine/planted.cpp", HEADER + "#include <CLI/CLI.hpp>\n", 2),
    ("third-party-include", "src/engine/planted.cpp", HEADER + "#include <archive.h>\n", 2),
    ("third-party-include", "src/cli/planted.cpp", HEADER + "#include <archive_entry.h>\n", 2),
    ("third-party-include", "include/topsctl/engine/planted.hpp", HEADER + "#include <libssh/libssh.h>\n", 2),
    ("third-party-include", "src/base/planted.cpp", HEADER + "#include <openssl/evp.h>\n", 2),
    ("third-party-include", "src/engine/planted.cpp", HEADER + "#include <re2/re2.h>\n", 2),
    ("third-party-include", "src/host/planted.cpp", HEADER + "#  include <spdlog/spdlog.h>\n", 2),
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
    ("forbidden-call", "src/engine/planted.cpp", HEADER + "void f() { std::exit(1); }\n", 2),
    ("forbidden-call", "src/engine/planted.cpp", HEADER + "void f() { system(x); }\n", 2),
    ("forbidden-call", "src/engine/planted.cpp", HEADER + "auto f = ::getenv (x);\n", 2),
    ("forbidden-call", "src/host/planted.cpp", HEADER + "/* one\ntwo */ int f = chdir(x);\n", 3),
    ("forbidden-call", "src/host/planted.cpp", HEADER + "int f = chroot(x);\n", 2),
    ("forbidden-call", "src/host/planted.cpp", HEADER + "void f() { _exit(1); }\n", 2),
    ("standard-stream", "src/engine/planted.cpp", HEADER + "void f() { std::cout << 1; }\n", 2),
    ("standard-stream", "src/engine/planted.cpp", HEADER + "void f() { std::cerr << 1; }\n", 2),
    ("standard-stream", "src/engine/planted.cpp", HEADER + "void f() { printf(x); }\n", 2),
    ("private-path", "docs/planted.md", f"see\n{HOME}notes\n", 2),
    ("private-path", "tests/support/planted.py", f'# A planted file for the rule test.\nX = "{ROOT}x"\n', 2),
    ("undated-todo", "src/base/planted.cpp", HEADER + f"// {TODO}: later\n", 2),
    ("undated-todo", "packaging/planted", f"#!/bin/bash\n# A planted file for the rule test.\n# {TODO} later\n", 3),
    ("command-page", "src/cli/commands/planted.cpp", HEADER, 1),
    ("command-story", "src/cli/commands/untold.cpp", HEADER, 1),
]

ALLOWED = [  # file, text: looks like a violation and is none
    ("src/cli/planted.cpp", HEADER + "".join(f'#include "topsctl/{room}/planted.hpp"\n' for room in ROOMS)),
    ("src/main.cpp", HEADER + '#include "topsctl/cli/app.hpp"\n'),
    ("src/cli/planted.cpp", HEADER + "#include <CLI/CLI.hpp>\n#include <nlohmann/json.hpp>\n"),
    ("src/host/planted.cpp", HEADER + "#include <archive.h>\n#include <libssh/libssh.h>\n"),
    ("src/engine/planted.cpp", HEADER + '// system("x"), exit(1)\nauto f = "getenv(x)";\n'),
    ("src/engine/planted.cpp", HEADER + "auto g = at_exit(1) + h.exit(2) + h->exit(3);\n"),
    ("src/engine/planted.cpp", HEADER + 'auto f = R"(std::cout << exit(1);\n)"; int g = host::system(1);\n'),
    ("src/base/planted.cpp", HEADER + "\n" * 399),
    ("src/base/planted.cpp", HEADER + f"// {TODO} 2026-12-31: in docs/decisions.md\n"),
    ("docs/planted.md", "`/root/.topsrider_env` and $DIR/root/etc, /home and ~/home/x/\n"),
    ("packaging/planted", "#!/bin/bash\n# A planted file for the rule test.\n"),
]


@pytest.fixture(scope="module")
def tree_copy(repository, tmp_path_factory):
    target = tmp_path_factory.mktemp("rules") / "tree"
    shutil.copytree(repository, target, symlinks=True, ignore=shutil.ignore_patterns(*SKIPPED_FOLDERS))
    return target


@pytest.fixture
def plant(tree_copy):
    """Puts a file into the copy, and takes it out, or back, after the test."""
    undo = []

    def put(name, text):
        path = tree_copy / name
        before = path.read_bytes() if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if text.startswith("#!"):
            path.chmod(0o755)
        undo.append((path, before))

    yield put
    for path, before in undo:
        path.unlink() if before is None else path.write_bytes(before)


def test_the_tree_keeps_the_rules(repository):
    found = violations(repository)
    assert not found, "\n" + "\n".join(map(str, found))


@pytest.mark.parametrize("rule, name, text, line", PLANTED, ids=[f"{row[0]}-{row[1]}" for row in PLANTED])
def test_a_planted_violation_is_reported(tree_copy, plant, rule, name, text, line):
    plant(name, text)
    assert (rule, name, line) in [violation[:3] for violation in violations(tree_copy)]


@pytest.mark.parametrize("name, text", ALLOWED, ids=[row[0] for row in ALLOWED])
def test_what_only_looks_like_a_violation_is_none(tree_copy, plant, name, text):
    plant(name, text)
    assert [str(found) for found in violations(tree_copy) if found.file == name] == []


def test_the_command_line_names_rule_file_and_line_and_fails(tree_copy, plant):
    plant("src/base/planted.cpp", HEADER + '#include "topsctl/cli/app.hpp"\n')
    done = subprocess.run([sys.executable, "-B", CHECKER, tree_copy], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
    assert done.returncode == 1
    assert "src/base/planted.cpp:2: upward-include: base must not include 'topsctl/cli/app.hpp'" in done.stdout
