"""Profile and variables of one's own on a real host: kept from install to install, seen by log-ins, taken back by a rollback."""

import json

import pytest

from hosts.operations import OLD_STACK, PROFILE, Operator

SETTINGS = ["--profile", "prod", "--set", "OMP_NUM_THREADS=5", "--set", "MINE=it's $(id)\nx", "--unset", "ECCL_DEBUG"]
KEPT = {"profile": "prod", "set": {"MINE": "it's $(id)\nx", "OMP_NUM_THREADS": "5"}, "unset": ["ECCL_DEBUG"]}
SHOWN = "printf '%s|' \"$ECCL_MAX_NCHANNELS\" \"$OMP_NUM_THREADS\" \"$MINE\" \"${ECCL_DEBUG-none}\""


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl)


@pytest.fixture
def fitting(bundle, host):
    minor = host.python_minor()
    return lambda **arguments: bundle(python=minor, only_needed=True, **arguments)


def test_settings_outlive_a_second_install(operator, host, fitting, schema):
    before = operator.digest()
    report = operator.json("install", fitting(), *SETTINGS)
    schema(report, "install")
    assert report["plan"]["environment"]["settings"] == KEPT
    for shell in ("sh", "bash"):
        assert host.login_shell(SHOWN, shell=shell).stdout == "4|5|it's $(id)\nx|none|"
    written = host.path(PROFILE).read_text()

    assert operator.json("install", fitting())["outcome"] == "no_change"
    host.path(PROFILE).write_text(written + "# changed by hand\n")
    operator.json("install", fitting())
    assert host.path(PROFILE).read_text() == written
    assert {check["status"] for check in operator.json("verify", "--level", "import")["checks"]} == {"pass"}
    environment = operator.json("env")
    assert (environment["file_state"], environment["environment"]["settings"]) == ("right", KEPT)

    operator.json("install", fitting(), "--profile", "none", "--set", "OMP_NUM_THREADS=6")
    assert host.login_shell(SHOWN).stdout == "2|6|it's $(id)\nx|none|"
    operator.json("install", fitting(), "--forget-settings")
    assert host.login_shell(SHOWN).stdout == "2|||0|"
    operator.json("rollback")
    operator.json("rollback")
    operator.json("rollback", code=4)  # the first install is older than what is kept
    assert before.diff(operator.digest())


def test_settings_outlive_an_upgrade(operator, host, fitting):
    operator.json("install", fitting(generation="2.4.87"), "--stack", OLD_STACK, "--set", "OMP_NUM_THREADS=5")
    upgraded = operator.json("install", fitting())
    assert upgraded["plan"]["environment"]["settings"]["set"] == {"OMP_NUM_THREADS": "5"}
    assert "OMP_NUM_THREADS=5" in host.path(PROFILE).read_text()
    operator.json("rollback")
    assert "OMP_NUM_THREADS=5" in host.path(PROFILE).read_text()


def test_damaged_settings_are_told_and_not_used(operator, host, fitting):
    operator.json("install", fitting(), *SETTINGS)
    text = host.path(PROFILE).read_text()
    host.path(PROFILE).write_text(text.replace('{"profile"', '{"profile" '))
    report = operator.json("install", fitting())
    assert any("damaged" in warning for warning in report["warnings"])
    assert report["plan"]["environment"]["settings"] == {"profile": None, "set": {}, "unset": []}


def test_a_wrong_setting_changes_nothing(operator, fitting):
    before = operator.digest()
    for words in (["--profile", "prdo"], ["--set", "PATH=/x"], ["--set", "A B=c"], ["--unset", "LD_PRELOAD"]):
        outcome = operator.topsctl("install", fitting(), *words)
        assert outcome.code == 2 and "hint:" in outcome.err, outcome
    assert operator.changes_since(before) == []


def test_after_an_install_the_environment_has_no_problem(operator, host, fitting, schema):
    operator.json("install", fitting())
    clean = operator.json("env", "check")
    schema(clean, "env")
    assert clean["findings"] == []
    host.path("/etc/profile.d/tops-eccl.sh").write_text("export ECCL_DEBUG=INFO\n")
    told = operator.json("env", "check", code=5)
    found = {finding["id"]: finding for finding in told["findings"] if finding["severity"] != "info"}
    assert set(found) == {"environment-contradiction", "environment-several-files"}
    assert [(piece["source"], piece["text"]) for piece in found["environment-contradiction"]["evidence"]] == \
        [(PROFILE, "ECCL_DEBUG=0"), ("/etc/profile.d/tops-eccl.sh", "ECCL_DEBUG=INFO")]


def test_an_environment_that_is_not_in_effect_is_told_with_the_line_that_works_there(operator, host, fitting, topsctl_release):
    host.install_binary(topsctl_release)
    operator.json("install", fitting())

    def told(*argv, code=5, **variables):
        done = host.run([*argv], env={"LC_ALL": "C.UTF-8", **variables})
        assert done.returncode == code, done
        return {finding["id"]: finding["remedy"]["command"] for finding in json.loads(done.stdout)["findings"]}

    check = ("topsctl", "env", "check", "--json")
    over_ssh = {"SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"}
    ways = {"shell": ({**over_ssh, "SSH_TTY": "/dev/pts/0"}, 'eval "$(topsctl env)"'),
            "ssh-command": (over_ssh, "topsctl env exec -- PROGRAM"),
            "sudo": ({"SUDO_COMMAND": "/usr/local/bin/topsctl"}, "sudo topsctl env exec -- PROGRAM"),
            "unit": ({"INVOCATION_ID": "0", "JOURNAL_STREAM": "8:1"},
                     "topsctl env --format systemd > /etc/systemd/system/NAME.service.d/topsrider.conf")}
    for way, (variables, line) in ways.items():
        assert told(*check, **variables) == {f"environment-not-in-effect-{way}": line}
    # Under another name a program counts as cron or zsh to those it starts.
    for way, program, line in (("cron", "cron", "topsctl env exec -- PROGRAM"), ("zsh", "zsh", 'eval "$(topsctl env)"'),
                               ("csh", "tcsh", "exec bash -l"), ("fish", "fish", "topsctl env --format fish | source")):
        host.copy_in(host.path("/bin/dash").resolve(), f"/srv/{program}")
        assert told(f"/srv/{program}", "-c", f"{' '.join(check)}; exit $?", **ways["shell"][0]) == {f"environment-not-in-effect-{way}": line}
    host.path("/.dockerenv").write_text("")
    assert told(*check) == {"environment-not-in-effect-container": "topsctl env exec -- PROGRAM"}
    # And each of these lines works.
    assert told("sh", "-c", f'eval "$(topsctl env)"; {" ".join(check)}', code=0) == {}
    assert told("topsctl", "env", "exec", "--", *check, code=0) == {}
    assert "ECCL_" in host.run(["topsctl", "env", "--format", "systemd"]).stdout
