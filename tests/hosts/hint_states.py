"""The states of a host whose hints are typed, and what is asked there."""

import json
from pathlib import Path

import pytest

from hosts.cards import CARDS, give_efsmi
from hosts.hints import State
from hosts.test_confirmation import NEW_CONNECTION, OLD_CONNECTION
from hosts.test_status import INTERRUPT, LIBRARY, PROFILE
from hosts.test_verify import give_cards

USER = 2001  # `free` of users.py: sudo asks it for nothing
TRAIN = """
import json, subprocess, sys, time
running = subprocess.Popen(["topsctl", "launch", "--preflight", "none", "--nproc", "2", "--log-dir", "/srv/logs", "--", "/srv/wait.py"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while True:
    runs = json.loads(subprocess.run(["topsctl", "runs", "--json"], stdout=subprocess.PIPE, universal_newlines=True).stdout)["runs"]
    if running.poll() is not None or (runs and runs[-1]["state"] == "running" and runs[-1]["ranks"]):
        break
done = subprocess.run(sys.argv[1:])
running.terminate()
running.wait()
sys.exit(done.returncode)
"""
# Ends when somebody follows its log, or with the one who started it.
WAIT = """
import glob, time
print("begun", flush=True)
def followed():
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            if b"--follow" in open(path, "rb").read().split(b"\\0"):
                return True
        except OSError:
            pass
while not followed():
    time.sleep(0.05)
"""
FAILS = "import sys\nprint('RuntimeError: No backend type associated with device type gcu')\nsys.exit(3)\n"
PATCHED = "import torch\n\nif __name__ == '__main__':\n    torch.cuda.set_device(0)\n    torch.distributed.init_process_group('nccl')\n"
PYTHON = "3.9"
TREES = {  # bundles of every host, by place
    "/srv/bundle": {"python": PYTHON, "only_needed": True},
    "/srv/failing": {"python": PYTHON, "only_needed": True, "faults": ("postinst-fails",)},
    "/srv/truncated": {"python": PYTHON, "only_needed": True, "faults": ("truncated-deb",)},
    "/srv/incomplete": {"python": PYTHON, "only_needed": True, "faults": ("missing-eccl",)},
    "/srv/older": {"python": PYTHON, "only_needed": True, "generation": "2.4.87"},
}
FILES = {"/srv/train.py": TRAIN, "/srv/wait.py": WAIT, "/srv/fails.py": FAILS, "/srv/fine.py": "print(1)\n",
         "/srv/project/train.py": PATCHED, "/srv/h/hosts": "root@h1\n"}
INSTALL = "topsctl install /srv/bundle --yes"
LOADED = f". {PROFILE}; "
BIND = ("unshare", "-m", "sh", "-c", 'mount --bind / /mnt && exec "$@"', "sh")
# What nobody but the user can know.
THEIRS = {"SCRIPT": "/srv/fine.py", "ARGS...": "--epochs 1", "PROGRAM": "/bin/true", "STACK": "topsrider-t2x", "PYTHON": "/usr/bin/python3",
          "LIST": "0,1", "NAME.service.d": "ssh.service.d", "COMMAND": "install", "KEY": "/srv/key"}
GIVEN = {**THEIRS, "BUNDLE": "/srv/bundle"}  # where no bundle was installed
DIAGNOSES = Path(__file__).parents[2] / "src/data/diagnoses"


def cards(host):
    give_cards(host)
    give_efsmi(host, range(CARDS))


def asks(text):
    return tuple(line.strip() for line in text.strip().splitlines())


def explanations(of_launch):
    """Asks for each diagnosis that tells a command of topsctl: those that tell a launch, or the others."""
    for file in sorted(DIAGNOSES.glob("*.json")):
        for each in json.loads(file.read_text(encoding="utf-8")).get("diagnoses", ()):
            remedy = json.dumps(each["remedy"])
            if "topsctl " in remedy and ("topsctl launch" in remedy) == of_launch:
                yield f"topsctl doctor --explain {each['id']}"



