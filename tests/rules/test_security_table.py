"""The table of hostile packages in docs/security.md is the one that the tests check."""

from support.corpus.cases import CASES
from support.hostile import DOCUMENT, PACKAGES, REFUSED, severities, with_table


def test_the_table_is_current():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == with_table(text), "run tests/support/hostile.py"


def test_there_are_enough_packages_and_each_has_a_finding():
    assert len(PACKAGES) >= 60 and set(PACKAGES) <= set(CASES)
    assert all(package.ids for package in PACKAGES.values())


def test_what_is_an_error_is_refused():
    severity = severities()
    taken = [name for name, package in PACKAGES.items() if package.install != REFUSED
             and any(severity[one] in ("error", "critical") for one in package.ids)]
    assert taken == ["deb-md5sums-differ", "deb-listed-file-missing"]
