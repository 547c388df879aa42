#!/usr/bin/python3 -B
"""Makes the logs that are really produced: make_logs.py [NAME...] runs trainings that go well or fail, and keeps what they print.

Debian's torch (python3-torch) and root are needed. Paths, names of the host and the like are rewritten, so that a log tells nothing of
the machine that made it. What doctor must say of each stands in expected.json, which is written by hand.
"""

import concurrent.futures
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import cases
import cluster_cases

CASES = {**cases.CASES, **cluster_cases.CASES}
HERE = Path(__file__).resolve().parent
LOGS = HERE.parent
PYTHON = "/usr/bin/python3"
AT_ONCE = 4
PORT = 29500


def neutral(text, folder):
    """The text without what is of this machine only."""
    for found, put in [(str(folder), "/workspace"), (str(HERE / "work"), "/workspace"),
                       ("/workspace/torchrun.py", "/usr/local/bin/torchrun")]:
        text = text.replace(found.encode(), put.encode())
    text = re.sub(rb"\b%s\b" % re.escape(socket.gethostname()).encode(), b"node01", text)
    text = re.sub(rb"/tmp/torchelastic_\w+/", b"/tmp/torchelastic_0a1b2c3d/", text)
    text = re.sub(rb"\[(?:localhost|::ffff:127\.0\.0\.1|127\.0\.0\.1)\]:(\d+)", rb"[127.0.0.1]:\1", text)
    return re.sub(rb"/root\b|/home/\w+", b"/workspace", text)


def environment(folder, case):
    kept = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(folder), "LANG": "C.UTF-8",
            "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "PYTHONDONTWRITEBYTECODE": "1", "CASE_PORT": str(PORT),
            "CASE_SMALL": str(folder / "small"), "CASE_HERE": str(folder), "CASE_LIBRARY": str(folder / "lib" / "_ext.so")}
    return {**kept, **{key: value.format(here=folder) for key, value in case.get("env", {}).items()}}


def prepared(folder, case):
    shutil.copytree(HERE / "work", folder, dirs_exist_ok=True)
    (folder / "small").mkdir()
    if "source" in case:
        (folder / "lib").mkdir()
        (folder / "ext.c").write_text(case["source"], encoding="utf-8")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / "lib" / "_ext.so", folder / "ext.c"], check=True)


def run(name):
    case = CASES[name]
    with tempfile.TemporaryDirectory(prefix="made-log-") as made:
        folder = Path(made)
        prepared(folder, case)
        script = case["shell"].format(port=PORT, python=PYTHON, torchrun=f"{PYTHON} -u torchrun.py --monitor_interval=0.2")
        with open(folder / "out", "wb") as out:
            # In mounts, processes and a network of its own: nothing is left behind, and no port is taken twice.
            job = subprocess.Popen(["unshare", "--mount", "--uts", "--pid", "--net", "--fork", "--mount-proc", "--kill-child", "/bin/bash",
                                    "-c", f"ip link set lo up; {script}"],
                                   cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                   env=environment(folder, case), start_new_session=True)
            try:
                job.wait(timeout=case.get("limit", 240))
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                job.wait()
                print(f"{name}: took too long")
        keep(name, case, folder)
    return name


def keep(name, case, folder):
    target = LOGS / name
    if "folder" in case:
        shutil.rmtree(target, ignore_errors=True)
        for file in sorted((folder / case["folder"]).rglob("*")):
            if file.is_file():
                to = target.joinpath("job_0a1b2c3d", *file.relative_to(folder / case["folder"]).parts[1:])
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(neutral(file.read_bytes(), folder))
        (target / "launcher.log").write_bytes(neutral((folder / "out").read_bytes(), folder))
    elif "files" in case:
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        for file in sorted((folder / case["files"]).iterdir()):
            (target / file.name).write_bytes(neutral(file.read_bytes(), folder))
    else:
        target.with_suffix(".log").write_bytes(neutral((folder / "out").read_bytes(), folder))


def main():
    names = sys.argv[1:] or list(CASES)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for name in pool.map(run, names):
            print(name, flush=True)


if __name__ == "__main__":
    main()
