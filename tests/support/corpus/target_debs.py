"""Debs that are sound in themselves and do, or do not, fit a certain machine (snapshots.py)."""

from .case import case
from .debs import Deb
from .sound_debs import plain

FOCAL = "ubuntu-20.04"


def fits(name, build_debs, ids=(), exit=0, against=FOCAL, **more):
    """A case of several debs in one folder."""
    @case(name, ids, exit=exit, against=against, **more)
    def build(shop):
        for deb in build_debs(shop):
            deb.write(shop.folder)


def demo(name="tops-demo", path=None, **fields):
    return Deb(name, **fields).file(path or f"/opt/{name}/file", "x\n")


def library(shop, needs, name="tops-demo", soname="libtops_demo.so.2", **fields):
    return Deb(name, **fields).file(f"/usr/lib/{soname}", shop.native.library(soname, needs))


ERRORS = 5

# relations
fits("fits-met-by-installed", lambda shop: [demo(Depends="libc6 (>= 2.27), libelf1")])
fits("fits-met-by-provides", lambda shop: [demo(Depends="mail-transport-agent")])
fits("fits-met-by-alternative", lambda shop: [demo(Depends="nowhere-to-be-found | libelf1")])
fits("fits-met-in-bundle", lambda shop: [demo(Depends="tops-base (>= 2.5)"), demo("tops-base")])
fits("fits-met-by-provides-in-bundle",
     lambda shop: [demo(Depends="eccl-abi (= 2)"), demo("tops-base", Provides="eccl-abi (= 2)")])
fits("fits-not-dependency-missing", lambda shop: [demo(Depends="libibverbs9")], ("dependency-missing",), ERRORS,
     evidence=("libibverbs9",))
fits("fits-not-dependency-version", lambda shop: [demo(Depends="libc6 (>= 2.99)")], ("dependency-version",), ERRORS,
     evidence=("2.99",))
fits("fits-not-dependency-version-in-bundle",
     lambda shop: [demo(Depends="tops-base (>= 9)"), demo("tops-base")], ("dependency-version",), ERRORS)
fits("fits-not-versioned-dependency-on-plain-provides",
     lambda shop: [demo(Depends="eccl-abi (>= 2)"), demo("tops-base", Provides="eccl-abi")],
     ("dependency-missing|dependency-version",), ERRORS)
fits("fits-not-pre-depends", lambda shop: [demo(Pre_Depends="tops-base")], ("dependency-missing",), ERRORS)
fits("fits-in-several-calls", lambda shop: [demo(Pre_Depends="tops-base"), demo("tops-base")], ("needs-several-calls",))
fits("fits-not-conflicts", lambda shop: [demo(Conflicts="xz-utils")], ("conflicts-with-installed",), ERRORS,
     evidence=("xz-utils",))
fits("fits-not-breaks", lambda shop: [demo(Breaks="xz-utils (<< 6)")], ("conflicts-with-installed",), ERRORS)
fits("fits-not-upgrade-that-others-cannot-use",
     lambda shop: [demo("enflame-base", version="9.0")], ("breaks-installed",), ERRORS, against="needs-old-base",
     evidence=("needs-old-base",))
fits("fits-not-conflicts-in-bundle", lambda shop: [demo("tops-one", Conflicts="tops-two"), demo("tops-two")],
     ("conflicts-in-bundle",), ERRORS)
fits("fits-removes-installed",
     lambda shop: [demo(Conflicts="diverted-tool", Replaces="diverted-tool", Provides="diverted-tool")],
     ("removes-installed",))
fits("fits-not-malformed-relation", lambda shop: [demo(Depends="libc6 (>= 2.27")], ("dpkg-refuses-package",), ERRORS)
fits("fits-breaks-another-version", lambda shop: [demo(Breaks="xz-utils (<< 5)")])
fits("fits-not-broken-by-installed", lambda shop: [demo("tops-old-abi", version="1.0")],
     ("installed-breaks-package",), ERRORS, evidence=("enflame-base",))
fits("fits-cycle", lambda shop: [demo("tops-one", Depends="tops-two"), demo("tops-two", Depends="tops-one")],
     info=("dependency-cycle",))
fits("fits-downgrade", lambda shop: [demo("enflame-base", version="1.0")], ("package-downgrade",), ERRORS,
     may=("installed-breaks-package",))
