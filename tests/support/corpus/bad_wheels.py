"""Wheels that are damaged, hostile or wrong in themselves, whatever machine they go to."""

import io
import warnings
import zipfile

from .bad_debs import flipped
from .case import case
from .native import for_machine
from .wheels import Wheel, overlapping_zip, raw_zip, zip_info

UNREADABLE = ("package-unreadable",)


@case("wheel-tag-trap", ("wheel-tag-trap",), evidence=("py3.8",))
def _(shop):
    Wheel("torch_gcu", "1.10.0+2.5.136", "py3.8-none-any").write(shop.folder)


@case("wheel-extension-of-another-python", ("python-abi-differs",), exit=5, evidence=("cpython-36m",))
def _(shop):
    wheel = Wheel("torch_gcu", "1.10.0+2.5.136", "cp38-cp38-linux_x86_64")
    wheel.file("torch_gcu/_GCUC.cpython-36m-x86_64-linux-gnu.so", shop.native.extension("_GCUC")).write(shop.folder)


@case("wheel-trap-with-extension-of-another-python",
      ("wheel-tag-trap", "python-abi-differs", "native-code-in-pure-wheel"), exit=5)
def _(shop):
    wheel = Wheel("torch_gcu", "1.10.0+2.5.136", "py3.8-none-any")
    wheel.file("torch_gcu/_GCUC.cpython-36m-x86_64-linux-gnu.so", shop.native.extension("_GCUC")).write(shop.folder)


@case("wheel-native-code-in-pure", ("native-code-in-pure-wheel",))
def _(shop):
    Wheel().file("torch_demo/libdemo.so", shop.native.library("libdemo.so")).write(shop.folder)


@case("wheel-other-machine", ("elf-wrong-machine",), exit=5)
def _(shop):
    wheel = Wheel(tag="cp38-cp38-linux_x86_64")
    wheel.file("torch_demo/libdemo.so", for_machine(shop.native.library("libdemo.so"))).write(shop.folder)


@case("wheel-stub-library", ("library-not-elf",), exit=5)
def _(shop):
    Wheel(tag="cp38-cp38-linux_x86_64").file("torch_demo/libeccl.so", b"0123456789abcdef").write(shop.folder)


@case("wheel-record-differs", ("digest-mismatch",), exit=5, evidence=("torch_demo/devices.py",))
def _(shop):
    wheel = Wheel().file("torch_demo/devices.py", "count = 8\n")
    wheel.record = wheel.record_lines()
    wheel.file("torch_demo/devices.py", "count = 9\n").write(shop.folder)


@case("wheel-record-size-differs", ("record-size-wrong",))
def _(shop):
    wheel = Wheel()
    lines = wheel.record_lines()
    wheel.record = [lines[0].rpartition(",")[0] + ",7", *lines[1:]]
    wheel.write(shop.folder)


@case("wheel-record-lacks-a-file", ("file-not-listed",), exit=5, evidence=("torch_demo/extra.py",))
def _(shop):
    wheel = Wheel()
    wheel.record = wheel.record_lines()
    wheel.file("torch_demo/extra.py").write(shop.folder)


@case("wheel-record-lists-too-much", ("listed-file-missing",), exit=5, evidence=("torch_demo/gone.py",))
def _(shop):
    wheel = Wheel()
    wheel.record = [*wheel.record_lines(), "torch_demo/gone.py,sha256=AAAA,4"]
    wheel.write(shop.folder)


@case("wheel-record-without-digest", ("digest-not-given",), exit=5, evidence=("torch_demo/__init__.py",))
def _(shop):
    wheel = Wheel()
    wheel.record = ["torch_demo/__init__.py,,", *wheel.record_lines()[1:]]
    wheel.write(shop.folder)


@case("wheel-without-record", UNREADABLE, exit=3)
def _(shop):
    wheel = Wheel()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in wheel.members()[:-1]:
            archive.writestr(zip_info(name), content)
    wheel.write(shop.folder, data=stream.getvalue())


