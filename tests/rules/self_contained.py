"""Compiles a source by itself, without making code: both presets compile the sources of a folder as one, which hides what is not included.

What compiled is noted in the cache of the tests, with the digest of all that was read, so that only changed sources are compiled again.
"""

import functools
import hashlib
import itertools
import json
import re
import shlex
import subprocess

from hosts.settings import cache_home

INCLUDE = re.compile(rb'^#include "([^"]+)"', re.MULTILINE)


class SelfContained:
    """The sources of one checkout, compiled as the `dev` preset has it."""

    def __init__(self, repository, stamps=None):
        self.repository = repository
        self.stamps = stamps or cache_home() / "self-contained"
        self.stamps.mkdir(parents=True, exist_ok=True)
        with open(repository / "build/dev/compile_commands.json", encoding="utf-8") as file:
            self.commands = json.load(file)

    def complaint(self, source):
        """What the compiler has against it alone; empty if nothing."""
        name = source.relative_to(self.repository)
        command = self._command(name.parts[1] if len(name.parts) > 2 else "cli")
        stamp = self.stamps / str(name).replace("/", "_")
        digest = self._digest(source, command)
        if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
            return ""
        done = subprocess.run([*command, source], capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            return done.stderr
        stamp.write_text(digest, encoding="ascii")
        return ""

    @functools.lru_cache(maxsize=None)
    def _command(self, room):
        for entry in self.commands:
            words = shlex.split(entry["command"])
            if f"topsctl_{room}.dir/" in words[words.index("-o") + 1]:
                first = next(at for at, word in enumerate(words) if "clang++" in word)
                taken = itertools.takewhile(lambda word: word != "-o", words[first + 1:])
                return [words[first], f"-I{self.repository}/include", f"-I{self.repository}/src", "-fsyntax-only",
                        *(word for word in taken if "-fsanitize" not in word)]
        raise LookupError(f"the dev preset compiles nothing of '{room}'")

    def _digest(self, source, command):
        """Over the compiler, its options, the packages it reads headers of, the source and each header of ours that it reads."""
        options = " ".join(command).replace(str(self.repository), ".")
        total = hashlib.sha256(f"{_toolchain(command[0])}\n{options}".encode())
        seen, waiting = set(), [source]
        while waiting:
            path = waiting.pop()
            text = self._text(path)
            total.update(str(path).removeprefix(str(self.repository)).encode() + b"\0" + hashlib.sha256(text).digest())
            for name in INCLUDE.findall(text):
                for top in ("include", "src"):
                    header = self.repository / top / name.decode()
                    if header not in seen and self._text(header):
                        seen.add(header)
                        waiting.append(header)
        return total.hexdigest()

    @functools.lru_cache(maxsize=None)
    def _text(self, path):
        return path.read_bytes() if path.is_file() else b""


@functools.lru_cache(maxsize=None)
def _toolchain(compiler):
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    packages = subprocess.run(["dpkg-query", "-W", "libstdc++-*-dev", "libc6-dev", "lib*-dev", "nlohmann-json3-dev"],
                              capture_output=True, text=True, check=False).stdout
    return version + packages
