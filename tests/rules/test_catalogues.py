"""The built-in catalogues are what their schemas say, which are what an operator writes files by; planted faults are seen."""

import copy
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "src" / "data"
FILES = sorted(path for kind in ("diagnoses", "rewrites", "launchers") for path in (DATA / kind).glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_built_in_files_are_of_the_form_that_is_documented(schema, path):
    schema(json.loads(path.read_text(encoding="utf-8")), path.parent.name)


def changed(record, **changes):
    record = copy.deepcopy(record)
    for key, value in changes.items():
        if value is None:
            del record[key]
        else:
            record[key] = value
    return record


@pytest.mark.parametrize("kind, file, changes", [
    ("diagnoses", "framework", {"title_zh": None}),
    ("diagnoses", "framework", {"id": "Two Words"}),
    ("diagnoses", "framework", {"severity": "bad"}),
    ("diagnoses", "framework", {"look_for": {}}),
    ("diagnoses", "framework", {"look_for": {"machine": [{"signal": "x", "below": "1", "above": "2"}]}}),
    ("diagnoses", "framework", {"example_match": None}),
    ("rewrites", "python", {"examples": []}),
    ("rewrites", "python", {"api": "t3x"}),
    ("rewrites", "python", {"patterns": ["x"]}),
])
def test_a_record_that_topsctl_refuses_is_refused_by_the_schema(schema, kind, file, changes):
    document = json.loads((DATA / kind / f"{file}.json").read_text(encoding="utf-8"))
    document = {key: document[key] for key in document if key != kind} | {kind: [changed(document[kind][0], **changes)]}
    with pytest.raises(AssertionError, match=f"not valid by docs/{kind}.schema.json"):
        schema(document, kind)


PAGE = DATA.parents[1] / "docs" / "diagnoses.md"
RECORDS = [record for path in sorted((DATA / "diagnoses").glob("*.json"))
           for record in json.loads(path.read_text(encoding="utf-8")).get("diagnoses", [])]
HEAD = """# Diagnoses

All that `topsctl doctor` may find. `topsctl doctor --explain ID` says more: evidence, cause, what it brings about. The list is made of
`src/data/diagnoses/*.json`; some are for the cards of one vendor only.

| id | severity | meaning | what to do |
|---|---|---|---|
"""


def test_the_page_of_diagnoses_is_what_the_data_say():
    rows = {}
    for record in RECORDS:
        cells = (record["severity"], record["title"], record["remedy"]["text"].replace("|", "\\|"))
        rows.setdefault(record["id"], cells)
    text = HEAD + "".join(f"| `{identity}` | {' | '.join(cells)} |\n" for identity, cells in sorted(rows.items()))
    if os.environ.get("TOPSCTL_UPDATE_GOLDENS"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text
    assert len(rows) >= 130


@pytest.mark.parametrize("record", [each for each in RECORDS if each["remedy"]["command"]], ids=lambda each: each["id"])
def test_a_remedys_command_can_be_typed_as_it_stands(record):
    command = record["remedy"]["command"]
    subprocess.run(["bash", "-n", "-c", command], check=True)
    assert not re.search(r"[<>]|\b(?:HOST|PORT|PATH|FILE|DIR|PYTHON|BUNDLE|MODULE|PID)\b", command), "it has a place to fill in"


def test_what_a_remedy_says_of_topsctl_is_a_command_line_that_it_takes(topsctl_dev, tmp_path):
    said = {line for record in RECORDS for line in re.findall(r"`(topsctl [^`]+)`", record["remedy"]["text"])}
    (tmp_path / "train.py").write_text("import torch\n", encoding="utf-8")
    values = {"DIR": str(tmp_path), "BACKEND": "eccl", "BUNDLE": str(tmp_path / "missing"), "PYTHON": "/usr/bin/python3",
              "SCRIPT": str(tmp_path / "train.py"), "LIST": "0", "STACK": "topsrider-t2x"}
    for line in sorted(said):
        words = [values.get(word, word) for word in line.split()[1:]]
        done = subprocess.run([topsctl_dev, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert done.returncode != 2, f"{line}: {done.stderr.decode()}"
