"""What topsctl says of ELF files is what readelf says: on fixed samples, and on real files of this machine.

Which real files there are depends on what is installed. So they show faults that nobody has thought of, and what they
have shown becomes a fixed sample.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/bin", "/usr/lib/python3")
SAMPLE = 100
MACHINES = {"Advanced Micro Devices X86-64": "x86-64", "Intel 80386": "i386", "AArch64": "aarch64"}
TYPES = {"DYN": "shared", "EXEC": "executable", "REL": "relocatable", "CORE": "core"}
DEBUG = "debug"
SHOWN = 5

DYNAMIC = re.compile(r"\((NEEDED|SONAME|RPATH|RUNPATH)\)\s.*?\[(.*)\]$", re.MULTILINE)
NEED_FILE = re.compile(r"Version: 1\s+File: (\S+)\s+Cnt: \d+$")
NEED_NAME = re.compile(r"Name: (\S+)\s+Flags: (.*?)\s+Version: \d+$")
DEFINITION = re.compile(r"Rev: 1\s+Flags: (.*?)\s+Index: \d+\s+Cnt: \d+\s+Name: (\S*)$")
SYMBOL = re.compile(r"^\s*\d+: [0-9a-f]+ +\S+ +\S+ +(\S+) +\S+ .*?(\S+) ([^\s@]+)(?:@\S+)?(?: \(\d+\))?$", re.MULTILINE)


def is_elf(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def real_files():
    """Every ELF file of the folders, in order, once each."""
    found = {}
    for top in FOLDERS:
        for folder, _, names in os.walk(top):
            for name in names:
                path = Path(folder, name)
                if path.is_file() and not path.is_symlink() and is_elf(path):
                    found.setdefault(path.resolve())
    return sorted(found)


def readelf(*options):
    done = subprocess.run(["readelf", "-W", *options], capture_output=True, text=True, errors="replace", check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout


def _highest(versions, prefix):
    numbers = [name[len(prefix):] for name in versions if re.fullmatch(re.escape(prefix) + r"\d+(\.\d+)*", name)]
    return max(numbers, key=lambda number: [int(part) for part in number.split(".")], default="")


def _versions(text):
    """The needs and the definitions of readelf -V, without weak needs and the base."""
    needs, definitions = [], []
    for line in text.splitlines():
        if match := NEED_FILE.search(line):
            needs.append({"library": match.group(1), "versions": []})
        elif (match := NEED_NAME.search(line)) and needs:
            if "WEAK" not in match.group(2):
                needs[-1]["versions"].append(match.group(1))
        elif match := DEFINITION.search(line):
            if "BASE" not in match.group(1):
                definitions.append(match.group(2))
    for need in needs:
        need["versions"].sort(key=str.encode)
    return [need for need in needs if need["versions"]], definitions


def said_by_readelf(path):
    """The facts as readelf prints them, in the form of the probe."""
    head = readelf("-hl", path)
    machine = re.search(r"Machine:\s+(.*)", head).group(1)
    kind = TYPES[re.search(r"Type:\s+(\w+)", head).group(1)]
    interpreter = re.search(r"Requesting program interpreter: (.*)\]", head)
    dynamic = readelf("-d", path)
    entries = {}
    for name, value in DYNAMIC.findall(dynamic):
        entries.setdefault(name, []).append(value)
    if re.search(r"\(FLAGS_1\).*\bPIE\b", dynamic):
        kind = "executable"
    paths = entries.get("RUNPATH", entries.get("RPATH", [""]))[0]
    needs, definitions = _versions(readelf("-V", path))
    all_needs = [version for need in needs for version in need["versions"]]
    symbols = readelf("--dyn-syms", path)
    exported = [name for bind, index, name in SYMBOL.findall(symbols) if index != "UND" and bind != "LOCAL"]
    return {"problem": "", "is_partial": False, "machine": MACHINES.get(machine, machine), "type": kind,
            "soname": entries.get("SONAME", [""])[0], "interpreter": interpreter.group(1) if interpreter else "",
            "needed": entries.get("NEEDED", []), "search_paths": paths.split(":") if paths else [],
            "version_needs": needs, "defined_versions": definitions, "exported": exported,
            "glibc": _highest(all_needs, "GLIBC_"), "glibcxx": _highest(all_needs, "GLIBCXX_"),
            "cxxabi": _highest(all_needs, "CXXABI_"),
            "is_python_extension": any(name.startswith("PyInit_") for name in exported)}


def contradictions(read, streamed):
    """What the reader of streams says otherwise than the reader of files; it may leave out what it says it leaves out."""
    if not streamed["is_partial"]:
        return [key for key in streamed if key != "exported" and streamed[key] != read[key]]
    wrong = [key for key in ("problem", "machine", "type") if streamed[key] != read[key]]
    for key, said in streamed.items():
        if key in wrong or key in ("problem", "is_partial", "machine", "type", "exported"):
            continue
        whole = read[key]
        is_true = all(one in whole for one in said) if isinstance(said, list) else said in ("", False, whole)
        if not is_true:
            wrong.append(key)
    return wrong


@pytest.fixture(scope="module")
def said_by_topsctl(repository):
    """The facts of the files, of which those of the reader of streams stand under "streamed"."""
    program = repository / "build" / "dev" / "tests" / "topsctl_elf_probe"
    if not program.exists():
        pytest.fail(f"'{program}' is not built: run `cmake --preset dev && cmake --build --preset dev`, or tests/run, "
                    "which builds first", pytrace=False)

    def facts(files):
        done = subprocess.run([program, *files], capture_output=True, text=True, check=True)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        for one in found:
            assert one.pop("listing_agrees"), f"{one['file']}: the list of exported names changes other facts"
            wrong = contradictions(one, one["streamed"])
            assert not wrong, f"{one['file']}: the two readers differ in {wrong}"
        return found

    return facts


@pytest.mark.whole
def test_real_files_are_what_readelf_says(chance, said_by_topsctl):
    everything = real_files()
    small = [path for path in everything if path.stat().st_size < 4 << 20]
    large = sorted(set(everything) - set(small))
    extensions = [path for path in everything if ".cpython-" in path.name]
    files = chance.sample(small, min(SAMPLE, len(small))) + chance.sample(large, min(5, len(large)))
    files += chance.sample(extensions, min(5, len(extensions)))
    assert len(files) >= 50
    differing = []
    for path, ours in zip(files, said_by_topsctl(files), strict=True):
        assert ours.pop("file") == str(path)
        theirs = said_by_readelf(path)
        wrong = {key: (ours[key], theirs[key]) for key in theirs if ours[key] != theirs[key]}
        if wrong:
            differing.append((str(path), wrong))
    assert not differing, f"{len(differing)} of {len(files)} differ: {differing[:SHOWN]}"


SOURCE = "__attribute__((visibility(\"default\"))) int %s(void) { return 1; }\n"
STYLES = {"plain": [], "one-segment": ["-Wl,-z,noseparate-code"], "old-hash": ["-Wl,--hash-style=sysv"],
          "stripped": ["-Wl,--hash-style=gnu", "-s"], "32-bit": ["-m32"], "gold": ["-fuse-ld=gold"],
          "gold-stripped": ["-fuse-ld=gold", "-s"], "gold-32-bit": ["-fuse-ld=gold", "-m32"]}


@pytest.mark.parametrize("style", STYLES)
def test_libraries_of_every_linker_are_what_readelf_says(tmp_path, said_by_topsctl, style):
    source = tmp_path / "small.c"
    source.write_text(SOURCE % "PyInit_small")
    library = tmp_path / "libsmall.so"
    # Without the C library, which is not there for every class.
    flags = ["-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libsmall.so.1", "-Wl,-rpath,$ORIGIN:/opt/tops/lib"]
    subprocess.run(["cc", *flags, *STYLES[style], "-o", library, source], check=True)
    (ours,) = said_by_topsctl([library])
    assert ours.pop("file") == str(library)
    assert not ours.pop("streamed")["is_partial"]
    assert ours == said_by_readelf(library)
    assert ours["is_python_extension"] and ours["search_paths"] == ["$ORIGIN", "/opt/tops/lib"]


# As Go's linker places them in a program that calls C: the tables of the dynamic loader between constants and more
# constants, in a segment in the middle, and what names their places after them.
GO_LAYOUT = """
PHDRS
{
  headers PT_PHDR PHDRS;
  interpreter PT_INTERP;
  code PT_LOAD FILEHDR PHDRS FLAGS(5);
  constants PT_LOAD FLAGS(4);
  data PT_LOAD FLAGS(6);
  dynamic PT_DYNAMIC FLAGS(6);
}
SECTIONS
{
  . = 0x400000 + SIZEOF_HEADERS;
  .interp : { *(.interp) } :code :interpreter
  .text : { *(.text*) } :code
  .plt : { *(.plt*) } :code
  . = ALIGN(0x1000);
  .rodata : { *(.rodata*) } :constants
  .dynsym : { *(.dynsym) } :constants
  .rela.dyn : { *(.rela*) } :constants
  .gnu.version : { *(.gnu.version) } :constants
  .gnu.version_r : { *(.gnu.version_r) } :constants
  .hash : { *(.hash) } :constants
  .dynstr : { *(.dynstr) } :constants
  .gopclntab : { *(.gopclntab) } :constants
  . = ALIGN(0x1000);
  .dynamic : { *(.dynamic) } :data :dynamic
  .data : { *(.data*) *(.got*) } :data
  .bss : { *(.bss*) } :data
  /DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) }
}
"""
GO_SOURCE = """
const char before[%d] = {1};
__attribute__((section(".gopclntab"))) const char after[%d] = {1};
extern int puts(const char *);
void _start(void) { puts(before); }
"""


@pytest.mark.parametrize(("constants", "is_partial"), [(1 << 19, False), (3 << 20, True)])
def test_a_program_laid_out_by_go_is_told_as_far_as_its_tables_are_kept(tmp_path, said_by_topsctl, constants, is_partial):
    (tmp_path / "program.c").write_text(GO_SOURCE % (constants, constants))
    (tmp_path / "layout.ld").write_text(GO_LAYOUT)
    program = tmp_path / "program"
    subprocess.run(["cc", "-O1", "-no-pie", "-fno-stack-protector", "-fcf-protection=none", "-nostartfiles",
                    "-Wl,--hash-style=sysv,--build-id=none", "-T", tmp_path / "layout.ld", "-o", program,
                    tmp_path / "program.c"], check=True)
    (ours,) = said_by_topsctl([program])
    assert ours.pop("file") == str(program)
    streamed = ours.pop("streamed")
    assert ours == said_by_readelf(program)
    assert ours["needed"] == ["libc.so.6"] and ours["version_needs"][0]["versions"] == ["GLIBC_2.2.5"]
    assert streamed["is_partial"] == is_partial
    assert streamed["needed"] == ([] if is_partial else ["libc.so.6"])


def test_debug_information_is_no_library(tmp_path, said_by_topsctl):
    source = tmp_path / "small.c"
    source.write_text(SOURCE % "small")
    library, apart, plain = tmp_path / "libsmall.so", tmp_path / "libsmall.so.debug", tmp_path / "small.o"
    subprocess.run(["cc", "-g", "-shared", "-fPIC", "-nostdlib", "-o", library, source], check=True)
    subprocess.run(["cc", "-g", "-c", "-o", plain, source], check=True)
    subprocess.run(["objcopy", "--only-keep-debug", library, apart], check=True)
    facts = said_by_topsctl([library, apart, plain])
    assert [one["type"] for one in facts] == ["shared", DEBUG, "relocatable"]
    assert [one["problem"] for one in facts] == ["", "", ""]
