"""Tests of the whole-root digest: every kind of change is seen, named in a line, and nothing else is."""

import os
import time

import pytest

from hosts.digest import tree_digest


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "root"
    (root / "etc").mkdir(parents=True)
    (root / "etc" / "file").write_text("one")
    (root / "etc" / "link").symlink_to("file")
    (root / "var" / "lib").mkdir(parents=True)
    return root


def changed(tree, change, **options):
    before = tree_digest(tree, **options)
    change()
    return before.diff(tree_digest(tree, **options))


def keep_time(path, action):
    info = path.stat()
    action()
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


def test_an_untouched_tree_has_no_difference(tree):
    assert changed(tree, lambda: (tree / "etc" / "file").read_text()) == []


def test_content_is_compared_when_size_and_time_are_the_same(tree):
    file = tree / "etc" / "file"
    lines = changed(tree, lambda: keep_time(file, lambda: file.write_text("two")))
    assert len(lines) == 1 and lines[0].startswith("~ /etc/file: content ")


def test_mode_owner_time_target_and_links_are_compared(tree):
    file, link = tree / "etc" / "file", tree / "etc" / "link"
    assert changed(tree, lambda: file.chmod(0o4755)) == ["~ /etc/file: mode 0644 -> 4755"]
    assert "mtime_ns" in changed(tree, lambda: os.utime(file, ns=(1, 1)))[0]
    lines = changed(tree, lambda: keep_time(tree / "etc", lambda: (link.unlink(), link.symlink_to("other"))))
    assert "target file -> other" in lines[0]
    lines = changed(tree, lambda: os.link(file, tree / "etc" / "second"))
    assert "+ /etc/second (file)" in lines and any("nlink 1 -> 2" in line for line in lines)


def test_extended_attributes_are_compared(tree):
    try:
        os.setxattr(tree, "user.try", b"")
        os.removexattr(tree, "user.try")
    except OSError:
        pytest.skip("the file system of the temporary folder has no user attributes")
    assert "xattrs" in changed(tree, lambda: os.setxattr(tree / "etc" / "file", "user.mark", b"1"))[0]


def test_what_appears_and_vanishes_is_named(tree):
    def change():
        (tree / "etc" / "file").unlink()
        (tree / "var" / "new").mkdir()
    lines = changed(tree, change)
    assert "- /etc/file (file)" in lines and "+ /var/new (dir)" in lines
    assert any(line.startswith("~ /etc: mtime_ns") for line in lines)


def test_what_is_excluded_may_come_and_go(tree):
    def change():
        (tree / "var" / "lib" / "topsctl" / "deep").mkdir(parents=True)
        (tree / "var" / "lib" / "topsctl" / "deep" / "file").write_text("x")
        (tree / "report_1").write_text("x")
    assert changed(tree, change, exclude=["/var/lib/topsctl", "/report_*"]) == []


def test_fields_can_be_ignored(tree):
    before = tree_digest(tree)
    os.utime(tree / "etc" / "file", ns=(1, 1))
    assert before.diff(tree_digest(tree), ignore=("mtime_ns",)) == []


def test_a_change_in_a_host_is_seen_although_hashes_are_cached(host):
    before = host.digest()
    start = time.monotonic()
    assert before.diff(host.digest()) == []
    assert time.monotonic() - start < 10
    path = host.path("/etc/os-release").resolve() if not host.path("/etc/os-release").is_symlink() \
        else host.path("/usr/lib/os-release")
    text = path.read_text()
    keep_time(path, lambda: path.write_text(text.swapcase()))
    lines = before.diff(host.digest())
    assert len(lines) == 1 and "os-release: content" in lines[0]


def test_commands_that_change_nothing_leave_the_digest(host):
    before = host.digest()
    host.run(["dpkg", "-l"])
    host.run(["ls", "-lR", "/etc"])
    assert before.diff(host.digest()) == []
