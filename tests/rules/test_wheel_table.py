"""The table of rules in docs/wheels.md is the one that tests/peers checks."""

from support.wheel_table import DOCUMENT, RULES, with_table


def test_the_table_is_current():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == with_table(text), "run tests/support/wheel_table.py"


def test_each_rule_has_its_cases():
    assert all(rule.cases for rule in RULES.values())
