"""What topsctl tells though it does not work, by its reason; to be taken out when it is mended, which the tests ask for."""

DEFECTS = {  # (state, asked, told)
    "without backups nothing but --give-up works": [
        ("backups gone", "topsctl status", "topsctl recover --from-store"),
        ("backups gone", "topsctl recover", "topsctl recover --from-store"),
        ("backups gone", "topsctl rollback", "topsctl recover --from-store"),
        ("backups gone", "topsctl history", "topsctl recover"),
        ("backups gone", "topsctl install bundle --dry-run", "topsctl recover")],
    "a store that an install refuses is not seen by its dry run": [
        ("journal gone", "topsctl install bundle --dry-run", "topsctl install bundle")],
    "what was changed is no lock any more, and cannot be signed": [
        ("locks", "topsctl install bundle --lock changed.lock --dry-run", "topsctl lock --sign KEY changed.lock")],
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
