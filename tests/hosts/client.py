"""The workstation of a fleet: commands of this machine's own file system, in a network namespace and home of their own."""

import os
import re
import select
import signal
import subprocess
import termios
import time
from contextlib import suppress
from dataclasses import dataclass
from fcntl import ioctl

from hosts import kernel

SIZE = (24, 80)  # of terminals: lines and columns


@dataclass
class Terminal:
    """What a command on a terminal left: all it wrote, and the answers nobody asked for."""
    returncode: int
    output: str
    unanswered: list


def accounts_with_home(path, home):
    """Writes the machine's accounts with the home of the one who runs the tests replaced; the path."""
    lines = []
    with open("/etc/passwd", encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split(":")
            if len(fields) == 7 and fields[2] == str(os.geteuid()):
                fields[5] = str(home)
            lines.append(":".join(fields) + "\n")
    path.write_text("".join(lines))
    return path


class Client:
    """Not chrooted; getpwuid and HOME both give the home of the fleet, as a program finds its ~/.ssh by either."""

    def __init__(self, machine, link, home, accounts):
        """`accounts` is a passwd file that commands see in place of the machine's."""
        self.machine = machine
        self.link = link
        self.links = [link]
        self.home = home
        self.accounts = accounts
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home),
                            "USER": "root", "LOGNAME": "root", "LANG": "C.UTF-8", "TERM": "dumb"}
        self._started = []

    def run(self, argv, env=None, input=None, timeout=120, check=False, **options):
        """A CompletedProcess with text (or bytes by text=False); on a timeout (seconds) all it started in its process
        group is killed. None in env removes a variable."""
        process = self.start(argv, env, **{"stdin": subprocess.DEVNULL if input is None else subprocess.PIPE, **options})
        try:
            out, err = process.communicate(input, timeout)
        except BaseException:
            _kill_group(process)
            process.communicate()
            raise
        done = subprocess.CompletedProcess(argv, process.returncode, out, err)
        if check:
            done.check_returncode()
        return done

    def start(self, argv, env=None, **popen):
        """Starts argv and gives its Popen: the pid is the command's own, and leads a process group and session. It is
        killed with the thread that called this, as with the whole process."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **popen}
        if options["text"]:
            options.setdefault("errors", "surrogateescape")
        return self._popen(argv, env, None, **options)

    def on_terminal(self, argv, answers=(), timeout=60, env=None):
        """Runs argv on a terminal of its own -> Terminal. `answers` holds (regex, reply) in the order they are asked
        for; each is looked for in what came after the one before, and the reply is sent with a new line."""
        master, slave = os.openpty()
        termios.tcsetwinsize(slave, SIZE)
        try:
            process = self._popen(argv, {"TERM": "xterm", **(env or {})}, slave, stdin=slave, stdout=slave, stderr=slave)
            os.close(slave)
            slave = None
            return self._talk(process, master, list(answers), time.monotonic() + timeout, argv)
        finally:
            os.close(master)
            if slave is not None:
                os.close(slave)

    def _talk(self, process, master, answers, deadline, argv):
        seen, position = b"", 0
        while True:
            left = deadline - time.monotonic()
            if not select.select([master], [], [], max(0, left))[0]:
                _kill_group(process)
                process.wait()
                raise TimeoutError(f"'{argv[0]}' does not end on its terminal; still to be asked for: {answers}; "
                                   f"it wrote:\n{seen.decode(errors='replace')}")
            try:
                block = os.read(master, 1 << 16)
            except OSError:  # the last one on the terminal has gone
                block = b""
            if not block:
                break
            seen += block
            while answers and (match := re.compile(answers[0][0].encode()).search(seen, position)):
                position = match.end()
                os.write(master, answers.pop(0)[1].encode() + b"\n")
        return Terminal(process.wait(max(0.1, deadline - time.monotonic())),
                        seen.decode(errors="replace").replace("\r\n", "\n"), answers)

    def _popen(self, argv, env, terminal, **options):
        environment = {key: value for key, value in {**self.environment, **(env or {})}.items() if value is not None}
        self._started.append(subprocess.Popen([os.fspath(part) for part in argv], env=environment,
                                              start_new_session=True, preexec_fn=lambda: self._enter(terminal), **options))
        return self._started[-1]

    def _enter(self, terminal):
        """In the child, before the command."""
        kernel.die_with_parent()
        kernel.enter_namespace(self.machine, kernel.CLONE_NEWNET)
        kernel.unshare(kernel.CLONE_NEWNS)
        kernel.mount(str(self.accounts), "/etc/passwd", None, kernel.MS_BIND)
        if terminal is not None:
            ioctl(terminal, termios.TIOCSCTTY, 0)

    def remove(self):
        """Ends what was started and still runs."""
        for process in self._started:
            if process.poll() is None:
                _kill_group(process)
                process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        self._started.clear()


def _kill_group(process):
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
