"""What packaging/quickstart shows a newcomer works on a host as it makes one: without cards."""

import shlex

BUNDLE = "/srv/bundle"


def shown(script):
    """The calls of topsctl that it shows, for a machine and not for a folder."""
    calls = []
    for line in script.read_text().splitlines():
        words = shlex.split(line, comments=True) if line.strip().startswith("show topsctl ") else []
        while "--root" in words:
            at = words.index("--root")
            del words[at:at + 2]
        if words:
            calls.append([{"$bundle": BUNDLE, "$report": "/srv/report.json"}.get(word, word) for word in words[1:]])
    return calls


def test_every_command_that_it_shows_ends_well(topsctl_host, bundle, repository):
    host = topsctl_host
    host.copy_in(bundle(python=host.python_minor()), BUNDLE)
    calls = shown(repository / "packaging" / "quickstart")
    assert {call[1] for call in calls} >= {"inspect", "install", "verify", "history", "rollback"}
    for call in calls:
        done = host.run(call, timeout=600)
        assert done.returncode == 0, f"{call}\n{done.stdout}{done.stderr}"
