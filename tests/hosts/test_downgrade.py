"""An older generation over a newer one on a real host: refused, done when it is allowed, and undone exactly."""

from hosts.operations import OLD_STACK, PACKAGES, Operator

OLDER, NEWER = "2.4.87", "2.5.136"


def test_a_downgrade_is_refused_unless_allowed_and_undone_like_any_other(host, topsctl_release, run_topsctl, bundle, schema):
    operator = Operator(host, topsctl_release, run_topsctl)
    newer, older = (bundle(generation=each, python=host.python_minor(), only_needed=True) for each in (NEWER, OLDER))
    operator.json("install", newer)
    # dpkg itself would leave the newer packages, and end with 0.
    host.path("/etc/dpkg/dpkg.cfg.d/careful").write_text("refuse-downgrade\n")
    before = operator.digest()
    go_back = ["install", older, "--stack", OLD_STACK]

    for more in (["--dry-run"], []):
        refused = operator.topsctl(*go_back, *more)
        assert refused.code == 4 and "--allow-downgrade" in refused.err, refused
        for name in PACKAGES:
            assert f"{name} {NEWER}-1 is installed, the package has {OLDER}-1" in refused.err, refused
        assert f"{NEWER} is installed, the wheel has" in refused.err, refused
        assert operator.changes_since(before) == []
    assert len(operator.json("history")["transactions"]) == 1

    planned = operator.json(*go_back, "--allow-downgrade", "--dry-run")
    done = operator.json(*go_back, "--allow-downgrade")
    schema(done, "install")
    assert done["outcome"] == "committed" and done["plan"] == planned["plan"]
    assert {package["action"] for package in done["plan"]["packages"]} == {"downgrade"}
    assert f"tops-eccl is downgraded from {NEWER}-1 to {OLDER}-1" in done["warnings"]
    assert {state.split()[-1] for state in operator.dpkg_states().values()} == {f"{OLDER}-1"}
    assert operator.imports_torch_gcu().stdout.strip().endswith(OLDER)
    assert operator.json("rollback")["rollback"]["verified"]["paths_differing"] == 0
    assert operator.changes_since(before) == []
