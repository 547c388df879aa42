"""Packages of the archive that this machine's apt reaches: names, versions, sizes, and the files, downloaded once into a cache."""

import os
import random
import shutil
import subprocess
from pathlib import Path

APT_CACHE = Path("/var/cache/apt/archives")


def listed_names(path):
    """The names of a list with comments, each once."""
    lines = path.read_text().splitlines()
    return sorted({name for line in lines if not line.startswith("#") for name in line.split()})


def drawn_names(count, seed, largest):
    """So many names of all that apt knows, by chance; a package is no larger than so many bytes."""
    names = sorted(set(_told("apt-cache", "pkgnames").split()))
    random.Random(seed).shuffle(names)
    drawn = []
    while names and len(drawn) < count:
        some, names = names[:count], names[count:]
        small = {name for name, size in _sizes(some).items() if size <= largest}
        drawn += [name for name in some if name in small]
    return drawn[:count]


def candidates(names):
    """The version that apt would download of each name it knows."""
    found, name = {}, None
    for line in _told("apt-cache", "policy", *names).splitlines():
        if not line.startswith(" "):
            name = line.rstrip(":")
        elif line.startswith("  Candidate: ") and not line.endswith("(none)"):
            found[name] = line.partition(": ")[2]
    return found


def download(cache, names):
    """The debs of the names, from the cache, from what apt has at hand, or downloaded by apt-get."""
    cache.mkdir(parents=True, exist_ok=True)
    patterns = {name: f"{name}_{version.replace(':', '%3a')}_*.deb" for name, version in candidates(names).items()}
    missing = []
    for name, pattern in patterns.items():
        if any(cache.glob(pattern)):
            continue
        at_hand = next(iter(sorted(APT_CACHE.glob(pattern))), None)
        if at_hand is not None:
            shutil.copyfile(at_hand, cache / at_hand.name)
        else:
            missing.append(name)
    if missing:
        print(f"downloading {len(missing)} packages", flush=True)
        # As root, apt-get would drop to a user that may not write here.
        subprocess.run(["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", *missing], cwd=cache, check=False,
                       stdout=subprocess.DEVNULL)
    return sorted(path for pattern in patterns.values() for path in cache.glob(pattern))


def _sizes(names):
    """How many bytes the file of each name has that is the name of a package."""
    sizes, name = {}, None
    for line in _told("apt-cache", "show", "--no-all-versions", *names, check=False).splitlines():
        key, _, value = line.partition(": ")
        if key == "Package":
            name = value
        elif key == "Size":
            sizes[name] = int(value)
    return sizes


def _told(*command, check=True):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=check,
                          env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
