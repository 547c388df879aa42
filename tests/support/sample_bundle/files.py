# Deterministic files: pseudo-random filler, fixed modes and fixed modification times.

import hashlib
import os
from pathlib import Path

CHUNK = 1 << 20
DOUBLES = Path(__file__).resolve().parent / "doubles"


def filler(seed, size):
    """`size` incompressible bytes in chunks; the same seed gives the same bytes."""
    number = 0
    while size > 0:
        block = hashlib.shake_128("{}#{}".format(seed, number).encode()).digest(min(CHUNK, size))
        yield block
        size -= len(block)
        number += 1


def write_filler(path, seed, size):
    with open(str(path), "wb") as stream:
        for block in filler(seed, size):
            stream.write(block)


def write(path, content, mode=0o644):
    """Write text or bytes, making the folders on the way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    path.chmod(mode)


def double_text(name, **values):
    """The text of a file below doubles/, each @KEY@ replaced by its value."""
    text = (DOUBLES / name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace("@{}@".format(key.upper()), str(value))
    return text


def settle(root, epoch):
    """Give everything below `root`, and `root`, one modification time and plain folder modes."""
    for folder, _, names in os.walk(str(root), topdown=False):
        for name in names:
            os.utime(os.path.join(folder, name), (epoch, epoch), follow_symlinks=False)
        os.chmod(folder, 0o755)
        os.utime(folder, (epoch, epoch))
