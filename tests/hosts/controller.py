"""An Ansible controller: ansible-playbook at the client of a fleet, with the collection as it was built and installed."""

import json
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import yaml

COLLECTION = "topsctl.topsrider"
RECAP = re.compile(r"^(\S+) +: ok=(\d+) +changed=(\d+) +unreachable=(\d+) +failed=(\d+) +skipped=\d+ +rescued=(\d+)",
                   re.MULTILINE)
CONFIG = """[defaults]
inventory = {home}/inventory.json
collections_path = {collections}
callbacks_enabled = topsctl.topsrider.fleet_report
forks = 8
nocolor = true
retry_files_enabled = false
timeout = 60
interpreter_python = /usr/bin/python3
[topsctl]
report = {home}/report.json
[ssh_connection]
pipelining = true
"""


class Counts(NamedTuple):
    """The line of a host in the recap."""
    ok: int
    changed: int
    unreachable: int
    failed: int
    rescued: int


class Played(NamedTuple):
    """What a run of ansible-playbook left."""
    code: int
    output: str
    report: dict

    @property
    def recap(self):
        return {match[1]: Counts(*map(int, match.groups()[1:])) for match in RECAP.finditer(self.output)}

    @property
    def outcomes(self):
        return {host["host"]: host["outcome"] for host in self.report["hosts"]}

    def host(self, name):
        return next(host for host in self.report["hosts"] if host["host"] == name)


def build_collection(source, place):
    """Builds and installs the collection; the folder that Ansible looks for collections in."""
    place = Path(place)
    for argv in (["build", "--output-path", place / "built", source],
                 ["install", "--offline", "-p", place / "collections", place / "built" / "topsctl-topsrider-0.2.0.tar.gz"]):
        done = subprocess.run(["ansible-galaxy", "collection", *map(str, argv)], capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(place), "LANG": "C.UTF-8"})
        assert done.returncode == 0, done.stdout + done.stderr
    return place / "collections"


class Controller:
    """Plays on the hosts of a fleet."""

    def __init__(self, fleet, collections, binary):
        self.fleet = fleet
        self.hosts = {host.name: host for host in fleet.hosts}
        self.home = fleet.home
        self.binary = Path(binary).resolve()
        (self.home / "ansible.cfg").write_text(CONFIG.format(home=self.home, collections=collections))
        self.environment = {"ANSIBLE_CONFIG": str(self.home / "ansible.cfg"), "LC_ALL": "C.UTF-8"}
        self.inventory({})

    def inventory(self, variables):
        """`variables`: host -> its own variables."""
        hosts = {name: {"ansible_user": "root", **variables.get(name, {})} for name in self.hosts}
        (self.home / "inventory.json").write_text(json.dumps({"all": {"hosts": hosts}}))

    def play(self, playbook, *more, timeout=300, **variables):
        """Plays a playbook's name, or the plays of a list; Played."""
        process = self.start(playbook, *more, **variables)
        try:
            output, _ = process.communicate(timeout=timeout)
        finally:
            self.end_connections()
        return self.played(process.returncode, output)

    def start(self, playbook, *more, **variables):
        """The Popen, which leads a process group of its own."""
        (self.home / "report.json").unlink(missing_ok=True)
        if not isinstance(playbook, str):
            (self.home / "play.yml").write_text(yaml.safe_dump(playbook))
            playbook = str(self.home / "play.yml")
        variables = {"topsctl_binary": str(self.binary), **variables}
        return self.fleet.client.start(["ansible-playbook", playbook, "-e", json.dumps(variables), *more],
                                       env=self.environment, stderr=subprocess.STDOUT)

    def played(self, code, output):
        report = self.home / "report.json"
        return Played(code, output, json.loads(report.read_text()) if report.exists() else None)

    def keep(self, expression):
        """A task that keeps the value of an expression, for kept()."""
        return {"ansible.builtin.copy": {"content": "{{ %s | to_json }}" % expression,
                                         "dest": f"{self.home}/kept-{{{{ inventory_hostname }}}}.json"},
                "delegate_to": "localhost", "become": False}

    def kept(self, host):
        return json.loads((self.home / f"kept-{host}.json").read_text())

    def end_connections(self):
        """Ends the control masters, which Ansible leaves for a minute."""
        for socket in (self.home / ".ansible" / "cp").glob("*"):
            self.fleet.client.run(["ssh", "-S", socket, "-O", "exit", "any"])
