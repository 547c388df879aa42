"""What a host tells its reader to type, and typing it: states of hosts as layers, so that each line gets a fresh clone."""

import contextlib
import re
import shlex
import subprocess
from dataclasses import dataclass, field, replace

from hosts.host import Host
from hosts.storage import mount_overlay
from support.quoted import to_be_typed

TIMEOUT = 300  # seconds, for machines that do much else
USAGE, FINDINGS = 2, 5
NO_CARDS = "this host shows no cards"
JUDGING = ("verify", "doctor", "inspect", "status", "env check")  # what may end with findings
MENDING = ("recover", "repair", "rollback", "confirm", "install")
WITH_ROOT = re.compile(r"topsctl (?:install|confirm|verify|repair|rollback|recover|history|env|status|snapshot)\b(?! -h)")
PLACEHOLDER = re.compile(r"(?<![\w/.-])(?:[A-Z][A-Z]+(?:\.[a-z0-9]+)*)(?:\.\.\.|…)?(?![\w/=])")


@dataclass(frozen=True)
class State:
    """One state of a host. `setup` are lines for a shell of root on a host in the state `parent`; then each of `asks` is
    typed, and each line that it tells to type. What `changes` the host is asked on one of its own, on which goes on what
    it tells. `before` stands before every line in its shell, `around` is a command that runs the shell; `fill` has what
    only the user can know. `least`: so many lines must be found."""
    name: str
    asks: tuple = ()
    changes: tuple = ()
    least: int = 1
    parent: str = "bare"
    setup: tuple = ()
    files: dict = field(default_factory=dict)
    make: object = None  # called with the host, before `setup`
    before: str = ""
    around: tuple = ()
    shell: str = "bash"
    user: int = None
    env: dict = field(default_factory=dict)
    typed_env: dict = field(default_factory=dict)  # of the lines that are told to be typed elsewhere
    is_live: bool = False  # what is asked goes on: all is typed on one host, in one shell
    cwd: str = "/srv"
    root: str = ""  # what is asked about is this root directory, and so must be what is told
    fill: dict = field(default_factory=dict)
    marks: tuple = ()


class Layered(Host):
    """A host over a row of layers, the uppermost first."""

    volatile = True

    def __init__(self, layers, place):
        self.layers = tuple(layers)
        super().__init__(self.layers[-1], place)

    def _mount(self):
        mount_overlay(self.layers, self._storage.path, self.volatile)

    close = Host.remove

    def frozen(self):
        """The layers of this host as it is now, for others; it cannot be used any more."""
        self.end_started()
        self._unmount()
        self._mounted = False
        return (self._storage.path / "upper", *self.layers)


@dataclass(frozen=True)
class Said:
    """What a line that was typed has left."""
    line: str
    code: int
    text: str

    @property
    def error(self):
        """Its first error, without what the line itself was."""
        found = re.search(r"^(?:error|错误)[:：] *(.*)$", self.text, re.MULTILINE)
        return found[1] if found else ""

    def __str__(self):
        return f"$ {self.line}\nexit {self.code}\n{self.text}"


# One command in both languages.
BOTH = """
{shell} -c {command} >/tmp/{number}.en 2>&1 </dev/null; echo $? >/tmp/{number}.code
LANG=zh_CN.UTF-8 {shell} -c {command} >/tmp/{number}.zh 2>&1 </dev/null
"""


class Place:
    """The states that were made, and clones of them."""

    def __init__(self, root, folder, states, prepare):
        """`prepare(host)` makes the state "bare" of a host over the root."""
        self._root = root
        self._prepare = prepare
        self._folder = folder
        self._states = states
        self._made = {}
        self._hosts = []

    def clone(self, name):
        return self.over(self.layers(name))

    def over(self, layers):
        return Layered(layers, self._folder)

    def layers(self, name):
        if name not in self._made:
            state = self._states[name]
            host = self.over((self._root,)) if name == "bare" else self.clone(state.parent)
            self._hosts.append(host)
            if name == "bare":
                self._prepare(host)
            for path, text in state.files.items():
                write(host, path, text)
            if state.make:
                state.make(host)
            for line in state.setup:
                done = host.run(["bash", "-c", line], cwd="/srv", timeout=TIMEOUT)
                assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
            self._made[name] = host.frozen()
        return self._made[name]

    def remove(self):
        for host in reversed(self._hosts):
            host.remove()


def write(host, path, text):
    place = host.path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


