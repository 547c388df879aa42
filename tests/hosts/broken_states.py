"""Ways in which an installed stack is broken, each with what `topsctl verify` must say of it. All are doubles: no card, no
driver and no vendor's library is here."""

import base64
import hashlib
import re
import shutil
import subprocess
from dataclasses import dataclass

SITE = "/usr/local/lib/python3.9/dist-packages"
LIBRARY = "/usr/lib/libeccl.so"
NODES = [f"/dev/gcu{card}" for card in range(8)]
ENVIRONMENT = "/etc/profile.d/topsrider.sh"


@dataclass(frozen=True)
class State:
    """`fails`: the very checks that must fail, all of one rung; `says`, `hint`: words of the first one's texts."""
    name: str
    make: object
    rung: str = ""
    fails: tuple = ()
    says: str = ""
    hint: str = ""
    options: tuple = ("--level", "single")


def edit(host, path, old, new):
    place = host.path(path)
    text = place.read_text()
    assert old in text, (path, old)
    place.write_text(text.replace(old, new, 1))


def recorded(host, name, text):
    """Writes a file of torch_gcu as a wheel would have brought it: with its line in RECORD."""
    host.path(f"{SITE}/torch_gcu/{name}").write_text(text)
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    record, = host.path(SITE).glob("torch_gcu-*.dist-info/RECORD")
    lines = [line for line in record.read_text().splitlines() if not line.startswith(f"torch_gcu/{name},")]
    record.write_text("\n".join([*lines, f"torch_gcu/{name},sha256={digest},{len(text.encode())}", ""]))


def patched(name, old, new):
    def make(host):
        text = host.path(f"{SITE}/torch_gcu/{name}").read_text()
        assert old in text, (name, old)
        recorded(host, name, text.replace(old, new, 1))
    return make


def replaced(name, text):
    return lambda host: recorded(host, name, text)


def removed(*paths):
    def make(host):
        for path in paths:
            place = host.path(path)
            shutil.rmtree(place) if place.is_dir() else place.unlink()
    return make


def written(path, text, mode=0o644):
    def make(host):
        place = host.path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(mode)
    return make


def without_distributed(host):
    host.path(f"{SITE}/torch_gcu/distributed.py").unlink()
    record, = host.path(SITE).glob("torch_gcu-*.dist-info/RECORD")
    record.write_text(re.sub(r"(?m)^torch_gcu/distributed\.py,.*\n", "", record.read_text()))


def another_interpreter(host):
    done = host.run(["python3", "-m", "venv", "--without-pip", "/opt/env"])
    assert done.returncode == 0, done.stderr


def another_torch(host):
    info = f"{SITE}/torch-2.0.1.dist-info"
    written(f"{info}/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.0.1\n")(host)
    written(f"{info}/RECORD", "torch-2.0.1.dist-info/METADATA,,\ntorch-2.0.1.dist-info/RECORD,,\n")(host)


def library_not_owned(host):
    for kind in ("list", "md5sums"):
        place = host.path(f"/var/lib/dpkg/info/tops-eccl.{kind}")
        place.write_text("".join(line for line in place.read_text().splitlines(True)
                                 if not line.rstrip().endswith("usr/lib/libeccl.so")))


def another_library_first(host):
    host.copy_in(host.path(LIBRARY), "/usr/local/lib/libeccl.so")
    assert host.run(["ldconfig"]).returncode == 0


def compiled(folder, name, source, *words):
    """A shared library without glibc, so that any release of it can load it."""
    (folder / f"{name}.c").write_text(source)
    subprocess.run(["cc", "-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{name}", "-o", folder / name,
                    folder / f"{name}.c", *words], check=True)
    return folder / name


def library_with_runtime(host, runtime_there, needed="CAPS_0.8", offered="CAPS_0.7"):
    """A libeccl.so that needs a version of the runtime, of a package that is as dpkg knows it."""
    folder = host.path("/opt/building")
    folder.mkdir()

    def runtime(version):
        (folder / "map").write_text(f"{version} {{ global: topsrt_start; }};\n")
        return compiled(folder, "libtopsrt.so.1", "int topsrt_start(void) { return 0; }\n",
                        f"-Wl,--version-script={folder / 'map'}")

    runtime(needed)
    source = ("int topsrt_start(void);\nint ecclGetVersion(int *v) { *v = 25136; return topsrt_start(); }\n"
              "int ecclGetUniqueId(void *p) { return p == 0; }\nint ecclCommInitRank(void *p) { return p == 0; }\n")
    library = compiled(folder, "libeccl.so", source, "-L", folder, "-l:libtopsrt.so.1")
    shutil.copyfile(library, host.path(LIBRARY))
    digest = hashlib.md5(library.read_bytes()).hexdigest()
    sums = host.path("/var/lib/dpkg/info/tops-eccl.md5sums")
    sums.write_text(re.sub(r"(?m)^\w{32}(?=  usr/lib/libeccl\.so$)", digest, sums.read_text()))
    if runtime_there:
        shutil.copyfile(runtime(offered), host.path("/usr/lib/libtopsrt.so.1"))
    shutil.rmtree(folder)


NOISE = ("import os\nprint('{\"step\": \"module\", \"state\": \"failed\"}')\nprint('x' * 200000)\n"
         "os.write(3, b'{\"step\": \"module\", \"state\": \"failed\", \"error\": \"noise\"}\\n')\n")
GLOO_THAT_SAYS_ECCL = """\
from torch.distributed import *  # noqa: F401,F403
import torch.distributed as _dist


def init_process_group(backend, **options):
    _dist.init_process_group("gloo", **options)


def get_backend(group=None):
    return "eccl"
"""
HONEST_GLOO = GLOO_THAT_SAYS_ECCL.replace('"eccl"', '"gloo"')
INIT = "def init_process_group(backend=\"eccl\", init_method=None, **options):\n"
TOUCH = "    touch(index)\n    return torch.device"
CONTENT = '"""As torch.distributed.init_process_group; \'eccl\' opens a communicator of libeccl.so as well."""\n'

