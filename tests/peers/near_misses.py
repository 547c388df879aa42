"""Makes pairs of versions, and fields, that are nearly the same, so that every rule of their order decides some."""

ODD_BYTES = [b"_", b"@", b"%", b"!", b"\x7f", b"\xe9", b"\xc3\xa9", b"=", b"/"]
DEBIAN_PIECES = [
    "0", "1", "2", "9", "10", "00", "01", "09", "136", "a", "b", "z", "A", "Z", "rc", "alpha", "git", ".", ".", ".",
    "-", "-", "~", "~~", "+", "+b1", "+deb12u1", "~bpo", ":", "+gcu", "4294967296", "9" * 25
]
EPOCHS = ["", "", "", "", "0:", "00:", "1:", "01:", "2:", "10:", "2147483647:"]


def debian_version(random):
    version = random.choice("0129") + "".join(random.choices(DEBIAN_PIECES, k=random.randint(0, 6)))
    epoch = random.choice(EPOCHS)
    # Without an epoch the first colon would end one.
    return (epoch + (version if epoch else version.replace(":", "."))).encode()


def mutated(random, text, pieces):
    """The bytes with one place changed: a piece put in, taken out, doubled, replaced, or a digit moved by one."""
    at = random.randrange(len(text) + 1)
    end = min(len(text), at + random.randint(1, 2))
    kind = random.randrange(6)
    piece = random.choice(pieces)
    piece = piece.encode() if isinstance(piece, str) else piece
    if kind == 0:
        return text[:at] + piece + text[at:]
    if kind == 1:
        return text[:at] + text[end:]
    if kind == 2:
        return text[:end] + text[at:end] + text[end:]
    if kind == 3:
        return text[:at] + piece + text[end:]
    if kind == 4:
        digits = [i for i, byte in enumerate(text) if chr(byte) in "0123456789"]
        if digits:
            i = random.choice(digits)
            return text[:i] + b"%d" % ((text[i] - ord("0") + random.choice([1, 9])) % 10) + text[i + 1:]
    digits = [i for i, byte in enumerate(text) if chr(byte) in "0123456789"]
    at = random.choice(digits) if digits else 0
    return text[:at] + b"0" + text[at:]


def debian_pair(random):
    """Two versions, the second mostly a changed copy of the first; now and then with bytes that policy forbids."""
    a = debian_version(random)
    b = a
    for _ in range(random.choice([0, 1, 1, 1, 1, 2, 3])):
        b = mutated(random, b, ODD_BYTES if random.random() < 0.03 else DEBIAN_PIECES + ["-0", "-1", "0:", "1:"])
    if random.random() < 0.05:
        b = debian_version(random)
    return (a, b) if random.random() < 0.5 else (b, a)


def _number(random):
    return random.choice(["0", "1", "2", "9", "10", "01", "00", "115", "136", "2023", "9" * 30])


def _labelled(random, labels):
    return (random.choice(["", "", ".", "-", "_"]) + random.choice(labels) + random.choice(["", "", ".", "-", "_"])
            + random.choice(["", _number(random), _number(random)]))


def _maybe(random, chance, make):
    return make() if random.random() < chance else ""


def python_version(random):
    """A version in one of PEP 440's spellings."""
    text = _maybe(random, 0.1, lambda: "v") + _maybe(random, 0.15, lambda: random.choice(["0!", "1!", "00!", "12!"]))
    text += ".".join(_number(random) for _ in range(random.randint(1, 4)))
    text += _maybe(random, 0.4, lambda: _labelled(random, ["a", "b", "c", "rc", "alpha", "beta", "pre", "preview"]))
    text += _maybe(random, 0.3, lambda: random.choice(["-" + _number(random), _labelled(random, ["post", "rev", "r"])]))
    text += _maybe(random, 0.3, lambda: _labelled(random, ["dev"]))
    local = ["a", "b", "gcu", "1a", "0", "1", "01", "10", "abc", "5", "9" * 30]
    text += _maybe(random, 0.3, lambda: "+" + "".join(
        part + random.choice(".-_") for part in random.choices(local, k=random.randint(1, 3)))[:-1])
    if random.random() < 0.1:
        text = text.upper()
    return random.choice(["", "", "", " ", "\t", "\n"]) + text + random.choice(["", "", "", " ", "\n"])


