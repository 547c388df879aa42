#!/usr/bin/python3
"""Writes the inputs that fuzzing begins with, made by the usual tools: make_seeds.py FOLDER gives FOLDER/NAME/*."""

import base64
import bz2
import gzip
import hashlib
import io
import json
import lzma
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

SHAPES = (b"\x00", b"\x03", b"\x45")  # the last byte is a choice of the harness: all at once, or in pieces
SIGNATURE = (  # of "a lock\n", as topsctl-lock
    "U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgp+bF0cX6JF4umhJP4fj4vgrPyudP2SJAPlwFzocVcn4AAAAMdG9wc2N0"
    "bC1sb2NrAAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1lZDI1NTE5AAAAQDjqFP1i4XObJ/ZfXj8UhoIXM9fo9TMOnTNwc2Tvvz9y"
    "VzxgMhdDss4zGzHp+wiKCkpszPqQPqiKi+NdOPzwQw0=")
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKfmxdHF+iReLpoST+H4+L4Kz8rnT9kiQD5cBc6HFXJ+ release@lab"
LZW_OF_WORDS = bytes.fromhex("1f9d9061c48c093850200882080d262c38e6a0c0852000")  # as compress(1) writes it
CONTROL = """Package: tops-eccl
Version: 1:2.5.136-1~rc1
Architecture: amd64
Multi-Arch: same
Pre-Depends: dpkg (>= 1.17.5)
Depends: libc6 (>= 2.27), tops-sdk (= 2.5.136-1) | tops-runtime:any,
 libelf1
Conflicts: tops-eccl-old (<< 2)
Installed-Size: 12
Maintainer: Somebody <somebody@example.org>
Description: first line
 second line
 .
 last
"""
METADATA = """Metadata-Version: 2.1
Name: torch_gcu
Version: 1.10.0+2.5.136
Requires-Python: >=3.8, <3.9
Requires-Dist: numpy (>=1.16) ; extra == 'all'

Prose: that is no field
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: sample\nRoot-Is-Purelib: true\nTag: py3.8-none-any\nTag: cp38-cp38-linux_x86_64\n"
RELATIONS = ("libc6 (>= 2.27), libstdc++6 (>= 9), tops-sdk (= 2.5.136-1) | tops-runtime:any (<< 3~)",
             "a [amd64 !i386] <!nocheck> <stage1 cross>, b (>> 1:0-0), c(<2),\n d:amd64 (<= 1.0+dfsg-1~bpo12+1)\n# note\n", "",
             "python3 (=3.8)|python3.8", "x (1.0)")
ENVIRONMENTS = [
    '# head\n# topsctl settings: {"profile":"prod","set":{"A":"b"},"unset":["C"]}\nexport A=b\n',
    'export X="/a:$X" B=\'c\'; if [ -n "$X" ]; then Y=${X:+:$X}; fi\ncat <<EOF\nA=1\nEOF\n',
    '[Service]\nEnvironment="A=b c" B=%%\\\n  C=d\n', "PATH=\"/a:/b\"\nexport C='d'\n", "A=b\0C=d\0"]
# What VCCL's telemetry and nvidia-smi print.
FLOWS = ("Time,Group,FromRank,ToRank,DevIndex,Func,FuncTimes,SrcIP,DstIP,Bandwidth,SendWrCounter,RemainWrDataSize,Timestamp\n"
         "20261126031500,77,0,8,0,4,12,10.0.0.1,10.0.0.2,390,3,4096,123456789\n",
         "64 bits data: status(63) | bandwidth(62 - 54) | timestamp(53 - 0) \n6845471433603153920\n9223372036854775809\n",
         "0, NVIDIA H800, 00000000:19:00.0, GPU-5d1, 35, 70.12, 700.00, 81559, 4, 0, P0, 535.161.08, [N/A]\n")
PROBES = [
    "*EFSMI    V1.20.0          Driver Ver: 2.4.20230829                       *\n"
    "* 0      T20                 | 10.19.3         | 00:3d:0.0  Enable        *\n"
    "* 30C    Sleep   48.0W  300W | 32G      Disable|   0.0%     W28001210504  *\n",
    "DEV ID 0\n  Dev Name : Enflame T20\n  GCU Temp : 39 C\n  Cur Power : 48 W\n  Total Size : 49120 MiB\n",
    '{"devices":[{"id":0,"Info":{"Dev Name":"S60","Dev SN":"A1"}}]}', "HAL initialization failed\n",
    't {"step":"torch","state":"begin","arguments":[]}\nt {"step":"torch","state":"done","version":"1.7.1","ms":9}\n'
    't {"step":"ranks","state":"begin"}\nnoise\nt {"step":"ranks","state":"done","status":0,"answers":'
    '[{"rank":0,"ok":true,"total":3.0,"right":true,"backend":"eccl"}]}\n']
TARGETS = ("node1", "ops@node1.lab:2222/tops-rider", "root@[fe80::1%eth0]:22/c", "local:", "local:/box", "# all\na\n\nb # b\n", "debs/a b.deb",
           "Host *.lab !gate")
_ID = "0123456789abcdef" * 4
FRAMES = {
    "manifest": (b"M", json.dumps({"destination": "/tmp/d", "chunk_bytes": 4194304, "dry_run": False,
                                   "objects": [{"id": _ID, "size": 5}], "files": [{"name": "a/b.deb", "object": 0}]}).encode()),
    "join": (b"J", json.dumps({"store": "/s", "objects": [{"id": _ID, "size": 5}]}).encode()),
    "state": (b"S", json.dumps({"store": "/s", "free_bytes": 1, "objects": [
        {"complete": False, "digests": [None]}, {"complete": True, "digests": []}]}).encode()),
    "done": (b"D", json.dumps({"files": [{"name": "a", "id": _ID, "was_there": False}]}).encode()),
    "run": (b"R", json.dumps({"id": _ID[:32], "words": ["install", "/a"], "run_as": "root",
                              "events_from": 0}).encode()),
    "end": (b"X", json.dumps({"status": 0, "report": "{}", "last_words": None}).encode()),
    "failure": (b"E", json.dumps({"code": "no_space", "message": "m", "context": [], "hint": None}).encode()),
    "chunk": (b"C", bytes(12) + b"some bytes"),
    "ack": (b"A", bytes(44)),
}
NAMES = ("usr/lib/libeccl.so", "usr/share/doc/tops-eccl/copyright", "a" * 120 + "/" + "b" * 90, "../escapes", "/absolute",
         "\u00fcber")
SAMPLE = b"\x7fELF\x02\x01\x01" + b"text that can be made smaller. " * 20 + bytes(range(256))
C_SOURCE = ('#include <stdio.h>\nint factor = 3;\n__attribute__((visibility("default"))) int PyInit_eccl(void) '
            '{ printf("%d", factor); return factor; }\n')
LINKED = {
    "shared": ["-shared", "-fPIC", "-Wl,-soname,libeccl.so.2,-rpath,$ORIGIN:/opt/tops/lib", "-Wl,--version-script,versions"],
    "one-segment": ["-shared", "-fPIC", "-s", "-Wl,-z,noseparate-code,-z,norelro"],
    "old-hash": ["-shared", "-fPIC", "-s", "-Wl,--hash-style=sysv,-z,noseparate-code"],
    "without-libc": ["-shared", "-fPIC", "-nostdlib", "-s", "-Wl,-z,noseparate-code", "-Wl,--unresolved-symbols=ignore-all"],
    "of-32-bits": ["-m32", "-shared", "-fPIC", "-nostdlib", "-s", "-Wl,-z,noseparate-code",
                   "-Wl,--unresolved-symbols=ignore-all"],
    "object": ["-c"],
}


class Seeds:
    """The folder of seeds; a seed has a name of its own in the folder of its harness."""

    def __init__(self, folder):
        self._folder = Path(folder)

    def add(self, harness, name, content, shapes=(b"",)):
        folder = self._folder / harness
        folder.mkdir(parents=True, exist_ok=True)
        for number, shape in enumerate(shapes):
            (folder / f"{name}-{number}").write_bytes(content + shape)


PROJECT = Path(__file__).resolve().parent.parent / "data" / "project"
LOGS = PROJECT.parent / "logs"
SOURCES = ((0, "scripts/train_distributed_8card_gcu.py"), (0, "scripts/train_with_runner.py"),
           (0, "configs/train_dinov3_mmrs1m_t20_gcu_8card.py"), (1, "start_8card_training.sh"),
           (2, "configs/settings.yaml"))


def add_jobs(seeds):
    job = {"words": ["train.py", "--amp"], "nproc": 8, "cards": "0,1", "preflight": "device", "accept": ["a"], "profile": None,
           "set": ["A=1"], "unset": [], "forget_settings": False, "max_restarts": 2, "restart_if": ["rank-killed"],
           "checkpoints": "work", "resume": "--resume {checkpoint}", "keep": 2, "stall_minutes": "0.5", "on_stall": "restart", "shim": "always"}
    rank = {"rank": 0, "log": "/w/rank_0.log", "pid": 13, "last_line": "step 5/9", "iteration": "5/9"}
    whole = {"schema": 1, "run": "20261125T163200Z-12", "request": job, "log_folder": "/w", "directory": "/", "digests": {"train.py": "a" * 64},
             "pid": 12, "process_start": "7@b", "started_at": "2026-11-25T16:32:00Z", "ended_at": None, "status": None,
             "attempts": [{"first_cause": None, "ranks": [rank]}]}
    report = {"cards_busy": 1, "first_cause": "ranks-stalled", "ranks": [{"rank": 0, "pid": 7, "cards": [0, 1]}],
              "cards": [{"index": 0, "is_busy": True}, {"index": 1, "is_busy": None}]}
    for name, document in (("job", job), ("least", {"words": ["a"]}), ("record", whole), ("report", report)):
        seeds.add("job", name, json.dumps(document).encode())
    for number, line in enumerate(("Epoch(train) [2][ 50/100]", " 450/1000 [00:30<00:36, 15it/s]", '{"step": 12}', "iteration 3/ 9 |")):
        seeds.add("job", f"line-{number}", line.encode())


def add_texts(seeds):
    seeds.add("control", "package", CONTROL.encode())
    seeds.add("control", "comment", b"# a comment\n\n\n" + CONTROL.encode() + b"# another\n\t\nno field\n")
    seeds.add("control", "status", (CONTROL + "\n" + CONTROL.replace("eccl", "sdk") + "\n\n").replace("\n", "\r\n").encode())
    seeds.add("metadata", "metadata", METADATA.encode())
    seeds.add("metadata", "wheel", WHEEL.encode())
    seeds.add("record", "lines", record({"torch_gcu/__init__.py": b"x = 1\n", 'with "quotes", and commas.py': b""}))
    seeds.add("record", "line-ends", record({"a.py": b""}).replace(b"\n", b"\r\n"))
    for number, field in enumerate(RELATIONS):
        seeds.add("relation", f"field-{number}", field.encode())
    for number, text in enumerate(FLOWS):
        seeds.add("probes", f"flow-{number}", text.encode())
    for number, text in enumerate(PROBES):
        seeds.add("probes", f"probes-{number}", text.encode())
    for number, text in enumerate(ENVIRONMENTS):
        seeds.add("environment", f"file-{number}", text.encode())
    for number, (kind, path) in enumerate(SOURCES):
        seeds.add("source", f"source-{number}", (PROJECT / path).read_bytes() + bytes([kind]))
    # Of each length some: the shortest say one thing alone.
    for path in sorted(LOGS.glob("*.log"), key=lambda path: path.stat().st_size)[::3]:
        seeds.add("log", path.stem, path.read_bytes()[:16384] + b"\x03")
    add_jobs(seeds)
    for number, target in enumerate(TARGETS):
        seeds.add("target", f"target-{number}", target.encode())
    seeds.add("signature", "blob", base64.b64decode(SIGNATURE))
    seeds.add("signature", "armored", f"-----BEGIN SSH SIGNATURE-----\n{SIGNATURE}\n-----END SSH SIGNATURE-----\n".encode())
    seeds.add("signature", "key", KEY.encode())
    for name, (kind, payload) in FRAMES.items():
        seeds.add("wire", name, kind + struct.pack("<I", len(payload)) + payload, (b"\0", b"\1"))


def record(members):
    lines = []
    for path, content in members.items():
        digest = hashlib.sha256(content).digest()
        word = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        quoted = '"' + path.replace('"', '""') + '"' if '"' in path or "," in path else path
        lines.append(f"{quoted},sha256={word},{len(content)}")
    return "\n".join(lines + ["sample-1.dist-info/RECORD,,"]).encode() + b"\n"


def tar_of(form, names=NAMES):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for number, name in enumerate(names):
            member = tarfile.TarInfo(name)
            kinds = (tarfile.REGTYPE, tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE)
            member.type = kinds[number % len(kinds)]
            member.linkname = "../" + names[0] if number % len(kinds) in (3, 4) else ""
            content = SAMPLE[:100 * number] if member.isreg() else b""
            member.size, member.mode, member.uname, member.gname = len(content), 0o4755, "root", "root"
            try:
                archive.addfile(member, io.BytesIO(content))
            except ValueError:
                pass  # a name that this form cannot hold
    return out.getvalue()


def add_archives(seeds):
    for name, form in (("ustar", tarfile.USTAR_FORMAT), ("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)):
        seeds.add("tar", name, tar_of(form), SHAPES)
    seeds.add("tar", "empty", b"\0" * 1024, SHAPES[:1])
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as archive:
            members = {"torch_gcu/__init__.py": b"x = 1\n" * 9, "torch_gcu/lib.so": SAMPLE, "../escapes": b"", "dir/": b"",
                       "sample-1.dist-info/METADATA": METADATA.encode()}
            for path, content in members.items():
                archive.writestr(path, content)
            archive.writestr("sample-1.dist-info/RECORD", record(members))
            with archive.open("large", "w", force_zip64=True) as member:
                member.write(b"0" * 5000)
            archive.comment = b"a comment"
        seeds.add("zip", f"method-{method}", out.getvalue())
        seeds.add("zip", f"method-{method}-after-bytes", b"before" + out.getvalue())
    seeds.add("zip", "empty", b"PK\5\6" + b"\0" * 18)


def add_wheels(seeds):
    info = "torch_gcu-1.10.0.dist-info/"
    members = {"torch_gcu/__init__.py": b"x = 1\n" * 9, "torch_gcu/lib.so": SAMPLE, "torch_gcu-1.10.0.data/scripts/gcu": b"#!python\n",
               info + "METADATA": METADATA.replace("1.10.0+2.5.136", "1.10.0").encode(), info + "WHEEL": WHEEL.encode(),
               info + "entry_points.txt": b"[console_scripts]\ngcu = torch_gcu:main\n"}
    lines = record(members).replace(b"sample-1.dist-info/", info.encode())
    for name, text in (("sound", lines), ("damaged", lines.replace(b"sha256=", b"sha256=A")), ("without-lines", b"")):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in {**members, info + "RECORD": text}.items():
                archive.writestr(path, content)
        seeds.add("wheel", name, out.getvalue())


def add_streams(seeds):
    plain = SAMPLE * 3
    blocks = lzma.compress(plain, preset=0) + lzma.compress(b"more", check=lzma.CHECK_CRC32) + b"\0" * 8
    streams = {
        "gzip": gzip.compress(plain, 6, mtime=0), "gzip-two": gzip.compress(plain, 1, mtime=0) + gzip.compress(b"more", mtime=0),
        "xz": lzma.compress(plain), "xz-two": blocks, "lzma": lzma.compress(plain, format=lzma.FORMAT_ALONE),
        "xz-bcj": lzma.compress(plain, filters=[{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 0}]),
        "bzip2": bz2.compress(plain, 1), "bzip2-two": bz2.compress(plain) + bz2.compress(b"more"), "none": plain,
        "bomb": gzip.compress(b"\0" * (1 << 20), mtime=0), "lz4": run(["lz4", "-c"], input=plain),
        "compress": LZW_OF_WORDS,
        "base64": base64.encodebytes(b"\0" * 20 + plain[:3000]), "lzo": b"\x89LZO\0\r\n\x1a\n" + plain[:100],
    }
    for option in ("-1", "-19", "--long=20"):
        streams["zstd" + option] = run(["zstd", option, "--check", "-c"], input=plain)
    for name, content in streams.items():
        seeds.add("decompress", name, content, SHAPES)


def run(argv, **options):
    return subprocess.run(argv, stdout=subprocess.PIPE, check=True, **options).stdout


def add_debs(seeds, folder):
    tree = folder / "deb"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(CONTROL)
    (tree / "DEBIAN" / "conffiles").write_text("/etc/tops.conf\n")
    script = tree / "DEBIAN" / "postinst"
    script.write_text("#!/bin/sh\nldconfig\n")
    script.chmod(0o755)
    for name, content in (("etc/tops.conf", b"a=1\n"), ("usr/lib/libeccl.so.2", SAMPLE)):
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tree / "usr/lib/libeccl.so").symlink_to("libeccl.so.2")
    sums = [f"{hashlib.md5(SAMPLE).hexdigest()}  usr/lib/libeccl.so.2", f"{'0' * 32}  usr/lib/none"]
    (tree / "DEBIAN" / "md5sums").write_text("\n".join(sums) + "\n")
    for method in ("none", "gzip", "xz", "zstd"):
        file = folder / f"{method}.deb"
        run(["dpkg-deb", "--root-owner-group", f"-Z{method}", "--uniform-compression", "-b", tree, file])
        seeds.add("deb", method, file.read_bytes(), SHAPES)
    old = folder / "old.deb"
    run(["dpkg-deb", "--root-owner-group", "--deb-format=0.939000", "-Zgzip", "-b", tree, old])
    seeds.add("deb", "old", old.read_bytes(), SHAPES[:1])


def add_runfiles(seeds):
    parts = [gzip.compress(tar_of(tarfile.USTAR_FORMAT, NAMES[:2]), mtime=0), b"second part"]
    for name, payload in (("one", parts[:1]), ("two", parts)):
        sums = [run(["cksum"], input=part).split()[0].decode() for part in payload]
        md5s = [hashlib.md5(part).hexdigest() for part in payload]
        lines = ["#!/bin/sh", "# This script was generated using Makeself 2.4.5", "", f'CRCsum="{" ".join(sums)}"',
                 f'MD5="{" ".join(md5s)}"', f'SHA="{hashlib.sha256(payload[0]).hexdigest()}"', 'label="TopsRider i3x"',
                 'script="./install.sh"', 'scriptargs="--quiet"', 'targetdir="tops"',
                 f'filesizes="{" ".join(str(len(part)) for part in payload)}"', 'keep="n"', 'decrypt_cmd=""', 'skip="18"',
                 'offset=`head -n 18 "$0" | wc -c | tr -d " "`', 'eval "gzip -cd"', "exit $res", ""]
        seeds.add("makeself", name, "\n".join(lines).encode() + b"\n" + b"".join(payload), SHAPES)


def add_elf_files(seeds, folder):
    (folder / "sample.c").write_text(C_SOURCE)
    (folder / "versions").write_text("ECCL_1 { global: PyInit_*; local: *; };\nECCL_2 { } ECCL_1;\n")
    for name, options in LINKED.items():
        source = ["sample.c"] if name != "of-32-bits" else ["-x", "c", "plain.c"]
        (folder / "plain.c").write_text("int PyInit_eccl(void) { return 1; }\n")
        run(["cc", "-O1", *options, "-o", folder / name, *source], cwd=folder)
        seeds.add("elf", name, (folder / name).read_bytes(), SHAPES)


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {Path(sys.argv[0]).name} FOLDER")
    seeds = Seeds(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="topsctl-seeds-") as name:
        folder = Path(name)
        add_texts(seeds)
        add_archives(seeds)
        add_wheels(seeds)
        add_streams(seeds)
        add_debs(seeds, folder)
        add_runfiles(seeds)
        add_elf_files(seeds, folder)


if __name__ == "__main__":
    main()
