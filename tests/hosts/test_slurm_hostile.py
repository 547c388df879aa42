"""packaging/slurm/upgrade-nodes among other users and nodes that do harm, with doubles of Slurm's programs."""

import json
import os
import signal
import subprocess

import pytest

from support.waiting import wait_for

pytestmark = pytest.mark.usefixtures("host_namespace")
NOBODY = 65534
LIMIT = 64 << 20  # bytes of a document
ESCAPES = "\x1b]0;x\x07"
SCONTROL = """#!/bin/sh
# A double of scontrol: it notes what changes, and every word is a list of nodes.
case $1 in
  show) echo "$3" | tr , '\\n' ;;
  update) shift && printf '%s|' "$@" >>"{place}/updates" && echo >>"{place}/updates" ;;
esac
"""
SINFO = """#!/bin/sh
# A double of sinfo: two nodes, whose jobs have ended.
case $* in *%N*) printf 'n0\\nn1\\n' ;; *%T*) echo drained ;; *%E*) echo "topsctl: upgrade" ;; esac
"""
SRUN = """#!/bin/sh
# A double of srun: it notes what runs on the node, and answers as the test says.
for word in "$@"; do
  case $word in --nodelist=*) node=${{word#*=}} ;; esac
done
until [ "$1" = /topsctl ]; do shift; done
command=$2 words=$*
echo "$node $words" >>"{place}/asked"
case $words in *--dry-run*) command=plan ;; esac
. "{place}/answer"
"""
SLEEP = """#!/bin/sh
# A minute takes little more than half a second.
exec /bin/sleep 0.01
"""
PLAN, COMMITTED, WELL = ({"status": "ok", "transaction": None, "outcome": "planned"},
                         {"status": "ok", "transaction": 7, "outcome": "committed", "stack": "s"}, {"status": "ok", "checks": []})
UNWELL = {"status": "problems", "checks": [{"id": "import", "status": "fail"}]}


def says(document, code=0, text=None):
    """What a double of topsctl does, in sh."""
    return f"cat <<'END'\n{text or json.dumps(document)}\nEND\nexit {code}\n"


def answer(**commands):
    """In sh, by command; `plan` is the dry run of an install."""
    commands = {"plan": says(PLAN), "install": says(COMMITTED), "verify": says(WELL), "rollback": says(COMMITTED), **commands}
    return "case $command in\n" + "".join(f"{name})\n{text} ;;\n" for name, text in commands.items()) + "esac\n"


