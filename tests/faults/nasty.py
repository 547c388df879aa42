"""Makes a bundle's tops-sdk do everything that packages do and rollbacks forget: a double of the worst vendor package."""

import os
import subprocess
from pathlib import Path

from hosts.crafted import build

# The versions differ in all of it, so that an upgrade changes everything.
POSTINST = """#!/bin/sh
set -e
if [ "$1" = triggered ]; then echo "$2" >> /opt/nasty/triggered; exit 0; fi
echo {version} > /opt/nasty/generated
echo "configured {version}" >> /var/lib/nasty/state
ln -sfn generated /opt/nasty/latest
update-alternatives --install /usr/bin/nasty nasty /opt/nasty/tool-{version} 50 \
    --slave /usr/share/man/man1/nasty.1 nasty.1 /opt/nasty/manual-{version}
python3 - <<'END'
import os, struct
os.setxattr("/opt/nasty/capable", "user.version", b"{version}")
os.setxattr("/opt/nasty/capable", "security.capability", struct.pack("<5I", 0x02000001, 1 << {capability}, 0, 0, 0))
END
dpkg-statoverride --force --update --add root root 0{mode} /opt/nasty/overridden 2>/dev/null
"""
# What no text tells, with what else the postinst does once it is in `hidden`.
HIDDEN = """python3 - <<'END'
import os, shutil
e, s, u = "/e" + "tc/", "/sr" + "v/", "/us" + "r/share/"
with open(e + "hosts.allow", "a") as file: file.write("{version}")
for i in range(12):
    os.makedirs(s + f"hidden/{{i}}", exist_ok=True)
    open(s + f"hidden/{{i}}/file", "a").write("{version}")
os.chmod(e + "debian_version", 0o{mode})
os.rename(e + "issue", e + "issue.{version}"); os.link(e + "issue.{version}", e + "issue")
open(e + "issue", "a").write("{version}")
d = u + "doc/" + sorted(n for n in os.listdir(u + "doc") if n.startswith("perl"))[0]
shutil.move(d, s + "moved"); os.mkdir(d); open(d + "/new", "w").write("{version}")
if os.path.exists(s + "moved-before"): shutil.move(s + "moved-before", s + "moved-before.{version}")
shutil.move(s + "moved", s + "moved-before")
END
"""
hidden = []
PREINST = """#!/bin/sh
set -e
dpkg-divert --package tops-sdk --rename --divert /usr/bin/yes.nasty --add /usr/bin/yes
"""
PRERM = """#!/bin/sh
set -e
[ "$1" != upgrade ] || update-alternatives --remove nasty /opt/nasty/tool-{version}
"""


def make_nasty(bundle, version):
    """Rebuilds the tops-sdk of a bundle."""
    package, = Path(bundle).glob("**/tops-sdk*.deb")
    tree = Path(f"{bundle}.tree")
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True, capture_output=True)
    _payload(tree, version)
    control = tree / "DEBIAN"
    values = {"version": version, "capability": 10 if version.startswith("2.4") else 13,
              "mode": 750 if version.startswith("2.4") else 2755}
    for name, text in (("postinst", POSTINST + "".join(hidden)), ("preinst", PREINST), ("prerm", PRERM)):
        (control / name).write_text(text.format(**values))
        (control / name).chmod(0o755)
    with (control / "conffiles").open("a") as conffiles:
        conffiles.write("".join(f"/etc/nasty/{name}.conf\n" for name in ("kept", "edited", "deleted")))
    with (control / "triggers").open("a") as triggers:
        triggers.write("interest /opt/nasty/watched\nactivate-noawait ldconfig\n")
    build(tree, package)


def _payload(tree, version):
    def file(path, text, mode=0o644):
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(mode)
        return target

    for name in ("kept", "edited", "deleted"):
        file(f"etc/nasty/{name}.conf", f"{name} {version}\n")
    # Large enough to be kept as links on every file system; the second one is the same in both versions.
    file("opt/nasty/large-1", version * 20_000)
    file("usr/share/nasty/large-2", "large\n" * 20_000)
    os.link(file("usr/share/nasty/large-3", version * 20_000), tree / "usr/share/nasty/large-4")
    file("opt/nasty/setuid", version, 0o4755)
    file("opt/nasty/capable", version, 0o755)
    file("opt/nasty/overridden", version)
    file("opt/nasty/watched/x", version)
    file("opt/nasty/fixed-locally", version)
    file(f"opt/nasty/tool-{version}", "#!/bin/sh\n", 0o755)
    file(f"opt/nasty/manual-{version}", version)
    file("usr/share/doc/nasty/readme", version)
    file("usr/bin/yes", "#!/bin/sh\n", 0o755)
    os.link(file("opt/nasty/name-1", version * 100), tree / "opt/nasty/name-2")
    os.mkfifo(tree / "opt/nasty/pipe")
    with (tree / "opt/nasty/sparse").open("wb") as sparse:
        sparse.truncate(1 << 20)
        sparse.write(version.encode())
    (tree / "opt/nasty/shared").mkdir()
    (tree / "opt/nasty/shared").chmod(0o2775)
    (tree / "var/lib/nasty").mkdir(parents=True)


def edit_locally(host):
    """What an operator does to the installed package."""
    (host.path("/etc/nasty/edited.conf")).write_text("edited by hand\n")
    host.path("/etc/nasty/deleted.conf").unlink()
    host.path("/usr/share/doc/nasty/readme").unlink()
    fixed = host.path("/opt/nasty/fixed-locally")
    fixed.write_text("hot fix\n")
    fixed.chmod(0o600)
    os.chown(fixed, 1000, 1000)
    os.setxattr(host.path("/opt/nasty/sparse"), "user.note", b"mine")
    host.path("/opt/nasty/shared/mine").write_text("kept\n")
