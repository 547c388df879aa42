# The Debian packages of the bundle: what tops-eccl, tops-sdk, topsfactor and the container toolkit hold.

from . import native
from .debs import DISCLAIMER, DebTree, truncate
from .files import double_text

ECCL_TOOLS = ("all_gather", "all_reduce", "all_to_all", "broadcast", "gather", "reduce",
              "reduce_scatter", "scatter", "send_recv")
SIZES = {"tops-eccl": 6022588, "tops-sdk": 277255530, "topsfactor": 56561032,
         "enflame-container-toolkit": 2584724}
# What a package weighs without filler, compressed: kept out of the filler so that sizes come out right.
OVERHEAD = {"tops-eccl": 11000, "tops-sdk": 5000, "topsfactor": 5000, "enflame-container-toolkit": 2000}


class Packages:
    """Builds the packages of one generation; the compiler is shared with the wheels."""

    def __init__(self, options, compiler, work):
        self.options = options
        self.generation = options.generation
        self.compiler = compiler
        self.work = work

    @property
    def eccl_name(self):
        return "eccl" if self.generation.is_i3x else "tops-eccl"

    @property
    def factor_version(self):
        """Of TopsRider 3.x it has a number of its own."""
        return "3.0.1-1" if self.generation.is_i3x else self.generation.deb_version

    def _tree(self, name, version=None):
        tree = DebTree(self.work / "deb" / name, name, version or self.generation.deb_version,
                       self.generation.epoch)
        tree.text("/usr/share/doc/{}/copyright".format(name), DISCLAIMER + "\n")
        return tree

    def _linker_scripts(self, tree):
        for script in ("postinst", "postrm"):
            tree.scripts[script] = double_text("debian/" + script, package=tree.name)

    def _filler_size(self, name):
        return max(0, self.options.scaled(SIZES[name]) - OVERHEAD[name])

    def _library(self, tree, soname, source, defines=(), needed=(), filler_size=0):
        path = self.compiler.library(soname, source, defines, needed,
                                     "{} {}".format(soname, self.generation.version), filler_size)
        tree.copy("/usr/lib/" + soname, path)

    def tops_eccl(self, output):
        tree = self._tree(self.eccl_name)
        self._library(tree, "libeccl.so", "eccl.c", ["ECCL_CODE={}".format(self.generation.eccl_code)],
                      filler_size=self._filler_size("tops-eccl"))
        tool = self.compiler.program("eccl_perf", "eccl_perf.c", ["libeccl.so", "libc.so.6"])
        for name in ECCL_TOOLS:
            tree.copy("/usr/local/bin/eccl_{}_perf".format(name), tool, 0o755)
        tree.text("/usr/include/eccl/eccl.h", double_text("native/eccl.h"))
        if self.options.has("stub-libeccl"):
            tree.text("/usr/lib/libeccl.so", native.stub("libeccl"))
        self._linker_scripts(tree)
        tree.build(output, self.options.compression, "libc6 (>= 2.27)", "libs",
                   "Enflame collective communication library")

    def tops_sdk(self, output):
        tree = self._tree("tops-sdk")
        size = self._filler_size(tree.name)
        self._library(tree, "libdtu_sdk.so", "dtu_sdk.c", filler_size=size // 4)
        tree.symlink("/usr/lib/libdtu.so", "libdtu_sdk.so")
        tree.text("/usr/include/dtu/dtu.h", double_text("native/dtu.h"))
        tree.text("/usr/include/dtu/dtu_version.h", double_text(
            "native/dtu_version.h", version=self.generation.version))
        tree.filler("/usr/share/tops-sdk/kernels", size - size // 4)
        tree.text("/usr/share/tops-sdk/samples/读我 first.txt", DISCLAIMER + "\n")
        tree.directory("/var/lib/tops-sdk")
        if self.generation.is_newest:
            tree.text("/usr/include/dtu/dtu_stream.h", double_text("native/dtu_stream.h"))
        else:
            tree.text("/usr/share/tops-sdk/legacy_ops.txt", DISCLAIMER + "\nconv1d_v1\ntopk_v1\n")
        tree.conffile("/etc/tops-sdk/sdk.conf", double_text(
            "texts/sdk.conf", version=self.generation.version,
            pool="134217728" if self.generation.is_newest else "67108864"))
        self._linker_scripts(tree)
        if self.options.has("postinst-fails"):
            tree.scripts["postinst"] = double_text("debian/postinst-fails", package=tree.name)
        tree.build(output, self.options.compression, "libc6 (>= 2.27)", "libs",
                   "Enflame software development kit")
        if self.options.has("truncated-deb"):
            truncate(output, 0.6)

    def topsfactor(self, output):
        tree = self._tree("topsfactor", self.factor_version)
        size = self._filler_size(tree.name)
        self._library(tree, "libtopsfactor.so", "topsfactor.c", needed=["libdtu_sdk.so"],
                      filler_size=size // 2)
        tree.text("/usr/include/factor/factor.h", double_text("native/factor.h"))
        tree.filler("/usr/share/topsfactor/kernels", size - size // 2)
        self._linker_scripts(tree)
        if self.options.has("preinst-fails"):
            tree.scripts["preinst"] = double_text("debian/preinst-fails", package=tree.name)
        tree.build(output, self.options.compression,
                   "tops-sdk (>= {}), libc6 (>= 2.27)".format(self.generation.deb_version), "libs",
                   "Enflame kernel programming library")

    def of_i3x(self, name, output):
        """A package that only TopsRider 3.x has."""
        tree = self._tree(name)
        self._library(tree, "lib{}.so".format(name), "topsfactor.c", needed=["libdtu_sdk.so"], filler_size=20000)
        self._linker_scripts(tree)
        tree.build(output, self.options.compression,
                   "tops-sdk (>= {}), libc6 (>= 2.27)".format(self.generation.deb_version), "libs", name)

    def container_toolkit(self, output):
        tree = self._tree("enflame-container-toolkit", "1.3.10")
        tree.text("/usr/bin/enflame-container-runtime",
                  double_text("texts/refuse.sh", what="enflame-container-runtime"), 0o755)
        tree.conffile("/etc/enflame-container-runtime/config.toml", double_text("texts/config.toml"))
        tree.filler("/usr/share/enflame-container-toolkit", self._filler_size(tree.name))
        tree.scripts["postinst"] = double_text("debian/postinst-docker", package=tree.name)
        tree.build(output, self.options.compression, "", "utils", "Enflame container toolkit")