STATES = [
    State("library-missing", removed(LIBRARY), "files", ("eccl-library", "eccl-files"), "libeccl.so", "topsctl repair"),
    State("stub-library", lambda host: host.path(LIBRARY).write_bytes(b"\x7fELF\2\1\1" + bytes(9)), "files",
          ("eccl-library", "eccl-files"), "libeccl.so", "not the vendor's library"),
    State("wrong-owner", library_not_owned, "files", ("eccl-library",), "has no file libeccl.so", "vendor's own package"),
    State("half-configured",
          lambda host: edit(host, "/var/lib/dpkg/status", "Package: tops-sdk\nStatus: install ok installed",
                            "Package: tops-sdk\nStatus: install ok half-configured"),
          "files", ("sdk-installed",), "half-configured", "topsctl install"),
    State("record-mismatch", lambda host: edit(host, f"{SITE}/torch_gcu/devices.py", "import os", "import os  # patched"),
          "files", ("torch-gcu-installed",), "does not match RECORD", "topsctl repair"),
    State("environment-file-missing", removed(ENVIRONMENT), "files", ("environment-file",), "is missing", "topsctl repair"),
    State("fake-tool", written("/opt/tops/bin/tops-smi", "#!/bin/sh\necho 8 cards\n", 0o755), "files", ("no-impostors",),
          "/opt/tops/bin/tops-smi", "remove"),
    State("fake-module", written(f"{SITE}/eccl.py", "__version__ = '2.5.136'\n"), "files", ("no-impostors",), "eccl.py",
          "remove"),
    State("another-interpreter", another_interpreter, "files", ("torch-gcu-installed",), "only for /usr/bin/python3",
          "use /usr/bin/python3", ("--level", "single", "--python", "/opt/env/bin/python3")),
    State("needed-library-missing", lambda host: library_with_runtime(host, False), "load", ("eccl-links", "eccl-version"),
          "libtopsrt.so.1", "TopsPlatform"),
    State("symbol-version-missing", lambda host: library_with_runtime(host, True), "load", ("eccl-links", "eccl-version"),
          "CAPS_0.8", "different releases"),
    State("another-library-first", another_library_first, "load", ("eccl-version",), "/usr/local/lib/libeccl.so",
          "remove the other file"),
    State("torch-replaced", another_torch, "import", ("torch-unchanged",), "torch 2.0.1", "reinstall the earlier torch"),
    State("import-fails", replaced("__init__.py", "raise ImportError('libtopsrt.so: cannot open shared object file')\n"),
          "import", ("torch-gcu-import",), "ImportError", "library is missing"),
    State("import-dies", replaced("__init__.py", "import os\nos.kill(os.getpid(), 11)\n"), "import", ("torch-gcu-import",),
          "SIGSEGV", "dmesg"),
    State("driver-missing", removed("/sys/module/enflame"), "device", ("driver",), "is not loaded", "--privileged"),
    State("nodes-absent", removed(*NODES), "device", ("device-nodes", "device-count"), "GCU count:0", "--privileged"),
    State("seven-of-eight", removed(NODES[5]), "device", ("device-nodes", "device-count"), "/dev/gcu5 is missing", "dmesg"),
    State("seven-on-the-bus", removed("/sys/bus/pci/devices/0000:35:00.0"), "device", ("pci-cards",), "7 devices", "lspci"),
    State("tool-fails", written("/usr/bin/efsmi", "#!/bin/sh\necho HAL initialization failed\nexit 1\n", 0o755), "device",
          ("efsmi",), "HAL initialization failed", "dmesg"),
    State("a-card-dies", patched("devices.py", TOUCH, "    index == 3 and os.kill(os.getpid(), 4)\n" + TOUCH), "single",
          ("card-arithmetic",), "card 3: killed by signal 4 (SIGILL)", "dmesg"),
    State("a-card-computes-wrong",
          patched("devices.py", TOUCH, "    if index == 2: torch.Tensor.sum = lambda self: torch.ones(1)\n" + TOUCH), "single",
          ("card-arithmetic",), "card 2 computes 1", "out of use"),
    State("probe-hangs", patched("distributed.py", CONTENT, CONTENT + "    import time; time.sleep(1000)\n"), "single",
          ("eccl-group",), "timed out", "--timeout", ("--level", "single", "--timeout", "12")),
    State("wrong-api-module", replaced("distributed.py", "from torch.distributed import *  # noqa\n"), "single",
          ("eccl-group",), "nvalid backend", "does not provide eccl"),
    State("eccl-not-registered", without_distributed, "single", ("eccl-group",), "does not know the backend 'eccl'",
          "install tops-eccl"),
    State("gloo-only", replaced("distributed.py", HONEST_GLOO), "single", ("eccl-group",), "got 'gloo'", "gloo is not eccl"),
    State("gloo-that-says-eccl", replaced("distributed.py", GLOO_THAT_SAYS_ECCL), "single", ("eccl-group",),
          "libeccl.so is not loaded", "gloo is not eccl"),
    State("a-rank-dies", patched("distributed.py", CONTENT,
                                 CONTENT + "    import os; os.environ['WORLD_SIZE'] != '1' and os.environ['RANK'] == '1' and os._exit(7)\n"),
          "ranks", ("eccl-ranks",), "ranks responded", "dmesg", ("--level", "ranks", "--ranks", "2", "--timeout", "60")),
    State("noise", patched("devices.py", "import os\n", NOISE)),
    State("tool-absent", lambda host: None),
]
