#!/usr/bin/python3 -B
"""Makes the logs of jobs of a real Slurm: make_slurm_logs.py [NAME...]. Needs root, Debian's torch and Slurm."""

import shutil
import sys
import tempfile
import time
from pathlib import Path

from make_logs import HERE, LOGS, neutral

sys.path.insert(0, str(HERE.parents[2]))
from hosts.slurm import Slurm  # noqa: E402

TRAIN = "srun --ntasks=2 --ntasks-per-node=1 env CASE_TIMEOUT=30 MASTER_PORT=29500 {labels} /usr/bin/python3 -u pretrain.py --fault {fault}"
# Options of sbatch, what is run, and what is done to the job after it has begun.
CASES = {
    "r-healthy-slurm": ("", TRAIN.format(labels="", fault="none"), ""),
    "r-slurm-raises": ("", TRAIN.format(labels="", fault="raises-there"), ""),
    "r-slurm-labelled-killed": ("", TRAIN.replace("srun", "srun --label").format(labels="", fault="killed-there"), ""),
    "r-slurm-cancelled": ("", TRAIN.format(labels="CASE_TIMEOUT=300", fault="fewer-steps"), "scancel {job}"),
    "r-slurm-step-cancelled": ("", TRAIN.format(labels="CASE_TIMEOUT=300", fault="fewer-steps"), "scancel --signal=INT {job}"),
    "r-slurm-too-many-tasks": ("", "srun --nodes=2 --ntasks=9 hostname", ""),
    "r-slurm-no-program": ("", "srun --ntasks=2 /opt/conda/bin/python pretrain.py", ""),
}


def main():
    names = sys.argv[1:] or list(CASES)
    with tempfile.TemporaryDirectory(prefix="made-log-") as made:
        folder = Path(made)
        folder.chmod(0o755)
        slurm = Slurm(folder / "slurm")
        try:
            for name in names:
                run(slurm, folder, name)
        finally:
            slurm.remove()


def run(slurm, folder, name):
    options, command, then = CASES[name]
    work = folder / name
    shutil.copytree(HERE / "work", work)
    (work / "job.sh").write_text(f"#!/bin/bash\n#SBATCH --nodes=2 --ntasks-per-node=1 {options}\nexport MASTER_ADDR={slurm.addresses[0]}\n"
                                 "unset GLOO_SOCKET_IFNAME\n" + command + "\n")
    done = slurm.run("sbatch", "--parsable", f"--chdir={work}", f"--output={work}/out", str(work / "job.sh"))
    job = done.stdout.strip()
    assert job, done
    if then:
        slurm.wait_for(lambda: (work / "out").exists() and "epoch 0 | step 1" in (work / "out").read_text())
        time.sleep(1)
        slurm.run(*then.format(job=job).split())
    slurm.wait_for(lambda: slurm.state_of(job) in ("", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"))
    time.sleep(1)
    (LOGS / f"{name}.log").write_bytes(neutral((work / "out").read_bytes(), work))
    print(name, flush=True)


if __name__ == "__main__":
    main()