class Doubles:
    """`place` has what they note, and `logs`."""

    def __init__(self, place, script):
        self.place, self.script, self.logs = place, script, place / "logs"
        programs = place / "programs"
        programs.mkdir()
        for name, text in (("scontrol", SCONTROL), ("sinfo", SINFO), ("srun", SRUN), ("sleep", SLEEP)):
            (programs / name).write_text(text.format(place=place))
            (programs / name).chmod(0o755)
        self.environment = {"PATH": f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin"}

    def begin(self, *words, commands=None, around=(), cwd=None):
        (self.place / "answer").write_text(answer(**commands or {}))
        for name in ("asked", "updates"):
            (self.place / name).write_text("")
        return subprocess.Popen([*around, self.script, "--topsctl", "/topsctl", *map(str, words)], env=self.environment,
                                cwd=cwd or self.place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def upgrade(self, *words, **options):
        """(exit status, output)"""
        return self.end_of(self.begin("--log-dir", self.logs, *words, **options))

    def end_of(self, process):
        output, _ = process.communicate(timeout=120)
        return process.returncode, output.decode()

    def lines(self, name):
        return (self.place / name).read_text().splitlines()


@pytest.fixture
def slurm(tmp_path, repository):
    return Doubles(tmp_path, repository / "packaging" / "slurm" / "upgrade-nodes")


@pytest.fixture
def victim(tmp_path):
    file = tmp_path / "victim"
    file.write_text("of the host")
    return file


def plant(folder, victim):
    """Links where upgrade-nodes writes."""
    for name in ("n0.log", "n0.outcome", "n0.status", "n0.install.json", "n0.verify.json", "failed", "stop", "end", "xargs.log"):
        (folder / name).symlink_to(victim)


def test_a_node_is_upgraded_and_its_logs_are_root_s_alone(slurm):
    assert slurm.upgrade("n0,n1", "/bundle") == (0, "n0  committed\nn1  committed\n")
    assert slurm.logs.stat().st_mode & 0o7777 == 0o700
    assert json.loads((slurm.logs / "n0.install.json").read_text()) == COMMITTED
    assert slurm.lines("asked")[:3] == ["n0 /topsctl install --json --dry-run /bundle", "n0 /topsctl install --json /bundle",
                                        "n0 /topsctl verify --json --level ranks --stack=s"]
    assert slurm.lines("updates") == ["nodename=n0|state=resume|", "nodename=n1|state=resume|"]


@pytest.mark.parametrize("kind", ["another's", "link", "link of another", "open", "sticky", "below another's", "below open"])
def test_a_log_directory_that_other_users_can_change_is_refused(slurm, victim, kind):
    upper = slurm.place / "upper"
    folder = upper / "logs"
    folder.mkdir(parents=True)
    plant(folder, victim)
    if kind in ("another's", "below another's"):
        os.chown(folder if kind == "another's" else upper, NOBODY, NOBODY)
    elif kind in ("open", "sticky", "below open"):
        (upper if kind == "below open" else folder).chmod(0o1777 if kind == "sticky" else 0o777)
    else:
        folder.rename(upper / "other")
        folder.symlink_to(upper / "other")
        if kind == "link of another":
            os.chown(folder, NOBODY, NOBODY, follow_symlinks=False)
    slurm.logs = folder
    code, output = slurm.upgrade("n0", "/bundle", commands={"plan": "echo evil; echo evil >&2; exit 1\n"})
    assert (code, slurm.lines("asked"), victim.read_text()) == (4, [], "of the host"), output
    assert f"'{folder}'" in output and "name another directory with --log-dir" in output


def test_a_path_through_a_link_of_another_user_is_refused(slurm, tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o1777)
    link = tmp_path / "open" / "link"
    link.symlink_to(tmp_path)
    (tmp_path / "way").symlink_to(link)
    for slurm.logs in (link / "logs", tmp_path / "way" / "logs"):
        os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
        code, output = slurm.upgrade("n0", "/bundle")
        assert code == 4 and not (tmp_path / "logs").exists(), output
        os.chown(link, 0, 0, follow_symlinks=False)
        assert slurm.upgrade("n0", "/bundle")[0] == 0, "a sticky directory is safe for what is root's"
        for each in (tmp_path / "logs").iterdir():
            each.unlink()
        (tmp_path / "logs").rmdir()


def test_links_in_the_log_directory_are_replaced(slurm, victim):
    slurm.logs.mkdir()
    plant(slurm.logs, victim)
    assert slurm.upgrade("n0", "/bundle") == (0, "n0  committed\n") and victim.read_text() == "of the host"


@pytest.mark.parametrize("mode, expected", [(0o755, "/var/log"), (0o775, "/var/lib")])
def test_without_an_option_logs_are_where_only_root_can_change_them(slurm, victim, mode, expected):
    here = slurm.place / "topsctl-slurm"
    here.mkdir()
    plant(here, victim)
    os.chown(here, NOBODY, NOBODY)
    script = (f"mount -t tmpfs -o mode=755 none /var/lib && mount -t tmpfs -o mode={mode:o} none /var/log && "
              f'"$@"; ls -d {expected}/topsctl-slurm/n0.install.json; stat -c %a {expected}/topsctl-slurm')
    process = slurm.begin("n0", "/bundle", around=("unshare", "--mount", "sh", "-c", script, "sh"))
    assert slurm.end_of(process)[1] == f"n0  committed\n{expected}/topsctl-slurm/n0.install.json\n700\n"
    assert victim.read_text() == "of the host"


@pytest.mark.parametrize("message", [
    ESCAPES + "n1", r"\033]0;x\007 \012n1  committed", r"\c", "\u009b31m\u202e", "a\rn1  committed", pytest.param("x" * 9_000, id="long")])
@pytest.mark.parametrize("ascii", [True, False])
def test_a_node_cannot_steer_the_terminal_or_forge_a_line(slurm, message, ascii):
    failed = json.dumps({"status": "failed", "error": {"message": message}, "transaction": None, "outcome": "failed"},
                        ensure_ascii=ascii)
    if not ascii:  # as no JSON is: raw
        failed = failed.replace("\\u001b", "\x1b").replace("\\u0007", "\x07").replace("\\r", "\r")
    code, output = slurm.upgrade("n0", "/bundle", commands={"install": says(None, 1, failed)})
    [line] = output.split("\n")[:-1]
    assert code == 1 and line.startswith("n0  failed: ") and line.isprintable() and len(line) < 600, output
    [update] = slurm.lines("updates")
    assert update.isprintable() and update.startswith("nodename=n0|state=drain|reason=topsctl: ") and len(update) < 600


def test_a_failed_check_cannot_forge_a_line_either(slurm):
    unwell = {"status": "problems", "checks": [{"id": "-n \\033[2J" + ESCAPES, "status": "fail"}]}
    code, output = slurm.upgrade("n0", "/bundle", commands={"verify": says(unwell, 5)})
    assert code == 1 and output.startswith("n0  failed: -n ") and output.rstrip("\n").isprintable(), output


@pytest.mark.parametrize("begin, piece", [('"', r'\"'), ('"status": "', r'\"status\": \"')], ids=["quotes", "fields"])
def test_a_string_without_an_end_fails_at_once(slurm, begin, piece):
    (slurm.place / "document").write_text(begin + piece * 200_000)
    endless = f"cat {slurm.place}/document; exit 0\n"
    for command in ("plan", "install", "verify"):
        code, output = slurm.upgrade("n0", "/bundle", commands={command: endless})
        assert code == 1 and output.startswith("n0  failed: "), output


@pytest.mark.parametrize("error", [{"code": "x", "message": "it failed"}, "it failed", ["it failed"]])
def test_a_success_with_an_error_is_none(slurm, error):
    code, output = slurm.upgrade("n0", "/bundle", commands={"install": says(COMMITTED | {"error": error})})
    assert code == 1 and output.startswith("n0  failed: ") and slurm.lines("updates")[-1].startswith("nodename=n0|state=drain"), output
    assert slurm.upgrade("n0", "/bundle", commands={"install": says(COMMITTED | {"error": None})}) == (0, "n0  committed\n")


def test_escaped_quotes_and_backslashes_are_parts_of_a_message(slurm):
    message = 'cannot read "a\\" of C:\\new'
    failed = {"status": "failed", "error": {"message": message}, "outcome": "failed"}
    assert slurm.upgrade("n0", "/bundle", commands={"install": says(failed, 1)})[1] == f"n0  failed: {message}\n"


@pytest.mark.parametrize("stream", ["1", "2"])
@pytest.mark.parametrize("evil", [f"head -c {LIMIT + (1 << 20)} /dev/zero; exit 0", "trap '' PIPE; while :; do printf %1000000s x; done"])
def test_a_node_that_writes_without_end_is_cut_and_fails_alone(slurm, stream, evil):
    evil = "[ $node = n0 ] || {\n" + says(COMMITTED) + "}\n" + f"exec >&{stream}; {evil}\n"
    code, output = slurm.upgrade("--max-failures", "1", "n0,n1", "/bundle", commands={"install": evil})
    assert (code, output) == (1, "n0  failed: it wrote more than 64 MiB\nn1  committed\n")
    assert max(file.stat().st_size for file in slurm.logs.iterdir()) <= LIMIT


def test_a_second_signal_ends_a_node_that_does_not_end(slurm):
    process = slurm.begin("--log-dir", slurm.logs, "n0,n1", "/bundle",
                          commands={"install": f"echo $$ >{slurm.place}/pid; exec /bin/sleep 300\n"})
    pid = slurm.place / "pid"
    wait_for(lambda: pid.exists() and pid.read_text().strip(), 60)
    assert slurm.upgrade("n1", "/bundle")[0] == 4, "another one does not write there meanwhile"
    process.send_signal(signal.SIGTERM)
    wait_for((slurm.logs / "stop").exists, 60)
    process.send_signal(signal.SIGHUP)
    os.kill(int(pid.read_text()), 0)
    assert process.poll() is None and not (slurm.logs / "end").exists(), "one signal, and that of a closed terminal, let it end"
    wait_for(lambda: process.send_signal(signal.SIGTERM) or (slurm.logs / "end").exists(), 60)
    code, output = slurm.end_of(process)
    assert code == 130 and f"n0  failed: interrupted, see {slurm.logs}/n0.log\n" in output and "n1  not begun\n" in output, output
    assert slurm.lines("updates")[-1].startswith("nodename=n0|state=drain|reason=topsctl: interrupted")
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_an_install_that_is_interrupted_can_still_roll_back(slurm):
    rolled_back = {"status": "interrupted", "error": {"message": "interrupted in step 3"}, "outcome": "rolled_back"}
    waiting = ("import json, signal, sys\n"
               "signal.signal(signal.SIGINT, lambda *_: print(sys.argv[1]) or sys.exit(130))\n"
               f"open('{slurm.place}/waits', 'w').close()\nsignal.pause()\n")
    process = slurm.begin("--log-dir", slurm.logs, "n0", "/bundle", commands={
        "install": f"exec /usr/bin/python3 -c '{waiting.replace(chr(39), chr(34))}' '{json.dumps(rolled_back)}'\n"})
    wait_for((slurm.place / "waits").exists, 60)
    wait_for(lambda: process.send_signal(signal.SIGTERM) or (slurm.logs / "end").exists(), 60)
    code, output = slurm.end_of(process)
    assert code == 130 and "n0  failed: interrupted in step 3\n" in output, output


@pytest.mark.parametrize("silent", ["plan", "install", "verify"])
@pytest.mark.parametrize("text", ["exit 0\n", "echo 'it works'\n", says({"outcome": None, "status": "failed"})])
def test_a_node_that_says_nothing_of_success_is_not_resumed(slurm, silent, text):
    code, output = slurm.upgrade("n0", "/bundle", commands={silent: text})
    assert code == 1 and output.startswith("n0  failed: no answer of topsctl, see "), output
    assert not [line for line in slurm.lines("updates") if "resume" in line]


@pytest.mark.parametrize("command, document", [
    ("install", {**COMMITTED, "status": "rolled_back", "error": {"message": "no space"}}),
    ("install", {"error": {"message": "no space", "outcome": "committed"}, **COMMITTED, "outcome": "rolled_back"}),
    ("verify", {"status": "ok", "checks": [{"id": "import", "status": "fail"}]}),
    ("verify", {"checks": [{"status": "ok"}], "status": "problems"}),
], ids=["status and outcome", "an outcome within", "a check and the status", "a status within"])
def test_a_node_whose_document_contradicts_itself_is_not_resumed(slurm, command, document):
    code, output = slurm.upgrade("n0", "/bundle", commands={command: says(document)})
    assert code == 1 and output.startswith("n0  failed: "), output
    assert not [line for line in slurm.lines("updates") if "resume" in line]


@pytest.mark.parametrize("transaction, asked, said", [
    (7, ["n0 /topsctl rollback --json -- 7"], ""), ("--root=/evil", [], "; not rolled back: topsctl named no transaction"),
    ("7 8", [], "; not rolled back: topsctl named no transaction"), (None, [], "; not rolled back: topsctl named no transaction")])
def test_a_transaction_is_a_number(slurm, transaction, asked, said):
    code, output = slurm.upgrade("n0", "/bundle", commands={
        "install": says({**COMMITTED, "transaction": transaction}), "verify": says(UNWELL, 5)})
    assert (code, output) == (1, f"n0  failed: import{said}\n")
    assert [line for line in slurm.lines("asked") if "rollback" in line] == asked


def test_a_stack_of_a_node_s_document_is_no_option(slurm):
    slurm.upgrade("n0", "/bundle", commands={"install": says({**COMMITTED, "stack": "--root=/evil"})})
    assert slurm.lines("asked")[-1] == "n0 /topsctl verify --json --level ranks --stack=--root=/evil"


@pytest.mark.parametrize("nodes", ["*", "n?", ".*", "-e"])
def test_names_of_nodes_are_no_patterns(slurm, nodes):
    for name in ("n0", "n1"):
        (slurm.place / name).touch()
    code, output = slurm.upgrade(nodes, "/bundle")
    assert code == 2 and slurm.lines("asked") == [] and f"'{nodes}'" in output, output
