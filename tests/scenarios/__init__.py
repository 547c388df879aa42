"""Stories of what a user sees: one folder each, run by test_scenarios.py."""
