"""Commands on other machines, by --target and --hosts: history and rollback of what was deployed there, verify, doctor."""

import json
import os
import stat

from hosts.workstation import Workstation


def test_what_was_deployed_is_listed_and_rolled_back_from_the_workstation(make_fleet, topsctl_release, bundle, schema):
    fleet = make_fleet(2)
    station = Workstation(fleet, topsctl_release, schema)
    packages = bundle(python=fleet.hosts[0].python_minor())
    targets = ("root@h1", "free@h2")
    station.json("deploy", packages, *targets, code=0)
    there = [part for target in targets for part in ("--target", target)]

    def run(*argv, code=0):
        done = fleet.client.run([topsctl_release, *argv, *there, "--json"], timeout=300)
        assert done.returncode == code, done.stdout + done.stderr
        document = json.loads(done.stdout)
        schema(document, "targets")
        return [each["report"] for each in document["targets"]]

    for report in run("history"):
        schema(report, "history")
        assert [each["outcome"] for each in report["transactions"]] == ["committed"]
    asked = fleet.client.on_terminal([topsctl_release, "rollback", *there], [(r"Run it on 2 targets\? \[y/N\]", "n")], 300)
    assert asked.returncode == 130 and not asked.unanswered, asked.output
    seen = fleet.client.on_terminal([topsctl_release, "verify", "--level", "files", "--target", "root@h1"], (), 300).output
    assert [line for line in seen.splitlines() if len(line) > 80 and max(map(len, line.split())) < 70] == [], seen
    plan = [topsctl_release, "rollback", "--dry-run", *there]
    whole, quiet = (fleet.client.run([*plan, *more], timeout=300).stdout for more in ((), ("-q",)))
    assert "tops-eccl" in whole and "tops-eccl" not in quiet and quiet.count("state:") == 2, (whole, quiet)
    for report in run("rollback"):
        schema(report, "rollback")
        assert report["outcome"] == "rolled_back"
    text = fleet.client.run([topsctl_release, "history", *there], timeout=300)
    assert text.returncode == 0 and "root@h1" in text.stdout and "free@h2" in text.stdout, text.stdout + text.stderr


def test_hosts_without_the_stack_have_problems_and_no_error(make_fleet, topsctl_release, schema):
    fleet = make_fleet(2)
    there = ["--target", "root@h1"]
    for targets in (there, [*there, "--target", "root@h2"]):
        command = [topsctl_release, "verify", "--level", "files", *targets]
        done = fleet.client.run([*command, "--json"], timeout=300)
        document = json.loads(done.stdout)
        schema(document, "targets")
        assert (done.returncode, document["status"], document["error"]) == (5, "problems", None), done
        for each in document["targets"]:
            schema(each["report"], "verify")
            assert (each["exit_status"], each["report"]["status"]) == (5, "problems"), each
        text = fleet.client.run(command, timeout=300)
        assert text.returncode == 5 and "not installed" in text.stdout and "error:" not in text.stderr, text
        quiet = fleet.client.run([*command, "-q"], timeout=300)
        assert quiet.returncode == 5 and quiet.stdout == text.stdout and text.stderr and not quiet.stderr, (quiet, text)


def test_doctor_asks_three_hosts_and_names_the_one_without_cards(make_fleet, topsctl_release, tmp_path, schema):
    fleet = make_fleet(3)
    for host in (fleet.hosts[0], fleet.hosts[2]):
        os.mknod(host.path("/dev/gcu0"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    hosts = fleet.home / "hosts"
    hosts.write_text("root@h1\nroot@h2\nroot@h3\n")
    command = [topsctl_release, "doctor", "--hosts", hosts, "--only", "no-device-nodes", "--level", "files"]
    done = fleet.client.run([*command, "--json"], timeout=300)
    document = json.loads(done.stdout)
    schema(document, "targets")
    verdicts = {}
    for each in document["targets"]:
        schema(each["report"], "doctor")
        verdicts[each["target"]] = [(found["id"], each["report"]["verdict"]) for found in each["report"]["diagnoses"]]
    assert verdicts == {"root@h1": [], "root@h2": [("no-device-nodes", "problems")], "root@h3": []}, done
    assert done.returncode == 9, done  # not all of them are well
    text = fleet.client.run([*command, "--lang", "zh"], timeout=300)
    assert text.returncode == 9 and text.stdout.index("root@h2") < text.stdout.index("no-device-nodes"), text
