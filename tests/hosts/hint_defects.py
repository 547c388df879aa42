"""What topsctl tells though it does not work, by its reason; to be taken out when it is mended, which the tests ask for."""

DEFECTS = {  # (state, asked, told)
    "it leads to --force, which others alone can decide": [
        ("changed since the interruption", "topsctl status", "topsctl recover"),
        ("changed since the interruption", "topsctl history", "topsctl recover"),
        ("changed since the interruption", "topsctl install bundle --dry-run", "topsctl recover")],
}


def judge(state, failed):
    """`failed`: reasons by (asked, told). All that fails must be known here, and what is known here must fail."""
    known = {(ask, line) for entries in DEFECTS.values() for name, ask, line in entries if name == state}
    unknown = [f"{ask}  told  {line}: {reason}" for (ask, line), reason in failed.items() if (ask, line) not in known]
    assert not unknown, "\n".join(["", *unknown])
    assert known <= set(failed), f"these work by now: {known - set(failed)}"
