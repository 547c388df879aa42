"""Commands that are done on other machines by --target: history, verify and rollback of what was deployed there."""

import json

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
    for report in run("rollback"):
        schema(report, "rollback")
        assert report["outcome"] == "rolled_back"
    text = fleet.client.run([topsctl_release, "history", *there], timeout=300)
    assert text.returncode == 0 and "root@h1" in text.stdout and "free@h2" in text.stdout, text.stdout + text.stderr