@case("wheel-is-text", UNREADABLE, exit=3)
def _(shop):
    Wheel().write(shop.folder, data=b"this file is named like a wheel and is plain text\n" * 40)


@case("wheel-empty", UNREADABLE, exit=3)
def _(shop):
    Wheel().write(shop.folder, data=b"")


def cut(name, share):
    @case(f"wheel-cut-{name}", UNREADABLE, exit=3)
    def build(shop):
        data = Wheel().file("torch_demo/noise.bin", bytes(i * i % 251 for i in range(20000))).bytes()
        Wheel().write(shop.folder, data=data[:int(len(data) * share)])


cut("at-a-third", 0.33)
cut("at-nine-tenths", 0.9)
cut("in-end-record", 0.9999)


@case("wheel-bit-flip-in-deflated", ("digest-mismatch|package-unreadable",), exit=(3, 5))
def _(shop):
    data = Wheel().file("torch_demo/a.txt", b"".join(b"%d;" % (i * i) for i in range(3000))).bytes()
    Wheel().write(shop.folder, data=flipped(data, data.index(b"torch_demo/a.txt") + 2000))


@case("wheel-bit-flip-in-stored", ("digest-mismatch|package-unreadable",), exit=(3, 5))
def _(shop):
    data = Wheel().file("torch_demo/a.txt", b"the marker is here").bytes(zipfile.ZIP_STORED)
    Wheel().write(shop.folder, data=flipped(data, data.index(b"the marker") + 4))


@case("wheel-bit-flip-in-directory", UNREADABLE, exit=3)
def _(shop):
    data = Wheel().bytes()
    Wheel().write(shop.folder, data=flipped(data, data.rindex(b"PK\1\2") + 2))


@case("wheel-metadata-of-another", ("wheel-name-differs", "wheel-malformed"), exit=5)
def _(shop):
    Wheel("other_demo").write(shop.folder, name="torch_demo-1.10.0-py3-none-any.whl")


@case("wheel-name-differs", ("wheel-name-differs",), exit=5, evidence=("other_demo",))
def _(shop):
    Wheel(metadata="Metadata-Version: 2.1\nName: other_demo\nVersion: 1.10.0\n").write(shop.folder)


@case("wheel-tags-differ", ("wheel-tags-differ",))
def _(shop):
    Wheel().write(shop.folder, name="torch_demo-1.10.0-cp38-cp38-linux_x86_64.whl")


@case("wheel-version-not-pep440", ("wheel-version-not-pep440",), evidence=("0.19.1.115.gcu",))
def _(shop):
    Wheel("horovod", "0.19.1.115.gcu").write(shop.folder)


@case("wheel-of-format-2", UNREADABLE, exit=3)
def _(shop):
    wheel = Wheel()
    wheel.wheel = wheel.wheel.replace("Wheel-Version: 1.0", "Wheel-Version: 2.0")
    wheel.write(shop.folder)


def strange_member(name, member, ids):
    @case(f"wheel-{name}", ids, exit=(3, 5))
    def build(shop):
        wheel = Wheel()
        data = wheel.bytes()
        stream = io.BytesIO(data)
        with zipfile.ZipFile(stream, "a") as archive:
            archive.writestr(zip_info(member), b"* * * * * root true\n")
        wheel.write(shop.folder, data=stream.getvalue())


OUT = ("entry-escapes|package-unreadable",)
strange_member("member-climbs-out", "../../../etc/cron.d/x", OUT)
strange_member("member-climbs-out-inside", "torch_demo/../../x.py", OUT)
strange_member("member-absolute", "/etc/cron.d/x", OUT)