fits("fits-upgrade", lambda shop: [demo("enflame-base", version="9.0")])
fits("fits-not-half-installed", lambda shop: [demo()], ("package-half-installed",), (0, ERRORS),
     against="half-installed", evidence=("half-done",))
fits("fits-not-met-by-half-installed", lambda shop: [demo(Depends="half-done")],
     ("package-half-installed", "dependency-missing"), ERRORS, against="half-installed")
fits("fits-not-architecture", lambda shop: [demo(architecture="arm64")], ("architecture-differs",), ERRORS)
fits("fits-architecture-all", lambda shop: [demo(architecture="all")])

# files
fits("fits-not-file-of-installed", lambda shop: [demo(path="/usr/bin/xz")], ("file-conflict",), ERRORS,
     evidence=("/usr/bin/xz", "xz-utils"))
fits("fits-replaces", lambda shop: [demo(path="/usr/bin/xz", Replaces="xz-utils")], absent=("file-conflict",))
fits("fits-replaces-another-version", lambda shop: [demo(path="/usr/bin/xz", Replaces="xz-utils (<< 1)")],
     ("file-conflict",), ERRORS)
fits("fits-diverted", lambda shop: [demo(path="/usr/bin/diverted-tool")], absent=("file-conflict",))
fits("fits-own-file-of-older-version", lambda shop: [demo("enflame-base", path="/opt/enflame/base", version="9.0")],
     absent=("file-conflict",))
fits("fits-not-file-in-bundle",
     lambda shop: [demo("tops-one", path="/opt/tops/same"), demo("tops-two", path="/opt/tops/same")],
     ("file-conflict-in-bundle",), ERRORS, evidence=("/opt/tops/same",))
fits("fits-file-in-bundle-replaced",
     lambda shop: [demo("tops-one", path="/opt/tops/same"),
                   demo("tops-two", path="/opt/tops/same", Replaces="tops-one")],
     absent=("file-conflict-in-bundle",))

# libraries
fits("fits-library", lambda shop: [library(shop, [("libc.so.6", "GLIBC_2.31"), ("libelf.so.1", "")])])
fits("fits-library-in-bundle",
     lambda shop: [library(shop, [("libeccl.so", "")]), library(shop, [], "tops-base", "libeccl.so")])
fits("fits-not-library-missing", lambda shop: [library(shop, [("libibverbs.so.9", "")])], ("library-missing",), ERRORS,
     evidence=("libibverbs.so.9",))
fits("fits-not-glibc", lambda shop: [library(shop, [("libc.so.6", "GLIBC_2.34")])], ("glibc-too-old",), ERRORS,
     evidence=("2.34",))
fits("fits-not-glibc-2.99", lambda shop: [library(shop, [("libc.so.6", "GLIBC_2.99")])], ("glibc-too-old",), ERRORS)
fits("fits-not-glibcxx", lambda shop: [library(shop, [("libstdc++.so.6", "GLIBCXX_3.4.30")])],
     ("libstdcxx-too-old",), ERRORS, evidence=("3.4.30",))
fits("fits-not-cxxabi", lambda shop: [library(shop, [("libstdc++.so.6", "CXXABI_1.3.99")])],
     ("libstdcxx-too-old",), ERRORS)


@case("fits-not-dpkg", ("dpkg-too-old",), exit=5, against="debian-11", evidence=("zst",))
def _(shop):
    plain().write(shop.folder, "zstd")


@case("fits-dpkg-with-zstd", against=FOCAL, absent=("dpkg-too-old",))
def _(shop):
    plain().write(shop.folder, "zstd")


@case("fits-not-space", ("no-space",), exit=5, against="full")
def _(shop):
    plain().file("/opt/tops/share/large", b"\0\1\2\3" * (8 << 20)).write(shop.folder)


@case("fits-not-inodes", ("no-inodes",), exit=5, against="no-inodes")
def _(shop):
    deb = plain()
    for index in range(200):
        deb.file(f"/opt/tops/include/{index}.h", "int x;\n")
    deb.write(shop.folder)


@case("fits-not-read-only", ("mount-read-only",), exit=5, against="read-only-opt", evidence=("/opt",))
def _(shop):
    plain().write(shop.folder)


@case("fits-read-only-elsewhere", against="read-only-opt", absent=("mount-read-only",))
def _(shop):
    demo(path="/usr/share/tops/file").write(shop.folder)
