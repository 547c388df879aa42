"""Cases of diversions: what is installed before, what the scripts of one package of a bundle do, and what came of it."""

import dataclasses

ADD = "dpkg-divert --quiet --package tops-eccl --rename"
LOOP = "for name in foo bar; do {add} --divert {folder}/$name.dat.distrib --add {folder}/$name.dat; done"


@dataclasses.dataclass
class Case:
    """`before`: debs that the host has, as arguments of crafted.deb; `local`: a command there. `preinst` to `executables` are
    of the bundle's package, `$d` in scripts is the folder of the case. `upgrades`: OLD is there too. `makes`: a path that is there while the install is in
    force, or None where nothing but times may be left of it. `fails`: the install fails, and is undone at once."""
    name: str
    preinst: str = ""
    postinst: str = ""
    files: tuple = ()
    fields: str = ""
    executables: dict = dataclasses.field(default_factory=dict)
    before: tuple = ()
    local: str = ""
    upgrades: bool = False
    makes: str | None = "foo.dat.distrib"
    fails: bool = False

    @property
    def folder(self):
        return f"/usr/lib/{self.name}"

    def path(self, name):
        return name if name.startswith("/") else f"{self.folder}/{name}"


def base(case, *more, **programs):
    """A package with two libraries in the folder of a case."""
    return dict(name=f"base-{case}", files=[f"/usr/lib/{case}/{name}.dat" for name in ("foo", "bar")] + list(more), **programs)


def driver(case, replaces="", **scripts):
    """A package that diverts the libraries of `base`; `ends` is what its postrm does for that."""
    begin = f"for name in foo bar; do dpkg-divert --quiet --package drv-{case} --rename " \
            f"--divert /usr/lib/{case}/$name.dat.distrib --add /usr/lib/{case}/$name.dat; done"
    end = f"for name in foo bar; do dpkg-divert --quiet --package drv-{case} --rename --remove /usr/lib/{case}/$name.dat; done"
    return dict(name=f"drv-{case}", files=[f"/usr/lib/{case}/drv.dat"], fields=replaces,
                scripts={"preinst": begin, "postrm": end, **scripts})


def loop(folder="$d", add=ADD):
    return LOOP.format(add=add, folder=folder)


def end(package, folder="$d"):
    return f"for name in foo bar; do dpkg-divert --quiet --package {package} --rename --remove {folder}/$name.dat; done"


