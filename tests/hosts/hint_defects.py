"""What topsctl tells though it does not work, by its reason; to be taken out when it is mended, which the tests ask for."""

FLEET = "fleet"

DEFECTS = {  # (state, asked, told)
    "what follows the command is no part of it": [
        ("to be confirmed", "topsctl install bundle --confirm-timeout 900", "topsctl confirm 1 within 900 s")],
    "nobody is to type it: it is named": [
        ("locks", "topsctl lock older.lock --sign no-key", "topsctl lock"),
        ("locks", "topsctl lock older.lock --sign fine.py", "topsctl lock")],
    "tcsh does not understand it": [
        ("in tcsh", "topsctl env check", 'eval "$(topsctl env)"')],
    "without backups nothing but --give-up works": [
        ("backups gone", "topsctl status", "topsctl recover --from-store"),
        ("backups gone", "topsctl recover", "topsctl recover --from-store"),
        ("backups gone", "topsctl rollback", "topsctl recover --from-store"),
        ("backups gone", "topsctl history", "topsctl recover"),
        ("backups gone", "topsctl install bundle --dry-run", "topsctl recover")],
    "a store that an install refuses is not seen by its dry run": [
        ("journal gone", "topsctl install bundle --dry-run", "topsctl install bundle")],
    "it leads to --force, which others alone can decide": [
        ("changed since the interruption", "topsctl status", "topsctl recover"),
        ("changed since the interruption", "topsctl history", "topsctl recover"),
        ("changed since the interruption", "topsctl install bundle --dry-run", "topsctl recover")],
    "a launch needs a script": [
        ("bare", "topsctl runs", "topsctl launch"),
        ("installed", "topsctl runs", "topsctl launch"),
        ("mistyped", "topsctl shim", "topsctl launch"),
        ("project", "topsctl doctor --project /srv/project", "topsctl launch"),
        ("project", "topsctl doctor --project /srv/project --apply --style import", "topsctl launch")],
    "nothing is there to be rolled back: the text is that of the file, but this is the output": [
        ("bare", "topsctl env", "topsctl rollback"),
        ("bundle", "topsctl env --stack topsrider-t2x", "topsctl rollback")],
    "what was found cannot be installed without what is missing": [
        ("snapshots", "topsctl inspect incomplete --against now.json",
         "topsctl install incomplete --stack topsrider-t2x --components sdk,topsfactor,torch_gcu --dry-run"),
        ("bundle", "topsctl inspect incomplete",
         "topsctl install incomplete --stack topsrider-t2x --components sdk,topsfactor,torch_gcu --dry-run")],
    "the words of the command line are not put in": [
        ("bundle", "topsctl install incomplete --dry-run --stack topsrider-t2x --components sdk,topsfactor,torch_gcu",
         "topsctl inspect BUNDLE --deep --against ROOT"),
        ("locks", "topsctl install bundle --lock older.lock --dry-run", "topsctl lock BUNDLE --output FILE"),
        ("locks", "topsctl install bundle --lock changed.lock --dry-run", "topsctl lock --sign KEY FILE"),
        ("locks", "topsctl install bundle --lock fine.py --dry-run", "topsctl lock BUNDLE --output FILE"),
        ("locks", "topsctl lock older.lock", "topsctl lock BUNDLE --output FILE"),
        ("signatures required", "topsctl install bundle --dry-run", "topsctl lock BUNDLE --output FILE --sign KEY"),
        ("signatures required", "topsctl install bundle --lock unsigned.lock --dry-run", "topsctl lock BUNDLE --output FILE --sign KEY"),
        ("signatures required", "topsctl install bundle --lock signed.lock --dry-run --stack mine.json", "topsctl lock --sign KEY FILE"),
        ("mistyped", "topsctl lock /srv/bundle", "topsctl lock BUNDLE --output FILE"),
        ("mistyped", "topsctl install /srv/bundle --lock /srv/no.lock", "topsctl lock BUNDLE --output FILE"),
        ("mistyped", "topsctl doctor --project /srv/project --accept no-such", "topsctl doctor --project DIR")],
    "the history knows the bundle": [
        ("interrupted", "topsctl repair", "topsctl repair BUNDLE"),
        ("interrupted", "topsctl verify", "topsctl install BUNDLE"),
        ("package removed", "topsctl verify", "topsctl install BUNDLE")],

    "the bundle is not where it was": [
        ("bundle gone", "topsctl verify --level files", "topsctl repair")],
    "only root may": [
        ("a user, library missing", "topsctl verify --level files", "topsctl repair"),
        ("a user", "topsctl install bundle --reinstall --dry-run", "topsctl install bundle --reinstall"),
        ("a user, nothing installed", "topsctl install bundle --dry-run", "topsctl install bundle"),
        ("a user, nothing installed", "topsctl verify", "topsctl install BUNDLE")],
    "it is of another root directory": [
        ("another root, interrupted", "topsctl history --root /mnt", "topsctl recover"),
        ("another root, interrupted", "topsctl install bundle --dry-run --root /mnt", "topsctl recover"),
        ("another root, interrupted", "topsctl confirm 1 --root /mnt", "topsctl history"),
        ("another root, awaiting", "topsctl history --root /mnt", "topsctl confirm 1"),
        ("another root, awaiting", "topsctl history --root /mnt", "topsctl recover"),
        ("another root", "topsctl verify --level files --root /mnt", "topsctl repair"),
        ("another root", "topsctl rollback 9 --root /mnt", "topsctl history")],
    "it is of the target, and told as for the workstation": [
        (FLEET, "topsctl rollback --target root@h1", "topsctl history"),
        (FLEET, "topsctl rollback 7 --target root@h1", "topsctl history"),
        (FLEET, "topsctl confirm 1 --target root@h1", "topsctl history"),
        (FLEET, "topsctl history show 3 --target root@h1", "topsctl history"),
        (FLEET, "topsctl verify --target root@h1 --level files", "topsctl install BUNDLE"),
        (FLEET, "topsctl verify --target root@h1 --level files", "topsctl env"),
        (FLEET, "topsctl watch --target root@h1", "topsctl doctor"),
        (FLEET, "topsctl doctor --target root@h1 --level files", "topsctl verify"),
        (FLEET, "topsctl doctor --target root@h1 --level files", "topsctl env exec -- PROGRAM")],
}


def judge(state, failed):
    """`failed`: reasons by (asked, told). All that fails must be known here, and what is known here must fail."""
    known = {(ask, line) for entries in DEFECTS.values() for name, ask, line in entries if name == state}
    unknown = [f"{ask}  told  {line}: {reason}" for (ask, line), reason in failed.items() if (ask, line) not in known]
    assert not unknown, "\n".join(["", *unknown])
    assert known <= set(failed), f"these work by now: {known - set(failed)}"
