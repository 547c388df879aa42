# The ways to load the shim of topsctl other than `topsctl launch`: a written directory, an import, the job of an engine.

import json
import os
import subprocess
import sys

EACH_REFUSED = """
import json, sys, torch, torch.utils.cpp_extension
model = torch.nn.Linear(1, 1)
for expression in json.load(sys.stdin):
    try:
        found = eval(expression)
        found() if callable(found) else None
        print("passed", expression)
    except RuntimeError as error:
        print("refused" if "[cuda-beyond-the-shim]" in str(error) else error, expression)
"""


def test_what_shim_explains_as_refused_is_refused(stack, topsctl_release):
    told = json.loads(subprocess.run([topsctl_release, "shim", "--explain", "--json", "--stack", "topsrider-t2x"], check=True,
                                     capture_output=True, timeout=60).stdout)
    refused = [row["cuda"] for row in told["refused"]]
    done = subprocess.run([sys.executable, "-B", "-c", EACH_REFUSED], env=stack("t2x", "own"), input=json.dumps(refused),
                          capture_output=True, text=True, timeout=60, check=False)
    assert [line for line in done.stdout.splitlines() if not line.startswith("[test double]")] == ["refused " + each for each in refused], done


def test_the_shim_is_written_for_other_launchers(stack, tmp_path, topsctl_release):
    words = [topsctl_release, "shim", "--write", tmp_path / "shim", "--json", "--stack", "topsrider-t2x"]
    told = json.loads(subprocess.run(words, check=True, capture_output=True, timeout=60).stdout)
    before = stack("t2x", "own", shim=False)
    other = before["PYTHONPATH"]
    on_card = "import torch; print(torch.zeros(1).cuda().device)"

    def run(code, **more):
        return subprocess.run([sys.executable, "-B", "-c", code], env=dict(before, **more), capture_output=True, text=True, timeout=60,
                              check=False)
    by_variables = dict(told["environment"], PYTHONPATH=f"{told['environment']['PYTHONPATH']}:{other}")
    assert run(on_card, **by_variables).stdout.endswith("xla:0\n")
    assert run(on_card, PYTHONPATH=by_variables["PYTHONPATH"]).returncode != 0  # the variable is what loads it
    imported = run("import topsctl_shim; " + on_card, PYTHONPATH=by_variables["PYTHONPATH"])
    assert imported.stdout.endswith("xla:0\n"), imported
    again = subprocess.run(words, capture_output=True, timeout=60, check=False)
    assert again.returncode == 3 and json.loads(again.stdout)["folder"] is None
    nowhere = subprocess.run([topsctl_release, "shim", "--write", "/proc/shim/here"], capture_output=True, text=True, timeout=60, check=False)
    assert nowhere.returncode == 4 and "that you can write to: --write DIR" in nowhere.stderr, nowhere


def test_a_job_for_other_engines_has_the_shim_beside_it(stack, tmp_path, topsctl_release):
    (tmp_path / "train.py").write_text("import torch\nprint(torch.zeros(1).cuda().device)\n")
    environment = stack("t2x", "own", shim=False, HOME=str(tmp_path))
    words = [topsctl_release, "launch", "--engine", "slurm", "--host-count", "1", "--nproc", "1", "--stack", "topsrider-t2x",
             "--python", sys.executable, "--json"]
    for when in ("auto", "never"):
        told = json.loads(subprocess.run(words + ["--shim", when, "--emit", tmp_path / when, "--", "train.py"], cwd=tmp_path,
                                         env=environment, check=True, capture_output=True, timeout=60).stdout)
        text = (tmp_path / when / "job.sbatch").read_text()
        if when == "never":
            assert told["cluster"]["shim"] is None and "SHIM" not in text and not (tmp_path / when / "shim").exists()
            continue
        assert told["cluster"]["shim"] == str(tmp_path / "auto/shim")
        command = text[text.index("sh -c \'exec env PYTHONPATH"):].splitlines()[0].partition(" ${resume")[0]
        exports = "".join(line + "\n" for line in text.splitlines() if line.startswith("export TOPSCTL_SHIM"))
        done = subprocess.run(["sh", "-c", exports + command], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60,
                              check=False)
        assert done.stdout.endswith("xla:0\n"), done
