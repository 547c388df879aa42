"""Tests of the closing summary: counts of both kinds of results, names, reasons, and what counts as a failure."""

import io

from support.summarise import summary_of, write

GTEST = """<?xml version="1.0"?><testsuites tests="4"><testsuite name="Text">
<testcase name="splits" status="run" result="completed" classname="Text" />
<testcase name="joins" status="run" result="completed" classname="Text">
  <failure message="a.cpp:3&#x0A;expected 1" type=""><![CDATA[a.cpp:3
expected 1]]></failure></testcase>
<testcase name="sleeps" status="run" result="skipped" classname="Text">
  <skipped message="a.cpp:9&#x0A;no clock" /></testcase>
<testcase name="DISABLED_x" status="notrun" result="suppressed" classname="Text" />
</testsuite></testsuites>"""

PYTEST = """<?xml version="1.0"?><testsuites><testsuite name="pytest">
<testcase classname="hosts.test_hosts" name="test_a" />
<testcase classname="hosts.test_hosts" name="test_b">
  <skipped type="pytest.skip" message="needs root: no">x</skipped></testcase>
<testcase classname="" name="hosts.test_c"><error message="collection failure">ImportError</error></testcase>
<testcase classname="hosts.test_hosts" name="test_d">
  <failure message="m">body</failure><error message="t">end</error></testcase>
</testsuite></testsuites>"""


def lines_of(total):
    stream = io.StringIO()
    write(total, stream)
    return stream.getvalue().splitlines()


def test_results_of_both_kinds_are_added_up(tmp_path):
    (tmp_path / "unit.xml").write_text(GTEST)
    (tmp_path / "py.xml").write_text(PYTEST)
    total = summary_of([tmp_path / "unit.xml", tmp_path / "py.xml"])
    lines = lines_of(total)
    assert lines[-1] == "2 passed, 3 failed, 2 skipped"
    assert lines[-3:-1] == ["skipped: Text.sleeps: no clock", "skipped: hosts.test_hosts.test_b: needs root: no"]
    assert "failed: Text.joins" in lines and "failed: hosts.test_c" in lines
    assert not total.good


def test_all_passed_is_good_and_nothing_passed_is_not(tmp_path):
    (tmp_path / "one.xml").write_text('<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>')
    (tmp_path / "none.xml").write_text("<testsuites/>")
    assert summary_of([tmp_path / "one.xml"]).good
    assert not summary_of([tmp_path / "none.xml"]).good


def test_a_failed_build_and_missing_or_torn_results_are_failures(tmp_path):
    (tmp_path / "torn.xml").write_text("<testsuites><testsuite>")
    total = summary_of([tmp_path / "torn.xml", tmp_path / "absent.xml"], ["build of dev=see build/dev.log"])
    assert lines_of(total)[-1] == "0 passed, 3 failed, 0 skipped"
    assert ("build of dev", "see build/dev.log") in total.failed


def test_a_long_failure_keeps_its_end(tmp_path):
    text = "\n".join(f"line {number}" for number in range(200))
    (tmp_path / "one.xml").write_text(f'<t><testcase name="a"><failure>{text}</failure></testcase></t>')
    lines = lines_of(summary_of([tmp_path / "one.xml"]))
    assert len(lines) == 28 and lines[-2].strip() == "line 199"
