"""The guide to training on eight cards, from one busy card to eight: doubles of cards, efsmi, torch_gcu and MMEngine."""

import json
import shutil
from pathlib import Path

import pytest

from hosts.cards import CARDS, efsmi_table
from hosts.test_verify import give_cards

TESTS = Path(__file__).resolve().parents[1]
SCRIPT = "scripts/train_distributed_8card_gcu.py"
START = "start_8card_training.sh"
WORDS = [SCRIPT, "configs/train_dinov3_mmrs1m_t20_gcu_8card.py"]
ENVIRONMENT = {"PYTHONPATH": "/srv/mmengine_double"}
# What a training has and the project is too short for: the node of its card, and work until somebody has looked. It ends
# at once, since Debian's PyTorch 1.7 aborts where a process that has trained ends in order.
WORK = """
import time
card = open('/dev/gcu' + os.environ.get('LOCAL_RANK', '0'))
end = time.monotonic() + 90
while time.monotonic() < end and not (len(sys.argv) > 2 and '"cards_busy": 8' in open(sys.argv[2]).read()):
    sum(range(100_000))
sys.stdout.flush()
os._exit(0)
"""
# A card is busy while a process holds its node.
EFSMI = """#!/usr/bin/python3
import glob, os
busy = set()
for link in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        name = os.readlink(link)
    except OSError:
        continue
    if name.startswith("/dev/gcu"):
        busy.add(int(name[len("/dev/gcu"):]))
text = open("/srv/idle.txt").read().splitlines()
for card in busy:
    line = next(number for number, line in enumerate(text) if line.startswith("* %d " % card)) + 1
    text[line] = text[line].replace("Sleep", "Active").replace("0.0%", "85.0%")
print("\\n".join(text))
"""
# A training for one card. With `launcher='pytorch'` MMEngine itself ends where no launcher sets a rank.
ALONE = "import time, torch, torch_gcu\ncard = open('/dev/gcu0')\ntime.sleep(90)\n"
# As the guide finds it: one process without a launcher. Prints what doctor says of it.
ONE_PROCESS = """
import subprocess, sys, time
training = subprocess.Popen([sys.executable] + sys.argv[1:], stdout=sys.stderr)
while subprocess.run("ls -l /proc/%d/fd | grep -q /dev/gcu0" % training.pid, shell=True).returncode and training.poll() is None:
    time.sleep(0.1)
print(subprocess.run(["topsctl", "doctor", "--json", "--level", "files"], stdout=subprocess.PIPE, universal_newlines=True).stdout)
training.kill()
"""


@pytest.fixture
def guided_host(topsctl_host, bundle):
    """A host with eight idle cards, the stack as topsctl installs it, and the guide's project in /srv/project."""
    host = topsctl_host
    give_cards(host)
    host.path("/srv/idle.txt").write_text(efsmi_table([]))
    host.path("/usr/bin/efsmi").write_text(EFSMI)
    host.path("/usr/bin/efsmi").chmod(0o755)
    shutil.copytree(TESTS / "data" / "project", host.path("/srv/project"))
    shutil.copytree(TESTS / "support" / "mmengine_double", host.path("/srv/mmengine_double"))
    with open(host.path("/srv/project") / SCRIPT, "a", encoding="utf-8") as script:
        script.write(WORK)
    host.copy_in(bundle(python=host.python_minor(), only_needed=True), "/srv/bundle")
    done = host.run(["topsctl", "install", "/srv/bundle"], timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return host


def doctor_says(host, argv, schema, code=0, **options):
    done = host.run(argv, timeout=300, **options)
    assert done.returncode == code, done.stdout + done.stderr
    document = json.loads(done.stdout)
    schema(document, "doctor")
    return document


def test_the_eight_card_guide_from_one_card_to_eight(guided_host, schema):
    host = guided_host
    judge = ["topsctl", "doctor", "--project", "/srv/project", "--json"]
    diagnoses = doctor_says(host, judge, schema, code=5)["diagnoses"]
    of_start = {each["id"] for each in diagnoses for evidence in each["evidence"] if evidence["source"] == START}
    assert {"started-without-launcher", "nproc-auto", "standalone-with-master", "launcher-option-dashes"} <= of_start, of_start
    applied = host.run(["topsctl", "doctor", "--project", "/srv/project", "--apply"])
    assert "`topsctl rollback" in applied.stdout, applied.stdout + applied.stderr

    host.path("/srv/project/alone.py").write_text(ALONE)
    alone = doctor_says(host, ["python3", "-c", ONE_PROCESS, "alone.py"], schema, cwd="/srv/project", env=ENVIRONMENT)
    assert alone["first_cause"] == "started-without-launcher", alone["diagnoses"]

    logs = "/srv/logs"
    done = host.run(["topsctl", "launch", "--log-dir", logs, "--", *WORDS, f"{logs}/launch.json"],
                    cwd="/srv/project", env=ENVIRONMENT, timeout=300)
    assert done.returncode == 0 and "8 of 8 cards busy" in done.stdout and "sum 36" in done.stdout, done.stdout + done.stderr
    record = json.loads(host.path(f"{logs}/launch.json").read_text())
    schema(record, "launch-record")
    attempt = record["attempts"][0]
    # What the guide has an operator look for: eight processes, ranks 0 to 7, no card idle.
    assert [rank["rank"] for rank in attempt["ranks"]] == list(range(CARDS))
    assert len({rank["pid"] for rank in attempt["ranks"]}) == CARDS
    assert [rank["cards"] for rank in attempt["ranks"]] == [[card] for card in range(CARDS)]
    assert (attempt["busy_check"]["cards_busy"], attempt["busy_check"]["first_cause"], attempt["status"]) == (CARDS, None, 0)
