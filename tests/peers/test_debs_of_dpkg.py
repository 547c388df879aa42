"""What dpkg refuses of debs that are made wrong in one way each, inspect says; what it takes is taken."""

import pytest

from support.dpkg_rules import DOCUMENT, judged, missed, stricter, with_table
from support.topsctl import run_topsctl
from support.wrong_debs import STRICTER


@pytest.fixture(scope="module")
def verdicts(topsctl_dev, tmp_path_factory):
    place = tmp_path_factory.mktemp("dpkg")
    return judged(place, lambda folder: run_topsctl(topsctl_dev, ["inspect", "--deep", "--json", folder], home=place).json)


def test_there_are_enough_of_them(verdicts):
    assert sum(one.dpkg is not None for one in verdicts) >= 200
    assert sum(one.dpkg is None for one in verdicts) >= 100


def test_what_dpkg_refuses_inspect_says(verdicts):
    assert missed(verdicts) == []


def test_what_dpkg_takes_is_taken_but_for_what_is_listed(verdicts):
    assert sorted(stricter(verdicts)) == sorted(case for cases in STRICTER.values() for case in cases)


def test_the_table_in_the_documents_is_theirs(verdicts):
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == with_table(text, verdicts), "run tests/support/dpkg_rules.py build/dev/topsctl"
