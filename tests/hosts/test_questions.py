"""What changes a host shows its plan at a terminal and asks; where nobody sits, it asks nobody."""

import os
import pty
import re
import subprocess

import pytest

from hosts.operations import Operator

QUESTION = "[y/N]"


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def eccl(bundle, host):
    return bundle(python=host.python_minor(), only_needed=True), "--components", "eccl", "--stack", "topsrider-t2x"


def at_terminal(operator, *words, answer="", stdout=None, is_inside=False):
    """Exit status and what the terminal showed; `answer` is typed at the question."""
    master, slave = os.openpty()
    # A session of its own, whose terminal this is.
    variables = {"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8"}
    argv = operator.host.interactive_argv(["topsctl", *words], variables) if is_inside else \
        [operator.binary, *words, "--root", operator.host.root]
    child = subprocess.Popen(["setsid", "--ctty", *argv], stdin=slave, stdout=stdout or slave, stderr=slave, env=variables)
    os.close(slave)
    shown, asked = "", False
    while True:
        try:
            piece = os.read(master, 4096).decode()
        except OSError:
            break
        shown += piece
        if QUESTION in shown and not asked:
            asked = True
            os.write(master, f"{answer}\n".encode())
    os.close(master)
    return child.wait(timeout=120), shown, asked


def test_an_install_asks_at_a_terminal_and_changes_nothing_without_a_yes(operator, eccl):
    before = operator.digest()
    for answer in ("n", "", "nonsense"):
        code, shown, asked = at_terminal(operator, "install", *eccl, answer=answer)
        assert asked and code == 130 and "the plan was not approved" in shown, shown
        assert "plan for topsrider-t2x 2.5.136" in shown and "tops-eccl" in shown
    assert operator.changes_since(before) == []
    assert operator.json("history")["transactions"] == []

    code, shown, asked = at_terminal(operator, "install", *eccl, answer="y")
    assert asked and code == 0 and "transaction 1 committed" in shown, shown
    assert f"topsctl verify --root {operator.host.root}" in shown
    assert "Install? [y/N]" in shown


def test_a_rollback_asks_and_changes_nothing_without_a_yes(operator, eccl):
    before = operator.digest()
    operator.json("install", *eccl)
    installed = operator.digest()
    planned = operator.topsctl("rollback", "--dry-run").out
    for answer in ("n", "", "nonsense"):
        code, shown, asked = at_terminal(operator, "rollback", answer=answer)
        assert asked and code == 130 and "not rolled back: the plan was not approved" in shown, shown
        for text in (shown.replace("\r", ""), planned):
            assert re.search(r"package +now +then\n +tops-eccl +2\.5\.136-1 +-\n", text), text
            assert re.search(r"  [1-9][0-9]* paths restored or removed\n", text), text
    assert operator.changes_since(installed) == []
    code, shown, asked = at_terminal(operator, "rollback", answer="yes")
    assert asked and code == 0 and "Roll back? [y/N]" in shown, shown
    assert operator.changes_since(before) == []


def test_a_patch_is_shown_and_asked_for(operator, host, topsctl_release):
    host.install_binary(topsctl_release)
    source = "import torch\n\nif __name__ == '__main__':\n    torch.cuda.set_device(0)\n"
    script = host.path("/srv/project/t.py")
    script.parent.mkdir(parents=True)
    script.write_text(source)
    words = ("doctor", "--project", "/srv/project", "--apply", "--style", "import")
    code, shown, asked = at_terminal(operator, *words, answer="n", is_inside=True)
    assert asked and code == 130 and "the plan was not approved" in shown, shown
    assert "+import topsctl_shim" in shown and script.read_text() == source, shown
    code, shown, asked = at_terminal(operator, *words, "--yes", is_inside=True)
    assert not asked and "1 file changed" in shown and script.read_text() != source, shown
    number = re.search(r"topsctl rollback ([0-9]+)", shown)[1]
    code, shown, asked = at_terminal(operator, "rollback", number, answer="y", is_inside=True)
    assert asked and code == 0 and script.read_text() == source, shown


def test_the_terminal_is_asked_wherever_the_output_goes(operator, eccl, tmp_path):
    with (tmp_path / "log").open("wb") as log:
        code, shown, asked = at_terminal(operator, "install", *eccl, stdout=log, answer="n")
    assert asked and code == 130 and "tops-eccl" in shown, shown


def test_nobody_is_asked_with_yes_or_without_a_terminal(operator, eccl):
    assert at_terminal(operator, "install", *eccl, "--yes")[::2] == (0, False)
    assert at_terminal(operator, "rollback", "--yes")[::2] == (0, False)
    assert at_terminal(operator, "install", *eccl, "--json")[::2] == (0, False)


def test_the_next_command_can_be_typed(operator, eccl):
    planned = operator.topsctl("install", *eccl, "--dry-run").out.splitlines()[-1]
    assert planned == f"next: topsctl install {eccl[0]} --root {operator.host.root} --stack topsrider-t2x --components eccl"
    done = operator.topsctl("install", *eccl, "--confirm-timeout", "600")
    assert done.out.splitlines()[-1] == f"next, over a new connection, within 600 s: topsctl confirm 1 --root {operator.host.root}", done
    quiet = operator.topsctl("-q", "rollback")
    assert quiet.out == "state: the host is as it was before transaction 1\n", quiet


def test_a_repair_asks_too(operator, eccl):
    operator.json("install", *eccl)
    library = operator.host.path("/usr/lib/libeccl.so").resolve()
    library.unlink()
    code, shown, asked = at_terminal(operator, "repair", answer="n")
    assert asked and code == 130 and "Repair? [y/N]" in shown and not library.exists(), shown
    code, shown, asked = at_terminal(operator, "repair", "-y")
    assert not asked and code == 0 and library.exists(), shown