@case("wheel-duplicate-member", ("duplicate-entry|package-unreadable",), may=("digest-mismatch",), exit=(3, 5))
def _(shop):
    wheel = Wheel()
    wheel.write(shop.folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of the very thing
        with zipfile.ZipFile(shop.folder / wheel.file_name, "a") as archive:
            archive.writestr(zip_info("torch_demo/__init__.py"), b"import os\n")


@case("wheel-names-disagree", ("package-unreadable|digest-mismatch|duplicate-entry",), exit=(3, 5))
def _(shop):
    # The name before the data and the name in the directory are two: tools would unpack different files.
    wheel = Wheel()
    data = raw_zip([("torch_demo/__main__.py" if name == "torch_demo/__init__.py" else name, name, content)
                    for name, content in wheel.members()])
    wheel.write(shop.folder, data=data)


@case("wheel-encrypted-member", ("package-unreadable",), exit=3)
def _(shop):
    data = bytearray(Wheel().bytes())
    for marker, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(marker) + offset] |= 1
    Wheel().write(shop.folder, data=bytes(data))


@case("wheel-overlapping-members", ("archive-bomb|package-unreadable|duplicate-entry",), exit=(3, 5), bounded=True)
def _(shop):
    wheel = Wheel()
    names = [f"torch_demo/part_{index}.bin" for index in range(20000)]
    wheel.write(shop.folder, data=overlapping_zip(names, b"\0" * (16 << 20)))


DATA = "torch_demo-1.10.0.data"


def with_file(name, path, ids, content="value = 1\n", exit=5):
    @case(f"wheel-{name}", ids, exit=exit, evidence=(path.rpartition("/")[2],))
    def build(shop):
        Wheel().file(path, content).write(shop.folder)


AT_START, SHADOWS = ("wheel-runs-at-start",), ("shadows-system-program",)
with_file("code-in-pth", "demo.pth", AT_START, "import os; os.system('id')\n")
with_file("code-in-pth-of-data", f"{DATA}/data/lib/python3/dist-packages/demo.pth", AT_START, "import os\n")
with_file("code-in-pth-after-a-carriage-return", "demo.pth", AT_START, "/opt\rimport os\n")
with_file("path-in-pth", "demo.pth", ("wheel-adds-python-path",), "/opt/demo\n", exit=0)
with_file("sitecustomize", "sitecustomize.py", AT_START)
with_file("sitecustomize-of-purelib", f"{DATA}/purelib/sitecustomize.py", AT_START)
with_file("usercustomize-package", "usercustomize/__init__.py", AT_START)
with_file("second-dist-info", "pip-99.0.dist-info/METADATA", ("wheel-second-distribution",))
with_file("egg-info", "torch-99.0-py3.8.egg-info", ("wheel-second-distribution",))
with_file("module-of-pip", "pip/__init__.py", ("wheel-foreign-files",))
with_file("module-of-setuptools", "_distutils_hack/__init__.py", ("wheel-foreign-files",))
with_file("module-of-torch", f"{DATA}/platlib/torch/evil.py", ("wheel-foreign-files",))
with_file("script-python3", f"{DATA}/scripts/python3", SHADOWS, "#!/bin/sh\n")
with_file("script-dpkg-in-sbin", f"{DATA}/data/sbin/dpkg", SHADOWS, "#!/bin/sh\n")
with_file("script-ldconfig-in-bin", f"{DATA}/data/bin/ldconfig", SHADOWS, "#!/bin/sh\n")


@case("wheel-entry-point-sudo", SHADOWS, exit=5, evidence=("sudo",))
def _(shop):
    wheel = Wheel()
    wheel.info = {"entry_points.txt": b"[console_scripts]\nsudo = torch_demo:main\n"}
    wheel.write(shop.folder)


@case("wheel-name-turned-around", ("bad-entry-name",), exit=5)
def _(shop):
    Wheel().file("torch_demo/\u202egnp.py").write(shop.folder)


@case("wheel-too-deep", UNREADABLE, exit=3, problem_contains="nested more than 128 directories")
def _(shop):
    Wheel().file("torch_demo/" + "d/" * 900 + "file.py").write(shop.folder)