class Shell:
    """A shell in a state of a host, at which lines are typed; with its processes, which end with it."""

    def __init__(self, host, state):
        self._host = host
        self._state = state
        self._process = None

    def type(self, line, env=None):
        home = {} if self._state.user is None else {"HOME": "/tmp"}
        environment = {**home, **self._state.env, **(env or {})}
        if self._state.is_live:
            return self._type_on(line, environment)
        done = self._host.run([*self._state.around, self._state.shell, "-c", self._state.before + line], cwd=self._state.cwd,
                              user=self._state.user, env=environment, timeout=TIMEOUT)
        return Said(line, done.returncode, done.stdout + done.stderr)

    def _type_on(self, line, environment):
        if self._process is None:
            self._process = self._host.start(["bash", "-s"], cwd=self._state.cwd, user=self._state.user, stdin=subprocess.PIPE)
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
        self._process.stdin.write(f"env {words} bash -c {shlex.quote(self._state.before + line)} >/tmp/said 2>&1 </dev/null; echo $?\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        return Said(line, code, self._host.path("/tmp/said").read_text(encoding="utf-8", errors="replace"))


def told(said, names):
    """The lines that the reader is told to type, also those that are told as a change of what was asked."""
    lines = to_be_typed(said.text, names)
    hint = "\n".join(re.findall(r"^(?:hint|提示)[:：] *(.*)$", said.text, re.MULTILINE))
    if "sudo" in hint and "--" not in hint and "sudo topsctl" not in hint:
        lines.append(f"sudo {said.line}")
    lines += [f"{said.line} {option}" for option in ("--force", "--accept-new") if not lines and re.search(rf"{option}(?![\w-])", hint)]
    meant = re.search(r"(?:error|错误)[:：].*'([^']*)'.*[(（](?:did you mean|是否想输入) '([^']*)'[?？][)）]", said.text)
    if meant:
        lines.append(re.sub(rf"(?<!\S){re.escape(meant[1])}(?!\S)", lambda _: meant[2], said.line))
    return [line for line in dict.fromkeys(lines) if line != said.line or not meant]


def filled(line, fill):
    """The line with what only the user knows, and the placeholders that nobody has filled in."""
    for name, value in fill.items():
        line = re.sub(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])", value, line)
    return line, PLACEHOLDER.findall(re.sub(r"'[^']*'", "", line))


def objection(asked, typed, again):
    """Why the line should not have been told; empty if it did what a reader expects. `again` asks once more."""
    words = re.sub(r"^.*?topsctl +", "", typed.line)
    may_find = words.startswith(JUDGING)
    if words.startswith("launch") and NO_CARDS in typed.text:
        return ""  # as a host of the tests is
    if typed.code not in ((0, FINDINGS) if may_find else (0,)):
        return f"it ends with {typed.code}"
    if asked.error and asked.error == typed.error:
        return "it ends with the same error"
    is_mending = words.startswith(MENDING) and not re.search(r" (-h|--help|--dry-run)\b", words)
    if asked.error and asked.code != USAGE and is_mending and typed.line != f"sudo {asked.line}" and again().error == asked.error:
        return "what was asked ends with the same error again"
    return ""


class Reader:
    """Asks in a state, and types what it is told to type."""

    def __init__(self, place, state, names):
        self._place = place
        self._state = state
        self._names = names
        self._judged = {}

    def results(self):
        """(what was asked, the line told, why it should not have been told) for each line of each command."""
        found = self._looked_at() if self._state.asks else []
        for ask in self._state.changes:
            with contextlib.closing(self._place.clone(self._state.name)) as host:
                shell = Shell(host, self._state)
                asked = shell.type(ask)
                where = shell if self._state.is_live else host.frozen()
                found += self._found(asked, told(asked, self._names), where)
        return found

    def _looked_at(self):
        """All that changes nothing is asked on one host, in both languages."""
        with contextlib.closing(self._place.clone(self._state.name)) as host:
            script = "".join(BOTH.format(shell=self._state.shell, number=number, command=shlex.quote(self._state.before + ask))
                             for number, ask in enumerate(self._state.asks))
            Shell(host, replace(self._state, before="", shell="bash")).type(script)
            said = {language: [Said(ask, int((host.path(f"/tmp/{number}.code")).read_text()), host.path(f"/tmp/{number}.{language}").read_text())
                               for number, ask in enumerate(self._state.asks)] for language in ("en", "zh")}
        found = []
        for asked, chinese in zip(said["en"], said["zh"]):
            lines, others = told(asked, self._names), told(chinese, self._names)
            assert lines == others, f"{lines} in English, {others} in Chinese:\n{asked}\n{chinese}"
            found += self._found(asked, lines, self._place.layers(self._state.name))
        return found

    def _found(self, asked, lines, where):
        for line in lines:
            if line not in self._judged:
                self._judged[line] = self._judge(asked, line, where)
        return [(asked.line, line, self._judged[line]) for line in lines]

    def _judge(self, asked, line, where):
        """`where` is a shell, or layers for a host of its own."""
        if self._state.root and WITH_ROOT.search(line) and f"--root {self._state.root}" not in line:
            return f"it is of another root than {self._state.root}"
        text, left = filled(line, self._state.fill)
        if left:
            return f"nobody knows what to put for {', '.join(left)}"
        if isinstance(where, Shell):
            return self._typed(asked, text, where)
        with contextlib.closing(self._place.over(where)) as host:
            return self._typed(asked, text, Shell(host, self._state))

    def _typed(self, asked, text, shell):
        typed = shell.type(text, self._state.typed_env)
        reason = objection(asked, typed, lambda: shell.type(asked.line))
        return reason and f"{reason}: {typed.error or typed.text[-300:]}"