HELPER = "/usr/sbin/divert-all"
CASES = (
    Case("loop", preinst=loop(), files=("/usr/lib/loop/foo.dat",), before=(base("loop"),)),
    Case("folder-of-others", preinst=loop(), before=(base("folder-of-others"),)),
    Case("literal", preinst=f"{ADD} --divert /usr/lib/literal/real.dat --add /usr/lib/literal/foo.dat",
         files=("/usr/lib/literal/foo.dat",), before=(base("literal"),), makes="real.dat"),
    Case("default-name", preinst=f"{ADD} --add /usr/lib/default-name/foo.dat", before=(base("default-name"),)),
    Case("default-name-in-postinst", postinst=f"{ADD} --add $d/foo.dat", before=(base("default-name-in-postinst"),)),
    Case("own-helper", postinst="/usr/lib/own-helper/divert", before=(base("own-helper"),),
         executables={"/usr/lib/own-helper/divert": "#!/bin/sh\nset -e\n" + loop("/usr/lib/own-helper")}),
    Case("helper-of-others", postinst="$d/divert", before=(base(
        "helper-of-others", executables={"/usr/lib/helper-of-others/divert": "#!/bin/sh\nset -e\n" + loop("/usr/lib/helper-of-others")}),)),
    Case("trigger-of-others", files=("/usr/lib/trigger-of-others/trigger/x",), before=(base(
        "trigger-of-others", scripts={"postinst": "if [ \"$1\" = triggered ]; then d=/usr/lib/trigger-of-others; " + loop() + "; fi",
                                      "triggers": "interest-noawait /usr/lib/trigger-of-others/trigger"}),)),
    Case("local", preinst=loop(add="dpkg-divert --quiet --local --rename"), before=(base("local"),)),
    Case("not-renamed", preinst="for name in foo bar; do dpkg-divert --quiet --package tops-eccl --no-rename "
         "--divert $d/$name.dat.distrib --add $d/$name.dat; done", files=("/usr/lib/not-renamed/foo.dat",),
         before=(base("not-renamed"),), makes="foo.dat"),
    Case("ended", postinst=end("drv-ended"), before=(base("ended"), driver("ended")), makes="foo.dat"),
    Case("local-one-ended", postinst="dpkg-divert --quiet --local --rename --remove $d/foo.dat", before=(base("local-one-ended"),),
         local="dpkg-divert --quiet --local --rename --add /usr/lib/local-one-ended/foo.dat", makes="foo.dat"),
    Case("renamed", postinst=end("drv-renamed") + "; for name in foo bar; do dpkg-divert --quiet --package drv-renamed --rename "
         "--divert $d/$name.dat.other --add $d/$name.dat; done", before=(base("renamed"), driver("renamed")),
         makes="foo.dat.other"),
    Case("upgrade-begins", preinst=loop(), before=(base("upgrade-begins"),), upgrades=True),
    Case("upgrade-ends", postinst=end("tops-eccl"), makes="foo.dat", before=(base("upgrade-ends"),), upgrades=True),
    Case("upgrade-goes-on", preinst="dpkg-divert --quiet --package tops-eccl --rename --remove $d/bar.dat",
         before=(base("upgrade-goes-on"),), upgrades=True),
    Case("upgrade-of-old-postrm", makes="foo.dat", before=(base("upgrade-of-old-postrm"),), upgrades=True),
    Case("conflict", fields="Conflicts: drv-conflict\nReplaces: drv-conflict\n", before=(base("conflict"), driver("conflict")),
         makes="foo.dat"),
    Case("disappears", fields="Replaces: drv-disappears\n", files=("/usr/lib/disappears/drv.dat",),
         before=(base("disappears"), driver("disappears")), makes="foo.dat"),
    Case("other-folder", preinst="for name in foo bar; do dpkg-divert --quiet --package tops-eccl --rename "
         "--divert /usr/share/other-folder/$name.dat --add $d/$name.dat; done",
         before=(base("other-folder", "/usr/share/other-folder/README"),), makes="/usr/share/other-folder/foo.dat"),
    Case("new-folder", preinst="mkdir -p $d/made/deep; for name in foo bar; do dpkg-divert --quiet --package tops-eccl --rename "
         "--divert $d/made/deep/$name.dat --add $d/$name.dat; done", before=(base("new-folder"),),
         makes="made/deep/foo.dat"),
    Case("begun-and-ended", preinst=loop(), postinst=end("tops-eccl"), before=(base("begun-and-ended"),), makes=None),
    Case("fails", preinst=loop(), postinst="exit 1", before=(base("fails"),), fails=True),
    Case("link", preinst=loop(), before=(base("link"),), local="cd /usr/lib/link; mv foo.dat foo.dat.1; ln -s foo.dat.1 foo.dat"),
    Case("setuid", preinst=loop(), before=(base("setuid"),), local="chmod 4755 /usr/lib/setuid/foo.dat"),
    Case("two-names", preinst=loop(), before=(base("two-names"),), local="ln /usr/lib/two-names/foo.dat /usr/lib/two-names/again.dat"),
    Case("merged-usr", preinst=loop("/lib/merged-usr"), before=(base("merged-usr"),)),
    Case("blank", preinst=f"{ADD} --divert \"$d/the real.dat\" --add \"$d/a library.dat\"",
         before=(base("blank", "/usr/lib/blank/a library.dat"),), makes="the real.dat"),
    Case("configuration", preinst="for name in a b; do "
         f"{ADD} --divert /etc/configuration/$name.distrib --add /etc/configuration/$name; done",
         before=(base("configuration", "/etc/configuration/a", "/etc/configuration/b",
                      scripts={"conffiles": "/etc/configuration/a\n/etc/configuration/b"}),),
         local="echo edited >> /etc/configuration/a", makes="/etc/configuration/a.distrib"),
    Case("of-no-package", preinst=loop("/opt/of-no-package"), makes="/opt/of-no-package/foo.dat.distrib",
         local="mkdir /opt/of-no-package; echo 1 > /opt/of-no-package/foo.dat; echo 2 > /opt/of-no-package/bar.dat"),
)
# What those that upgrade have before: it diverts in three of their folders, and ends it in one when it goes.
OLD = dict(name="tops-eccl", version="1.0", files=["/usr/lib/old-eccl/x"], scripts={
    "preinst": "; ".join(loop(f"/usr/lib/upgrade-{name}") for name in ("ends", "goes-on", "of-old-postrm")),
    "postrm": end("tops-eccl", "/usr/lib/upgrade-of-old-postrm")})
WRITTEN = Case("written", preinst=loop() + "; echo more >> $d/foo.dat.distrib", before=(base("written"),))
TAKEN = Case("taken", preinst="rm $d/foo.dat; mv $d/bar.dat $d/else.dat", files=("/usr/lib/taken/own.dat",),
             before=(base("taken"),), makes="else.dat")
