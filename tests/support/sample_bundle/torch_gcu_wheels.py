# The torch_gcu wheels: the Python double, its native extension, and the faults a wheel can have.

import textwrap

from .files import DOUBLES, double_text, write
from .wheels import Wheel

SIZES = {"3.8": 12067160, "3.6": 12072443}
DEFAULT_SIZE = SIZES["3.8"]


def file_version(minor, generation):
    """The version as file name and METADATA spell it: the 3.6 wheel has a dash, all others a plus."""
    if generation.is_i3x:
        return "2.7.0"
    return "1.10.0{}{}".format("-" if minor == "3.6" else "+", generation.version)


def file_name(minor, generation):
    return "torch_gcu-{}-{}.whl".format(file_version(minor, generation), tag(minor, generation))


def tag(minor, generation):
    """Of TopsRider 2.x the Python that is meant, in a form that pip reads as another; of 3.x a proper one."""
    python = "cp" + minor.replace(".", "")
    return "{0}-{0}-linux_x86_64".format(python) if generation.is_i3x else "py{}-none-any".format(minor)


def extension_name(minor):
    number = minor.replace(".", "")
    abi_flag = "m" if int(minor.split(".")[1]) < 8 else ""
    return "_GCUC.cpython-{}{}-x86_64-linux-gnu.so".format(number, abi_flag)


def sources(generation):
    """The Python files of the double; the generations differ by one file each way."""
    left_out = "legacy.py" if generation.is_newest else "amp.py"
    for path in sorted((DOUBLES / "torch_gcu").rglob("*.py")):
        if path.name not in (left_out, "_build.py"):
            yield "torch_gcu/" + path.relative_to(DOUBLES / "torch_gcu").as_posix(), path.read_bytes()


def build(options, generation, minor, compiler, output, faulty=True):
    """Build the wheel of one Python minor; `faulty` decides whether the asked-for faults apply."""
    def has(fault):
        return faulty and options.has(fault)

    if has("wheel-no-zip"):
        write(output, "Test double: this file is named like a wheel and is plain text.\n" * 40)
        return
    version = file_version(minor, generation)
    members = dict(sources(generation))
    members["torch_gcu/_build.py"] = double_text(
        "torch_gcu/_build.py", version=version, generation=generation.version,
        python_minor=minor, personality=options.personality).encode()
    if has("import-fails"):
        members["torch_gcu/__init__.py"] = textwrap.dedent('''\
            # Test double of torch_gcu that cannot be imported: no Enflame software.
            raise ImportError("libtopsrt.so: cannot open shared object file: No such file or directory")
            ''').encode()
    extension = compiler.extension("ext/" + extension_name(minor), "gcuc.c", ["libeccl.so"])
    members["torch_gcu/" + extension_name(minor)] = extension.read_bytes()
    call = "torch_gcu.info" if has("wheel-bad-entry-point") else "torch_gcu.info:main"
    wheel = Wheel(
        name="torch_gcu", version=version, tags=(tag(minor, generation),), epoch=generation.epoch,
        members=members, entry_points="[console_scripts]\ntorch_gcu_info = {}\n".format(call),
        dist_info="gcu_runtime-0.1.dist-info" if has("wheel-not-installable") else "",
        filler_path="torch_gcu/lib/kernels.bin")
    damaged = "torch_gcu/devices.py" if has("wheel-bad-record") else ""
    wheel.write(output, options.scaled(SIZES.get(minor, DEFAULT_SIZE)), damaged)
