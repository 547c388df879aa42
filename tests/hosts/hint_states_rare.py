"""More states of a host whose hints are typed: damage, locks, a second stack, other shells."""

import pytest

from hosts.hint_states import THEIRS, asks
from hosts.hints import State
from support import vccl_double

STORE = "/var/lib/topsctl/transactions/1"
# The journal of an interrupted install, without its last bytes, with others, and gone; and what it kept.
CUT = f"truncate -s -7 {STORE}/journal"
GARBLED = f"printf 'garbled' | dd of={STORE}/journal bs=1 seek=40 conv=notrunc"
KEPT = f"{STORE}/snapshot"
TRUST = "mkdir -p /etc/topsctl/trusted.d && cp /srv/key.pub /etc/topsctl/trusted.d/"
KEY = "ssh-keygen -q -t ed25519 -N '' -f /srv/key"
WHOLE = (pytest.mark.whole,)
LOCKS = (KEY, "topsctl lock older -o older.lock", "topsctl lock bundle -o unsigned.lock", "cp unsigned.lock signed.lock",
         "topsctl lock signed.lock --sign key", "cp signed.lock changed.lock; cp signed.lock.sig changed.lock.sig",
         "sed -i 's/\"sha256\": \"[0-9]/\"sha256\": \"a/;t;s/\"sha256\": \"[a-f]/\"sha256\": \"0/' changed.lock")
STRICT = (TRUST, "echo '{\"require-signature\": true}' > /etc/topsctl/config.json",
          "topsctl stack show topsrider-t2x --json > mine.json")
RECOVERY = asks("""
    topsctl status
    topsctl recover
    topsctl history
    topsctl install bundle --dry-run
    topsctl rollback
    """)


def vccl(host):
    host.copy_in(vccl_double.make_deb(host.path("/srv")), "/srv/vccl/libnccl2.deb")


STATES = [
    State("journal cut", RECOVERY, parent="interrupted", setup=(CUT,), fill=THEIRS, marks=WHOLE, least=3),
    State("journal garbled", RECOVERY, parent="interrupted", setup=(GARBLED,), fill=THEIRS, least=9),
    State("journal gone", RECOVERY, parent="interrupted", setup=(f"rm {STORE}/journal",), fill=THEIRS, marks=WHOLE, least=6),
    State("backups gone", RECOVERY, parent="interrupted", setup=(f"rm -rf {KEPT}",), fill=THEIRS, least=5),
    State("changed since the interruption", RECOVERY, parent="interrupted",
          setup=("mkdir -p /usr/include/eccl; echo mine > /usr/include/eccl/eccl.h",), fill=THEIRS, marks=WHOLE, least=5),
    State("journal of an install garbled", asks("""
        topsctl status
        topsctl rollback
        topsctl history
        topsctl repair
        """), parent="installed", setup=(GARBLED,), fill=THEIRS, marks=WHOLE, least=7),
    State("backups of an install gone", asks("""
        topsctl status
        topsctl rollback
        topsctl history
        """), parent="installed", setup=(f"rm -rf {KEPT}",), fill=THEIRS, marks=WHOLE, least=3),
    State("locks", asks("""
        topsctl install bundle --lock older.lock --dry-run
        topsctl install bundle --lock unsigned.lock --dry-run
        topsctl install bundle --lock signed.lock --dry-run
        topsctl install bundle --lock changed.lock --dry-run
        topsctl install bundle --lock bundle/distributed --dry-run
        topsctl install bundle --lock fine.py --dry-run
        topsctl inspect bundle --lock no/such.lock
        topsctl lock older.lock
        topsctl lock older.lock --sign no-key
        topsctl lock older.lock --sign fine.py
        """), setup=LOCKS, fill={**THEIRS, "BUNDLE": "/srv/bundle", "FILE": "/srv/new.lock"}, least=5),
    State("signatures required", asks("""
        topsctl install bundle --dry-run
        topsctl install bundle --lock unsigned.lock --dry-run
        topsctl install bundle --lock signed.lock --dry-run --stack mine.json
        topsctl install bundle --lock signed.lock --dry-run
        """), parent="locks", setup=STRICT, fill={**THEIRS, "FILE": "/srv/new.lock"}, least=4),
    State("snapshots", asks("""
        topsctl inspect bundle --against old.json
        topsctl inspect bundle --against fine.py
        topsctl inspect bundle --against now.json
        topsctl inspect incomplete --against now.json
        """), setup=("topsctl snapshot -o now.json",
                "sed 's/\"schema\": 1/\"schema\": 99/' now.json > old.json"), fill=THEIRS, least=3),
    State("second stack", asks("""
        topsctl status
        topsctl inspect vccl
        topsctl install vccl --dry-run
        topsctl verify --stack vccl-2.26.6
        topsctl env --stack vccl-2.26.6
        topsctl inspect bundle vccl
        topsctl install bundle vccl
        """), parent="installed", make=vccl, fill={**THEIRS, "BUNDLE": "/srv/vccl"}, marks=WHOLE, least=7),
    State("in fish", asks("topsctl status\ntopsctl env check\ntopsctl doctor"), parent="installed", shell="fish", fill=THEIRS, least=3),
    State("in tcsh", asks("topsctl status\ntopsctl env check"), parent="installed", shell="tcsh", fill=THEIRS, least=2),
    State("module incomplete", asks("""
        topsctl status
        topsctl verify --level files
        topsctl install bundle --dry-run
        """), parent="installed",
          changes=("topsctl repair",), setup=("rm /usr/local/lib/python3.9/dist-packages/torch_gcu/__init__.py",), fill=THEIRS, marks=WHOLE, least=4),
]
