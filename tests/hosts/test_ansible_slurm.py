"""The drain of the Ansible role with a real Slurm: two nodes, and a job that runs on one of them."""

import json
import shutil
import subprocess

import pytest
import yaml

from hosts.controller import COLLECTION, build_collection
from hosts.slurm import Slurm
from support.programs import needed

ROLE = f"{COLLECTION}.rolling_upgrade"
# A double of topsctl on the nodes: an install would change something.
PLANNED = """#!/bin/sh
echo '{"command": "install", "status": "ok", "error": null, "warnings": [], "outcome": "planned", "transaction": null,
"packages": [], "checks": [], "rollback": null, "confirm_until": null, "log": null, "changed": false, "failed": false,
"msg": "plan"}'
"""


@pytest.fixture
def slurm(host_namespace, tmp_path):
    needed("slurmctld", "slurmd", "munged", "ansible-playbook")
    cluster = Slurm(tmp_path / "slurm")
    yield cluster
    cluster.remove()


def part(name):
    return {"ansible.builtin.include_role": {"name": ROLE, "tasks_from": name}}


def test_a_drain_waits_for_the_job_and_leaves_what_others_drained(slurm, repository, tmp_path):
    collections = build_collection(repository / "packaging" / "ansible", tmp_path)
    program = tmp_path / "topsctl"
    program.write_text(PLANNED)
    program.chmod(0o755)
    play = [{"hosts": "all", "gather_facts": False,
             "vars": {"topsctl_remote_binary": str(program), "topsctl_paths": ["/bundle"], "topsctl_slurm_poll": 1},
             "tasks": [{"ansible.builtin.set_fact": {"topsctl_was_drained": False}}, part("drain_slurm"),
                       {"ansible.builtin.command": "sinfo --noheader --Node --format=%N=%T=%E", "register": "drained"},
                       {"ansible.builtin.command": "squeue --noheader --states=running", "register": "jobs"},
                       {**part("resume_slurm"), "when": "topsctl_was_drained"},
                       {"ansible.builtin.copy": {"dest": f"{tmp_path}/{{{{ inventory_hostname }}}}.json",
                                                 "content": "{{ [drained.stdout_lines, jobs.stdout] | to_json }}"}}]}]
    (tmp_path / "play.yml").write_text(yaml.safe_dump(play))
    (tmp_path / "inventory").write_text("n0 ansible_connection=local\nn1 ansible_connection=local\n")
    assert slurm.run("scontrol", "update", "nodename=n0", "state=drain", "reason=a fan").returncode == 0
    asked, done = tmp_path / "asked", tmp_path / "done"
    squeue = f'#!/bin/sh\n# Notes that it was asked.\necho >>"{asked}"\nexec {shutil.which("squeue")} "$@"\n'
    (tmp_path / "squeue").write_text(squeue)
    (tmp_path / "squeue").chmod(0o755)
    job = slurm.run("sbatch", "--parsable", "--nodelist=n1", "--output=/dev/null", "--wrap",
                    f"until test -e {done}; do sleep 0.1; done").stdout.strip()
    slurm.wait_for(lambda: slurm.state_of(job) == "RUNNING")
    play = subprocess.Popen(
        slurm.argv(0, "ansible-playbook", "-i", tmp_path / "inventory", tmp_path / "play.yml"), text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=slurm.environment | {
            "ANSIBLE_COLLECTIONS_PATH": str(collections), "ANSIBLE_NOCOLOR": "1", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8",
            "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3", "PATH": f"{tmp_path}:/usr/sbin:/usr/bin:/sbin:/bin"})
    try:
        # Each node is asked for once, and the one with the job once more.
        slurm.wait_for(lambda: play.poll() is not None or (asked.exists() and len(asked.read_text()) > 2))
        done.touch()
        output, _ = play.communicate(timeout=120)
    finally:
        play.kill()
    assert play.returncode == 0, output
    assert slurm.state_of(job) in ("COMPLETED", ""), "the job was waited for, not ended"
    drained, jobs = json.loads((tmp_path / "n1.json").read_text())
    assert "n1=drained=topsctl: upgrade" in drained and "n0=drained=a fan" in drained and jobs == "", drained
    shown = slurm.run("sinfo", "--noheader", "--Node", "--format=%N=%T").stdout.split()
    assert sorted(shown) == ["n0=drained", "n1=idle"]
