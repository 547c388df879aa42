# The guides' project, patched by topsctl doctor where no shim reaches, trains on the doubles: the ranks' sum is what it must be.

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
from hashlib import sha256
from pathlib import Path

import pytest

from support.unprivileged import as_nobody, give_to_nobody, open_folder

from .conftest import run
from .probe_torch_gcu import free_port

TESTS = Path(__file__).resolve().parents[2]
SCRIPTS = ("train_distributed_8card_gcu.py", "train_with_runner.py")
CONFIG = "configs/train_dinov3_mmrs1m_t20_gcu_8card.py"
TARGETS = [("t2x", "eccl", SCRIPTS[:1]), *(pytest.param(*target, marks=pytest.mark.whole) for target in [
    ("t2x", "eccl", SCRIPTS[1:]), ("s60", "eccl", SCRIPTS), ("t2x", "gloo", SCRIPTS), ("s60", "gloo", SCRIPTS)])]


def topsctl_as_nobody(topsctl, folder, *argv):
    environment = {"PATH": os.environ["PATH"], "XDG_STATE_HOME": os.fspath(folder.parent / "state")}
    return subprocess.run(as_nobody([topsctl, *argv]), env=environment, cwd="/", capture_output=True, text=True, check=False)


def patched(topsctl, folder, api, backend, style="settings"):
    """The project as `--apply` makes it."""
    folder.parent.mkdir()
    shutil.copytree(TESTS / "data" / "project", folder)
    give_to_nobody(folder.parent)
    done = topsctl_as_nobody(topsctl, folder, "doctor", "--project", folder, "--api", api, "--backend", backend, "--style", style, "--apply")
    assert done.returncode in (0, 5) and "undo with `topsctl rollback 1`" in done.stdout, done
    for path in sorted(folder.rglob("*.py")):
        compile(path.read_bytes(), str(path), "exec")
    subprocess.run(["bash", "-n", folder / "start_8card_training.sh"], check=True)
    return folder


def digests_of(project, like=None):
    """By path, of the files that `like` has."""
    like = like or project
    return {path.relative_to(like): sha256((project / path.relative_to(like)).read_bytes()).hexdigest()
            for path in sorted(like.rglob("*")) if path.is_file()}


def launched(topsctl, project, script, environment):
    """The record of `topsctl launch` of a script of the project."""
    # Root keeps no logs in a project of another user.
    with tempfile.TemporaryDirectory() as place:
        logs = Path(place) / "logs"
        done = run(topsctl, "launch", "--preflight", "none", "--python", sys.executable, "--nproc", "8", "--log-dir", logs, "--",
                   "scripts/" + script, CONFIG, env=environment | {"XDG_STATE_HOME": os.fspath(project.parent / "runs")}, cwd=project,
                   check=False)
        assert done.returncode == 0 and "sum 36" in done.stdout, done.stdout + done.stderr
        return json.loads((logs / "launch.json").read_text(encoding="utf-8"))


@pytest.fixture
def open_place():
    with open_folder() as folder:
        yield folder


@pytest.mark.parametrize("style", ["settings", pytest.param("source", marks=pytest.mark.whole)])
@pytest.mark.parametrize("api, backend, scripts", TARGETS)
def test_eight_ranks_add_up_after_the_patch(topsctl_dev, topsctl_release, schema, installed, open_place, api, backend, scripts, style):
    environment = installed(*(["--personality", "s60"] if api == "s60" else []))
    environment["PYTHONPATH"] += os.pathsep + str(TESTS / "support" / "mmengine_double")
    project = patched(topsctl_dev, open_place / "work" / "project", api, backend, style)
    for script in scripts:
        # What the guides have an operator look for: eight processes, and ranks 0 to 7.
        record = launched(topsctl_release, project, script, environment)
        schema(record, "launch-record")
        ranks = record["attempts"][0]["ranks"]
        assert [rank["rank"] for rank in ranks] == list(range(8)) and len({rank["pid"] for rank in ranks}) == 8
        assert {"scripts/" + script, CONFIG} == record["digests"].keys()
    # What the ranks themselves wrote is theirs.
    undone = topsctl_as_nobody(topsctl_dev, project, "rollback", "1")
    assert undone.returncode == 0, undone.stderr
    assert digests_of(project, TESTS / "data" / "project") == digests_of(TESTS / "data" / "project")


def test_without_the_patch_mmengine_sets_a_cuda_device(installed, tmp_path):
    environment = installed()
    environment["PYTHONPATH"] += os.pathsep + str(TESTS / "support" / "mmengine_double")
    done = run(sys.executable, TESTS / "data" / "project" / "scripts" / SCRIPTS[1], TESTS / "data" / "project" / CONFIG,
               env=dict(environment, RANK="0", LOCAL_RANK="0", WORLD_SIZE="1"), check=False)
    assert done.returncode != 0
    assert "_init_dist_pytorch" in done.stderr


# What such projects are patched with by hand: sed over all that is Python.
BY_EXPRESSION = [(r"torch\.cuda\.set_device", "torch_gcu.gcu_device"), (r"torch\.cuda", "torch_gcu"),
                 (r"import torch\n", "import torch\nimport torch_gcu\n"), (r"torch\.distributed", "torch_gcu.distributed"),
                 (r"\.cuda\([^)]*\)", ".to(torch_gcu.current_device())"), (r"nccl", "eccl"), (r"""(['"])cuda\1""", "'xla'")]


def patched_by_expressions(folder):
    shutil.copytree(TESTS / "data" / "project", folder)
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for pattern, replacement in BY_EXPRESSION:
            text = re.sub(pattern, replacement, text)
        path.write_text(text, encoding="utf-8")
    return folder


def words_beside_code(path):
    """The comments, and the strings that are statements, of a Python file."""
    told = []
    tokens = list(tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline))
    for before, token in zip([None, *tokens], tokens):
        is_statement = before is None or before.type in (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.ENCODING,
                                                         tokenize.COMMENT)
        if token.type == tokenize.COMMENT or token.type == tokenize.STRING and is_statement:
            told.append(token.string)
    return told


def harm(project):
    """(how many files are no Python any more, how many comments and docstrings say something else)"""
    broken = changed = 0
    for path in sorted(project.rglob("*.py")):
        try:
            compile(path.read_bytes(), str(path), "exec")
        except SyntaxError:
            broken += 1
            continue
        original = TESTS / "data" / "project" / path.relative_to(project)
        changed += sum(line not in words_beside_code(path) for line in words_beside_code(original))
    return broken, changed


def test_a_patcher_by_expressions_breaks_what_the_patch_does_not(topsctl_dev, installed, open_place, tmp_path):
    environment = installed()
    shim = tmp_path / "shim"
    run(topsctl_dev, "shim", "--write", shim, "--stack", "topsrider-t2x")
    environment["PYTHONPATH"] += os.pathsep + str(TESTS / "support" / "mmengine_double") + os.pathsep + str(shim)
    environment |= {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1",
                    "MASTER_PORT": str(free_port())}
    projects = {"topsctl": patched(topsctl_dev, open_place / "topsctl" / "project", "t2x", "eccl", "import"),
                "expressions": patched_by_expressions(tmp_path / "expressions")}
    runs = {name: [run(sys.executable, project / "scripts" / script, project / CONFIG, env=environment, check=False).returncode == 0
                   for script in SCRIPTS] for name, project in projects.items()}
    print({name: (harm(project), runs[name]) for name, project in projects.items()})
    assert harm(projects["topsctl"]) == (0, 0) and runs["topsctl"] == [True, True]
    assert sum(harm(projects["expressions"])) > 0 and runs["expressions"] == [False, False]