PYTHON_PIECES = [
    ".", "-", "_", "+", "!", "0", ".0", ".0.0", "1", "9", "a", "b", "c", "rc", "post", "dev", ".dev0", ".post0",
    "-1", "r", "rev", "v", "V", "x", " ", "A", "\x1c", "+a", "+0", "gcu", "*", "alpha", "preview", "\x00", "~"
]


def python_pair(random):
    """Two versions, the second a changed copy of the first; many changes leave PEP 440."""
    a = python_version(random)
    b = a.encode()
    for _ in range(random.choice([0, 1, 1, 1, 2])):
        b = mutated(random, b, PYTHON_PIECES)
    b = b.decode("ascii")
    return (a, b) if random.random() < 0.5 else (b, a)


FIELD_PIECES = [
    ",", "|", "(", ")", " ", "  ", "\n ", "\t", ":", ":any", ":amd64", ":native", "(>= 1)", "(<< 2-1)", "(= 1:1)",
    "<", ">", "=", ">=", "<<", "<>", "A", "_", "+", "-", ".", "~", "1", "0", "é", ";", "a", "\r", "(> 1)", "(1)",
    "( < 1 )", "${x}", "#"
]


def field(random):
    """A field that dpkg takes, with blanks where they are free."""
    def blank():
        return random.choice(["", "", " ", " ", "  ", "\n ", "\t"])

    def relation():
        text = random.choice(["a", "libc6", "libstdc++6", "python3.11", "x-y", "0ad", "Foo", "a_b"])
        text += random.choice(["", "", "", ":any", ":amd64", ":all"])
        if random.random() < 0.5:
            operator = random.choice(["<<", "<=", "=", ">=", ">>", "<", ">", ""])
            version = random.choice(["1", "1.0-1", "2:1~rc1", "0:5", "1+b1", "3-4-5"])
            text += f"{blank()}({blank()}{operator}{blank()}{version}{blank()})"
        return text

    return f"{blank()},{blank()}".join(
        f"{blank()}|{blank()}".join(relation() for _ in range(random.choice([1, 1, 1, 2, 3])))
        for _ in range(random.randint(1, 4)))


ARCHITECTURES = [
    "amd64", "i386", "arm64", "armhf", "armel", "x32", "mips64el", "hurd-i386", "kfreebsd-amd64", "musl-linux-armhf",
    "riscv64", "powerpcspe", "uclibc-linux-amd64", "linux-amd64", "any", "linux-any", "any-amd64", "any-arm",
    "any-any", "hurd-any", "kfreebsd-any", "gnu-linux-any", "musl-any-any", "any-linux-any", "any-i386",
    "base-any-linux-amd64", "eabihf-any-any-any", "gnu-any-any", "any-mips64el", "gnu-linux-amd64", "base-gnu-linux-amd64",
    "other-amd64", "linux-armhf", "mipsn32el", "mips64", "uclibc-linux-armel", "uclinux-armel", "kfreebsd-armhf",
    "arm64ilp32", "any-arm64", "freebsd-amd64", "bsd-any-any", "solaris-sparc", "mint-m68k", "any-mips64"
]


def source_field(random):
    """A field of a source package, with lists of architectures and build profiles."""
    def listed():
        sign = random.choice(["", "", "!"])
        return " ".join(sign + name for name in random.choices(ARCHITECTURES, k=random.randint(1, 3)))

    def relation():
        text = random.choice(["a", "libc6-dev", "g++"]) + random.choice(["", "", ":any"])
        text += random.choice(["", "", " (>= 1)", "(<<2)"])
        text += random.choice(["", f" [{listed()}]", f"[ {listed()} ]"])
        return text + random.choice(["", "", " <!nocheck>", "<a !b> <c>", " < a  b >"])

    return ", ".join(" | ".join(relation() for _ in range(random.choice([1, 1, 2])))
                     for _ in range(random.randint(1, 3)))
