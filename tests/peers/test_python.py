"""topsctl cuts Python files into the tokens that Python's own tokenize finds, on real modules and on crafted texts."""

import io
import os
import subprocess
import tokenize
from pathlib import Path

import pytest

from support.interpreters import interpreters

TOP = "/usr/lib/python3"
SAMPLE = 250
LARGEST = 200_000  # bytes: Python's own tokenize is slow
IGNORED = (tokenize.ENCODING, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)

CRAFTED = {
    "strings": b"a = r'\\d' + b'x' + Rb\"y\" + f'{a!r:>{w}}' + u'z'\nb = '''1\n2\\'''' \"\"\"'\"\"\"\n",
    "numbers": b"n = [0x_f, 0O17, 0b1_0, 1_000, 1., .5, 1e-3, 1_0.0_1e+1_0j, 0, 00, 1if 1 else 2, 3 .real]\n",
    "operators": b"a **= b // c >> d; e = (f := g) != h\nx @= y ; z: int = ~w ^ v\ndef f(*a, **k) -> None: ...\n",
    "joined": b"a = 1 + \\\n    2\nif a and \\\n   b:\n    pass\n",
    "comments": b"# one\n\nif a:  # two\n    # three\n    b(  # four\n        c,\n\n    )\n  # five\nd\n",
    "crlf": b"a = (1,\r\n  2)\r\nb = '''x\r\ny'''\r\nif a:\r\n    c\r\n",
    "no end of line": b"a = 1\nb = 2",
    "comment without end of line": b"a = 1\n# b",
    "blanks at the end": b"if a:\n    b\n    ",
    "byte order mark": b"\xef\xbb\xbfa = 1\n",
    "form feed": b"a = 1\n\x0c\ndef f():\n\tpass\n",
    "gbk": "# -*- coding: gbk -*-\na = '\u8a93\u53c1'  # \u7e3a\nb = 1\n".encode("gbk"),
    "names": "größe = 变量\n".encode(),
    "nothing": b"",
}
BROKEN = {
    "string": b"a = 'x\n", "triple string": b"a = '''x\n", "bracket": b"a = (1\n", "other bracket": b"a = (1]\n",
    "dedent": b"if a:\n        b\n    c\n", "backslash": b"a = \\ 1\n", "backslash at the end": b"a = 1 + \\\n",
    "encoding": b"# coding: no-such\na = 1\n", "bytes": b"a = '\xff'\n", "octal": b"a = 0777\n", "dollar": b"a = $b\n",
    "nul": b"a = 1\0\n", "punctuation": "f（a）\n".encode(), "tabs": b"if a:\n        b\n\tc\n",
}


@pytest.fixture(scope="module")
def tokens_of(repository):
    probe = repository / "build" / "dev" / "tests" / "topsctl_python_probe"

    def run(paths):
        done = subprocess.run([probe], input="".join(f"{path}\n" for path in paths), capture_output=True, text=True,
                              check=True)
        lines = iter(done.stdout.splitlines())
        found = []
        for _ in paths:
            count, _, problem = next(lines).split(" ", 2)
            found.append((problem, [next(lines) for _ in range(int(count))]))
        return found

    return run


def peer_tokens(source):
    """The same lines as the probe's, by Python's tokenize; ends of lines as they are written."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    text = source.decode(encoding)
    lines = io.StringIO(text, newline="")
    found = []
    for token in tokenize.generate_tokens(lines.readline):
        if token.type not in IGNORED:
            found.append(f"{tokenize.tok_name[token.type]} {token.start[0]} {token.string.encode(codec).hex()}")
    return found


def has_line_ends_of_its_own(source):
    return b"\r" in source.replace(b"\r\n", b"")


def test_real_modules_have_the_tokens_that_python_finds(tokens_of, chance):
    paths = sorted(path for path in Path(TOP).rglob("*.py") if path.stat().st_size < LARGEST)
    if os.environ.get("TOPSCTL_TEST_ALL_PYTHON") != "1":
        paths = chance.sample(paths, min(SAMPLE, len(paths)))
    assert paths
    wrong = []
    for path, (problem, tokens) in zip(paths, tokens_of(paths)):
        source = path.read_bytes()
        try:
            compile(source, str(path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue  # Python 2, or a template
        if has_line_ends_of_its_own(source):
            continue
        expected = peer_tokens(source)
        if any(line.startswith("ERRORTOKEN") for line in expected):
            continue  # its names have no combining marks; those of Python itself have
        if problem or tokens != expected:
            wrong.append(f"{path}: {problem}")
    assert not wrong


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_texts_too(tokens_of, tmp_path, name):
    path = tmp_path / "crafted.py"
    path.write_bytes(CRAFTED[name])
    problem, tokens = tokens_of([path])[0]
    assert problem == ""
    assert tokens == peer_tokens(CRAFTED[name])


@pytest.mark.parametrize("name", BROKEN)
def test_what_python_refuses_has_a_reason(tokens_of, tmp_path, name):
    with pytest.raises((SyntaxError, ValueError)):
        compile(BROKEN[name], "broken.py", "exec")
    path = tmp_path / "broken.py"
    path.write_bytes(BROKEN[name])
    assert tokens_of([path])[0][0]


@pytest.mark.parametrize("minor", ["3.6", "3.8"])
def test_what_runs_in_the_users_interpreters_is_of_their_python(minor, repository):
    python = interpreters().get(minor)
    if python is None:
        pytest.skip(f"no Python {minor} here: TOPSCTL_TEST_PYTHONS names none, nor does ~/.pyenv/versions have one")
    scripts = sorted((repository / "src" / "data").rglob("*.py"))
    assert scripts
    for script in scripts:
        done = subprocess.run([python, "-ISc", "import sys; compile(open(sys.argv[1], encoding='utf-8').read(), sys.argv[1], 'exec')", script],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