# What topsctl prints is not what it understands: what the tests must see.
ALTERED = State("altered", ("topsctl status",), parent="interrupted", setup=(
    "mv /usr/local/bin/topsctl /usr/local/bin/topsctl.true", "cp /srv/altering.sh /usr/local/bin/topsctl; chmod 755 /usr/local/bin/topsctl"),
    files={"/srv/altering.sh": """#!/bin/sh
topsctl.true "$@" >/tmp/unaltered 2>&1
code=$?
sed 's/topsctl recover/topsctl recovery/' /tmp/unaltered
exit $code
"""})


STATES = [
    State("bare", asks("""
        topsctl status
        topsctl verify
        topsctl rollback
        topsctl repair
        topsctl confirm 1
        topsctl runs
        topsctl watch
        topsctl doctor
        topsctl env
        topsctl history show 7
        topsctl rollback 7
        topsctl history seven
        topsctl doctor --log /srv
        topsctl verify --stack vccl-2.26.6
        """), changes=("topsctl snapshot",), fill=GIVEN, least=13),
    State("mistyped", asks("""
        topsctl instal /srv/bundle --dry-run
        topsctl install
        topsctl install /srv/bundel --dry-run
        topsctl install /srv/bundle --dryrun
        topsctl inspect bundel
        topsctl help instal
        topsctl doctor --explain no-such
        topsctl doctor --only no-such
        topsctl env exec
        topsctl env chek
        topsctl env --format jsn
        topsctl env exec -- no-such
        topsctl runs show no-such
        topsctl runs logs no-such
        topsctl runs shw
        topsctl confirm
        topsctl confirm x
        topsctl rollback x
        topsctl recover --unless-confirmed
        topsctl lock /srv/bundle
        topsctl shim
        topsctl verify --level rank
        topsctl completion
        topsctl completion ksh
        topsctl watch no-such
        topsctl install /srv/bundle --accept no-such
        topsctl install /srv/bundle --components ecl --dry-run
        topsctl install /srv/bundle --stack topsrider-t2 --dry-run
        topsctl install /srv/bundle --lock /srv/no.lock
        topsctl inspect /srv/bundle --against /srv/no
        topsctl inspect /srv/bundle --diff /srv/bundel
        topsctl transfer
        topsctl deploy
        topsctl --lang xx status
        topsctl --colour never status
        topsctl doctor --project /srv/project --accept no-such
        topsctl doctor --project /srv/projekt
        topsctl rank -- /srv/fine.py
        topsctl stack show topsrider-t2
        topsctl stack shw
        topsctl history prun
        """), fill={**THEIRS, "FILE": "/srv/new.lock"}, least=44),
    State("mistyped, cards", asks("""
        topsctl launch
        topsctl launch /srv/fine.py
        topsctl launch -- fine.pi
        topsctl launch --again no-such
        topsctl launch --engine slrm --hosts-from n[0-1] --dry-run -- /srv/fine.py
        topsctl launch --preflight devise -- /srv/fine.py
        """), parent="cards", before=LOADED, fill=THEIRS, least=7),
    State("in a bundle", asks("topsctl status"), cwd="/srv/bundle"),
    State("bundle", asks("""
        topsctl inspect bundle
        topsctl install bundle --dry-run --components eccl
        topsctl inspect --against / bundle
        topsctl inspect --deep bundle
        topsctl inspect bundle/distributed
        topsctl inspect /srv/bundle/distributed/*eccl*
        topsctl inspect incomplete
        topsctl install incomplete
        topsctl install incomplete --dry-run --stack topsrider-t2x --components sdk,topsfactor,torch_gcu
        topsctl inspect truncated
        topsctl install truncated
        topsctl inspect older bundle
        topsctl install older bundle
        topsctl env --stack topsrider-t2x
        """), fill=THEIRS, least=5),
    State("archived", asks("""
        topsctl inspect bundle.tar.gz
        topsctl install bundle.tar.gz --dry-run
        """), fill={**THEIRS, "DIR": "/srv/bundle"}, setup=("tar czf bundle.tar.gz bundle",)),
    State("to be installed", asks("topsctl install bundle --dry-run"), fill=THEIRS),
    State("to be confirmed", changes=("topsctl install bundle --confirm-timeout 900",), is_live=True, env=OLD_CONNECTION, typed_env=NEW_CONNECTION, least=1),
    State("installed", asks("""
        topsctl status
        topsctl verify
        topsctl doctor
        topsctl env check
        topsctl env
        topsctl runs
        topsctl watch
        topsctl rollback 9
        topsctl confirm 9
        topsctl confirm 1
        topsctl history 9
        topsctl doctor --level import
        """), fill=THEIRS, setup=(INSTALL,), least=9),
    State("installed just now", changes=("topsctl install bundle",), fill=THEIRS),
    State("loaded", asks("""
        topsctl status
        topsctl env check
        topsctl doctor
        """), parent="installed", before=LOADED, fill=THEIRS, least=1),
    State("wrong shell", asks("""
        topsctl status
        topsctl env check
        topsctl doctor
        """), parent="installed", before=f"{LOADED}export ECCL_MAX_NCHANNELS=99 RANK=3 LD_LIBRARY_PATH=/nowhere; ", fill=THEIRS, least=3),
    State("library missing", asks("""
        topsctl status
        topsctl verify
        topsctl doctor
        """), parent="installed", setup=(f"rm {LIBRARY}",), fill=THEIRS, least=4),
    State("package removed", asks("""
        topsctl status
        topsctl verify
        topsctl rollback
        topsctl doctor
        """), parent="installed", setup=("dpkg --remove --force-depends tops-eccl",), fill=THEIRS, least=6),
    State("environment file missing", asks("""
        topsctl status
        topsctl verify --level files
        topsctl env check
        """), parent="installed", setup=(f"rm {PROFILE}",), fill=THEIRS, least=2),
    State("environment file edited", asks("""
        topsctl status
        topsctl verify --level files
        topsctl env check
        topsctl rollback
        """), parent="installed", setup=(f"echo export ECCL_DEBUG=TRACE >> {PROFILE}",), fill=THEIRS, least=4),
    State("bundle gone", asks("""
        topsctl status
        topsctl repair
        topsctl verify --level files
        topsctl doctor
        """), parent="library missing", setup=("mv /srv/bundle /srv/elsewhere",),
          fill={**THEIRS, "BUNDLE": "/srv/elsewhere"}, least=5),
    State("header changed", asks("""
        topsctl rollback
        topsctl status
        topsctl verify --level files
        """), parent="installed", setup=("echo '// mine' > /usr/include/eccl/eccl.h",), fill=THEIRS, least=2, marks=(pytest.mark.whole,)),
    State("rolled back", asks("""
        topsctl status
        topsctl rollback
        topsctl rollback 1
        topsctl confirm 1
        """), parent="installed", setup=("topsctl rollback --yes",), fill=GIVEN, least=4),
    State("interrupted", asks("""
        topsctl status
        topsctl install /srv/bundle --dry-run
        topsctl history
        topsctl history show 1
        topsctl repair
        topsctl confirm 1
        topsctl verify
        topsctl doctor
        """), files={"/srv/interrupt.py": INTERRUPT}, setup=("python3 /srv/interrupt.py /srv/bundle",), fill=THEIRS, least=10),
    State("awaiting", asks("""
        topsctl status
        topsctl history
        topsctl verify
        """), setup=(f"SSH_CONNECTION='{OLD_CONNECTION['SSH_CONNECTION']}' {INSTALL} --confirm-timeout 900",),
          env=NEW_CONNECTION, fill=THEIRS, least=5),
    State("awaiting, same connection", asks("""
        topsctl status
        topsctl confirm 1
        """), parent="awaiting", env=OLD_CONNECTION, typed_env=NEW_CONNECTION, least=2),
    State("awaiting, watched", changes=("topsctl recover --unless-confirmed 1 & topsctl history",), parent="awaiting", env=NEW_CONNECTION, is_live=True, fill=THEIRS),
    State("after a failed install", asks("""
        topsctl status
        topsctl rollback
        topsctl confirm 1
        topsctl history
        """), setup=("topsctl install /srv/failing --yes; true",), fill=GIVEN, least=3),
    State("a user", asks("""
        topsctl status
        topsctl install bundle --reinstall
        topsctl install bundle --reinstall --dry-run
        topsctl rollback
        topsctl history
        topsctl repair
        topsctl recover
        topsctl verify --level files
        topsctl env check
        topsctl lock bundle -o /etc/topsctl.lock
        topsctl snapshot -o /etc/snapshot.json
        """), parent="installed", user=USER, fill=THEIRS, least=10),
    State("a user, nothing installed", asks("""
        topsctl status
        topsctl install bundle --dry-run
        topsctl verify
        """), user=USER, fill=GIVEN, least=3),
    State("a user, interrupted", asks("""
        topsctl status
        topsctl recover
        topsctl history
        """), parent="interrupted", user=USER, fill=THEIRS, least=3),
    State("a user, library missing", asks("""
        topsctl status
        topsctl verify --level files
        """), parent="library missing", user=USER, fill=THEIRS, least=2),
    State("running", asks("""
        topsctl status
        topsctl runs
        topsctl watch
        topsctl doctor
        """), parent="installed", around=("python3", "/srv/train.py"), before=LOADED, fill=THEIRS),
    State("detached", changes=("topsctl launch --preflight none --nproc 1 -d -- wait.py",), parent="installed", is_live=True),
    State("failed run", asks("""
        topsctl status
        topsctl runs
        topsctl runs show
        topsctl watch
        topsctl runs stop 1
        topsctl doctor --log logs
        """), changes=("topsctl launch --preflight none --nproc 2 -- fails.py",), parent="installed", before=LOADED,
          setup=(f"{LOADED}topsctl launch --preflight none --nproc 2 --log-dir /srv/logs -- fails.py; true",),
          fill=THEIRS, least=3),
    State("project", asks("""
        topsctl doctor --project /srv/project
        """), changes=("topsctl doctor --project /srv/project --apply --style import",), parent="installed", fill=THEIRS, least=3),
    State("cards", asks("""
        topsctl watch
        topsctl launch --cards 9 -- fine.py
        """), parent="installed", make=cards, before=LOADED, fill=THEIRS, least=0),
    State("cards, all levels", asks("""
        topsctl status
        topsctl doctor
        """), parent="cards", before=LOADED, fill=THEIRS, marks=(pytest.mark.whole,)),
    State("explained", tuple(explanations(of_launch=False)), parent="installed", before=LOADED,
          fill={**GIVEN, "DIR": "/srv/project"}, least=13),
    State("launches explained", tuple(explanations(of_launch=True)), parent="cards", before=LOADED,
          fill={**GIVEN, "DIR": "/srv/project"}, least=13),
    State("another root", asks("""
        topsctl status --root /mnt
        topsctl verify --level files --root /mnt
        topsctl rollback 9 --root /mnt
        topsctl env check --root /mnt
        """), parent="library missing", around=BIND, root="/mnt", fill=THEIRS, least=3),
    State("another root, interrupted", asks("""
        topsctl status --root /mnt
        topsctl history --root /mnt
        topsctl install bundle --dry-run --root /mnt
        topsctl confirm 1 --root /mnt
        """), parent="interrupted", around=BIND, root="/mnt", fill=THEIRS, least=4),
    State("another root, awaiting", asks("""
        topsctl status --root /mnt
        topsctl history --root /mnt
        """), parent="awaiting", around=BIND, root="/mnt", env=NEW_CONNECTION, fill=THEIRS, least=3),
]
