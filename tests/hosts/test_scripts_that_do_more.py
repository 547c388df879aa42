"""Packages whose scripts do what no prediction from their files can know: the host is as before all the same."""

import pytest

from hosts.crafted import deb
from hosts.operations import PREDICTED, Operator


@pytest.fixture
def operator(host, topsctl_release, run_topsctl):
    return Operator(host, topsctl_release, run_topsctl, PREDICTED)


def fails_and_is_undone(operator, bundle, before):
    report = operator.json("install", bundle, code=8)
    assert report["rollback"]["verified"]["differing"] == [], report["rollback"]
    assert operator.changes_since(before) == []


def test_a_folder_that_became_a_link_is_not_followed_out_of_the_root(operator, with_eccl, tmp_path):
    outside = tmp_path / "outside"
    (outside / "sub").mkdir(parents=True)
    (outside / "sub" / "x").write_text("precious")
    (outside / "mine").write_text("precious")
    bundle = with_eccl(f"rm -rf /opt/t/d; ln -s {outside} /opt/t/d; exit 1", files=["/opt/t/d/mine", "/opt/t/d/sub/x"])
    before = operator.digest()
    fails_and_is_undone(operator, bundle, before)
    assert (outside / "sub" / "x").read_text() == "precious" and (outside / "mine").read_text() == "precious"


def test_a_folder_that_became_a_link_is_not_followed_within_the_root(operator, host, with_eccl):
    kept = host.path("/srv/data/lib/model")
    kept.parent.mkdir(parents=True)
    kept.write_text("precious")
    bundle = with_eccl("cp -a /opt/t/. /srv/data; rm -rf /opt/t; ln -s /srv/data /opt/t; exit 1", files=["/opt/t/lib/a"])
    operator.topsctl("install", bundle)
    assert kept.read_text() == "precious"
    assert not host.path("/opt/t").exists() and not host.path("/opt/t").is_symlink()


def test_a_link_that_became_a_folder_is_a_link_again(operator, host, with_eccl):
    host.path("/srv/real").mkdir()
    host.path("/srv/link").symlink_to("real")
    bundle = with_eccl("rm /srv/link; mkdir /srv/link; echo x >/srv/link/y; exit 1", files=["/srv/link/a"])
    before = operator.digest()
    fails_and_is_undone(operator, bundle, before)


def test_a_package_that_had_to_go_comes_back(operator, host, with_eccl, tmp_path):
    old = tmp_path / "eccl.deb"
    deb(tmp_path / "old", old, "eccl", "1.0", "", "", ["/opt/old/lib/libeccl.so.1", "/opt/old/README"])
    host.copy_in(old, "/srv/eccl.deb")
    host.run(["dpkg", "-i", "/srv/eccl.deb"], check=True)
    bundle = with_eccl("exit 1", "Conflicts: eccl\nReplaces: eccl\nProvides: eccl\n", ["/opt/new/a"])
    before = operator.digest()
    fails_and_is_undone(operator, bundle, before)


def test_a_diverted_file_is_what_it_was(operator, host, with_eccl):
    distributed = host.path("/opt/q/data.distrib")
    distributed.parent.mkdir(parents=True)
    distributed.write_text("the one before")
    host.run(["dpkg-divert", "--local", "--no-rename", "--divert", "/opt/q/data.distrib", "--add", "/opt/q/data"],
             check=True)
    bundle = with_eccl("exit 1", files=["/opt/q/data"])
    before = operator.digest()
    fails_and_is_undone(operator, bundle, before)


def test_a_conffile_that_a_helper_set_aside_is_what_it_was(operator, host, with_eccl, tmp_path):
    old, helper = tmp_path / "eccl.deb", 'dpkg-maintscript-helper rm_conffile /etc/eccl.conf 2.0~ tops-eccl -- "$@"'
    deb(tmp_path / "old", old, "tops-eccl", "1.0", "", "", ["/etc/eccl.conf"], scripts={"conffiles": "/etc/eccl.conf"})
    host.copy_in(old, "/srv/eccl.deb")
    host.run(["dpkg", "-i", "/srv/eccl.deb"], check=True)
    host.path("/etc/eccl.conf").write_text("edited\n")
    before = operator.digest()
    report = operator.json("install", with_eccl(helper, scripts=dict.fromkeys(("preinst", "postrm"), helper)))
    assert host.path("/etc/eccl.conf.dpkg-bak").exists() and report["escaped_paths"] == []
    operator.json("rollback")
    assert operator.changes_since(before) == []


def test_a_conffile_that_its_package_gave_up_changes_hands_and_back(operator, host, with_eccl, tmp_path):
    for version, files in (("1.0", ["/etc/eccl.conf"]), ("2.0", ["/opt/old/README"])):
        old = tmp_path / "eccl.deb"
        deb(tmp_path / version, old, "eccl-settings", version, "", "", files,
            scripts={"conffiles": "/etc/eccl.conf"} if version == "1.0" else {})
        host.copy_in(old, "/srv/eccl.deb")
        host.run(["dpkg", "-i", "/srv/eccl.deb"], check=True)
    assert "obsolete" in host.run(["dpkg-query", "-Wf${Conffiles}", "eccl-settings"], check=True).stdout
    before = operator.digest()
    operator.json("install", with_eccl("", files=["/etc/eccl.conf"], scripts={"conffiles": "/etc/eccl.conf"}))
    operator.json("verify", "--level", "import")
    operator.json("rollback")
    assert operator.changes_since(before) == []


def test_what_a_failed_script_left_running_writes_no_more(operator, host, with_eccl):
    bundle = with_eccl("(sleep 60; echo late >/etc/profile.d/late.sh) & exit 1", files=["/opt/t/a"])
    before = operator.digest()
    fails_and_is_undone(operator, bundle, before)
    assert host.running() == [], "what is left would write later"
    assert operator.changes_since(before) == []


def test_what_the_administrator_changed_besides_outlives_a_rollback(operator, host, bundle):
    operator.json("install", bundle(python=host.python_minor(), only_needed=True))
    host.run(["dpkg", "--add-architecture", "i386"], check=True)
    assert operator.json("rollback")["rollback"]["verified"]["differing"] == []
    assert host.run(["dpkg", "--print-foreign-architectures"], check=True).stdout.split() == ["i386"]
