"""The systemd unit says what the recovery at boot needs, and systemd reads it without a complaint."""

import configparser
import shutil
import subprocess

import pytest

NAME = "packaging/systemd/topsctl-recover.service"


class Unit(configparser.RawConfigParser):
    """A unit file: keys keep their case and may come several times, their values are joined."""

    def __init__(self, text):
        super().__init__(strict=False, delimiters=("=",), comment_prefixes=("#",))
        self.optionxform = str
        values = {}
        for line in text.splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif "=" in line and not line.startswith("#"):
                key, value = line.split("=", 1)
                values.setdefault(section, {}).setdefault(key, []).append(value)
        self.read_dict({name: {key: " ".join(each) for key, each in keys.items()} for name, keys in values.items()})


@pytest.fixture
def unit(repository):
    return Unit((repository / NAME).read_text())


def test_it_recovers_once_before_what_uses_the_stack(unit):
    assert unit["Service"]["Type"] == "oneshot"
    # Installing replaces /usr/local/ by the prefix.
    assert unit["Service"]["ExecStart"] == "/usr/local/bin/topsctl recover"
    before = unit["Unit"]["Before"].split()
    assert {"docker.service", "containerd.service", "kubelet.service"} <= set(before)
    assert "local-fs.target" in unit["Unit"]["After"].split()
    assert unit["Install"]["WantedBy"] == "multi-user.target"


def test_it_runs_on_machines_with_transactions_only(unit):
    assert unit["Unit"]["ConditionPathExists"] == "/var/lib/topsctl/transactions"


def test_no_time_limit_ends_a_restore(unit):
    assert unit["Service"]["TimeoutStartSec"] == "infinity"


def test_systemd_accepts_it(unit, repository, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is missing")
    program = unit["Service"]["ExecStart"].split()[0]
    copy = tmp_path / "topsctl-recover.service"
    # The program and its manual are not there on the machine that tests; everything else is read as it is.
    copy.write_text((repository / NAME).read_text().replace(program, "/bin/true").replace("man:topsctl-recover(1)", ""))
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
