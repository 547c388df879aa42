// CompatibilityOfLibraries and their versions that the bundle's files need.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_compatibility.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class CompatibilityOfLibraries : public SampleCompatibility {
 protected:
  Package& torch_wheel() {
    target_.pythons = {sample_python("3.8")};
    return wheel("torch_gcu", "1.10.0", "py3.8-none-any", "3.8");
  }
};

const std::string linked_sdk = "deb/tops-sdk_2_amd64.deb";

TEST_F(CompatibilityOfLibraries, OfTheTargetAreFound) {
  deb("tops-sdk", "2");
  elf("/opt/tops/lib/libsdk.so", {"libc.so.6", "libstdc++.so.6"});
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_TRUE(fit().libraries_checked);
}

TEST_F(CompatibilityOfLibraries, ThatNobodyHasAreNamedWithTheirUsersAndWhatIsAlike) {
  deb("tops-sdk", "2");
  elf("/usr/bin/b", {"libssl.so.1.1"});
  elf("/usr/bin/a", {"libssl.so.1.1", "libc.so.6"});
  target_.libraries.push_back({"libssl.so.3", "/lib/libssl.so.3"});
  target_.owners["/opt/old/libssl.so.1.1"] = {"old"};
  EXPECT_THAT(ids(), ElementsAre("library-missing " + linked_sdk));
  EXPECT_THAT(evidence("library-missing"),
              ElementsAre("/usr/bin/a: needs libssl.so.1.1", "/usr/bin/b: needs libssl.so.1.1",
                          "target: has libssl.so.3 instead",
                          "target: has /opt/old/libssl.so.1.1, outside the loader's search path"));
}

TEST_F(CompatibilityOfLibraries, AreFoundWhereTheEnvironmentLeadsTheLoader) {
  deb("tops-sdk", "2");
  elf("/usr/bin/a", {"libdtu_sdk.so"});
  target_.owners["/opt/tops/lib/libdtu_sdk.so"] = {"tops-runtime"};
  EXPECT_THAT(ids(), ElementsAre("library-missing " + linked_sdk));
  rules_.library_folders = {"/opt/tops/lib"};
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfLibraries, AreNotLookedAtUnlessReadDeeply) {
  deb("tops-sdk", "2");
  elf("/usr/bin/a", {"libmissing.so"});
  inspection_.depth = Depth::digest;
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_FALSE(fit().libraries_checked);
  inspection_.depth = Depth::deep;
  target_.libraries.clear();
  EXPECT_THAT(ids(), IsEmpty()) << "nothing is known of the target's libraries";
  EXPECT_FALSE(fit().libraries_checked);
}

TEST_F(CompatibilityOfLibraries, OfOtherDebsOfTheBundleAreFoundBySonameFileNameAndLink) {
  deb("tops-sdk", "2");
  elf("/usr/bin/a", {"libone.so.1", "libtwo.so", "libthree.so.3", "libfour.so"});
  deb("tops-libs", "2");
  elf("/usr/lib/libone.so.1.2", {}, "libone.so.1");
  elf("/usr/lib/libtwo.so", {});
  elf("/usr/lib/libthree.so.3.1", {});
  std::vector<PayloadEntry>& files = *inspection_.inventory.packages.back().files;
  files.push_back(
      {"/usr/lib/libthree.so.3", PayloadEntry::Type::symlink, 0, 0, "", 0, "libthree.so.3.1"});
  files.push_back({"/usr/lib/libfour.so", PayloadEntry::Type::file, 16});
  EXPECT_THAT(ids(), ElementsAre("library-missing " + linked_sdk));
  EXPECT_THAT(evidence("library-missing"), ElementsAre("/usr/bin/a: needs libfour.so"))
      << "a stub that is no ELF file is no library";
}

TEST_F(CompatibilityOfLibraries, AreNotFoundThroughLinksThatGoInACircle) {
  deb("tops-sdk", "2");
  elf("/usr/bin/a", {"liba.so"});
  std::vector<PayloadEntry>& files = *inspection_.inventory.packages.back().files;
  files.push_back({"/usr/lib/liba.so", PayloadEntry::Type::symlink, 0, 0, "", 0, "libb.so"});
  files.push_back({"/usr/lib/libb.so", PayloadEntry::Type::symlink, 0, 0, "", 0, "liba.so"});
  EXPECT_THAT(ids(), ElementsAre("library-missing " + linked_sdk));
}

TEST_F(CompatibilityOfLibraries, AreFoundBySearchPathsOnTheTarget) {
  deb("tops-sdk", "2");
  elf("/opt/tops/bin/a", {"libx.so"}).facts.search_paths = {"$ORIGIN/../../vendor/lib"};
  EXPECT_THAT(ids(), ElementsAre("library-missing " + linked_sdk));
  target_.owners["/opt/vendor/lib/libx.so"] = {"vendor"};
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfLibraries, OfFilesForOtherMachinesAndOfModulesAreNotLookedAt) {
  deb("tops-sdk", "2");
  elf("/opt/arm", {"libmissing.so"}).facts.machine = "aarch64";
  elf("/lib/modules/x.ko", {"libmissing.so"}).facts.type = "relocatable";
  elf("/opt/bad", {"libmissing.so"}).facts.problem = "cut short";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfLibraries, NeedVersionsOfGlibcComparedAsNumbers) {
  deb("tops-sdk", "2");
  elf("/usr/bin/a", {}).facts.glibc = "2.4";
  elf("/usr/bin/b", {}).facts.glibc = "2.31";
  EXPECT_THAT(ids(), IsEmpty());
  elf("/usr/bin/c", {}).facts.glibc = "2.34";
  EXPECT_THAT(ids(), ElementsAre("glibc-too-old " + linked_sdk));
  EXPECT_THAT(evidence("glibc-too-old"),
              ElementsAre("/usr/bin/c: needs GLIBC_2.34", "target: its glibc is 2.31"));
  target_.glibc.clear();
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfLibraries, TakeTheGlibcThatTheBundleBringsForTheTargets) {
  deb("tops-sdk", "2");
  elf("/usr/bin/a", {}).facts.glibc = "2.36";
  wheel("y", "1", "py3-none-any");
  target_.pythons = {sample_python("3.8")};
  elf("y/_y.so", {}).facts.glibc = "2.36";
  EXPECT_THAT(ids(), Contains("glibc-too-old " + linked_sdk));
  deb("libc6", "2.36-9");
  ElfFile& libc = elf("/opt/x/libc.so.6", {}, "libc.so.6");
  libc.facts.defined_versions = {"GLIBC_2.4", "GLIBC_2.36", "GLIBC_PRIVATE"};
  EXPECT_THAT(ids(), Contains("glibc-too-old " + linked_sdk)) << "the loader does not look there";
  libc.path = "/lib/x86_64-linux-gnu/libc.so.6";
  EXPECT_THAT(ids(), IsEmpty());
  libc.facts.defined_versions = {"GLIBC_2.35"};
  EXPECT_THAT(ids(), Contains("glibc-too-old " + linked_sdk));
}

TEST_F(CompatibilityOfLibraries, OfPluginsAreAWarningWhereTheirPackageIsOnlySuggested) {
  const std::string plugin = "/usr/lib/x86_64-linux-gnu/tops/gl_plugin.so";
  Package& sdk = deb("tops-sdk", "2");
  elf(plugin, {"libglut.so.3.12"});
  EXPECT_THAT(ids(), ElementsAre("library-missing " + linked_sdk));
  sdk.deb->recommends = "libc6";
  sdk.deb->suggests = "libglut3.12, tops-doc";
  installed("libc6", "2.31");
  EXPECT_THAT(ids(), ElementsAre("plugin-library-missing " + linked_sdk));
  EXPECT_EQ(finding("plugin-library-missing").severity, Severity::warning);
  EXPECT_THAT(evidence("plugin-library-missing"),
              ElementsAre(plugin + ": needs libglut.so.3.12",
                          "target: has no libglut3.12, tops-doc, which the package only recommends "
                          "or suggests"));
  ElfFile& file = inspection_.contents[0].elf_files.front();
  const auto is_error = [&] { return ids() == std::vector{"library-missing " + linked_sdk}; };
  file.facts.is_python_extension = true;
  EXPECT_TRUE(is_error()) << "a module of Python";
  file.facts.is_python_extension = false;
  file.facts.type = "executable";
  EXPECT_TRUE(is_error()) << "a program";
  file.facts.type = "shared";
  file.path = "/usr/lib/x86_64-linux-gnu/gl_plugin.so";
  EXPECT_TRUE(is_error()) << "where every program finds it";
  file.path = plugin;
  installed("libglut3.12", "1");
  installed("tops-doc", "1");
  EXPECT_TRUE(is_error()) << "all that is suggested is there";
  target_.packages.resize(1);
  elf("/usr/bin/tops", {"gl_plugin.so"});
  EXPECT_TRUE(is_error()) << "a program needs it";
}

TEST_F(CompatibilityOfLibraries, OfPluginsAreAWarningBesideALibraryThatLacksNothing) {
  deb("tops-sdk", "2");
  elf("/usr/lib/x86_64-linux-gnu/tops/gl_plugin.so", {"libglut.so.3.12"});
  elf("/usr/lib/x86_64-linux-gnu/libtops.so.1", {"libc.so.6"});
  EXPECT_THAT(ids(), ElementsAre("library-missing " + linked_sdk)) << "it depends on nothing";
  installed("libc6", "2.31");
  inspection_.inventory.packages.back().deb->depends = "libc6";
  EXPECT_THAT(ids(), ElementsAre("plugin-library-missing " + linked_sdk));
  EXPECT_THAT(evidence("plugin-library-missing"),
              ElementsAre("/usr/lib/x86_64-linux-gnu/tops/gl_plugin.so: needs libglut.so.3.12"));
  inspection_.contents[0].elf_files.back().facts.needed = {"libmissing.so.1"};
  EXPECT_THAT(ids(), Contains("library-missing " + linked_sdk));
  EXPECT_THAT(ids(), Not(Contains("plugin-library-missing " + linked_sdk)));
  inspection_.contents[0].elf_files.back().facts.needed = {"libc.so.6"};
  inspection_.contents[0].elf_files.front().path = "/opt/tops/lib/gl_plugin.so";
  EXPECT_THAT(ids(), ElementsAre("library-missing " + linked_sdk)) << "a folder of a vendor";
}

TEST_F(CompatibilityOfLibraries, NeedVersionsOfLibstdcxxUnlessTheBundleBringsIt) {
  deb("tops-sdk", "2");
  elf("/usr/bin/a", {}).facts.glibcxx = "3.4.30";
  elf("/usr/bin/b", {}).facts.cxxabi = "1.3.13";
  EXPECT_THAT(ids(),
              ElementsAre("libstdcxx-too-old " + linked_sdk, "libstdcxx-too-old " + linked_sdk));
  EXPECT_THAT(evidence("libstdcxx-too-old"),
              Contains("target: its libstdc++ has GLIBCXX_3.4.28 and CXXABI_1.3.12"));
  deb("libstdc++6", "12");
  elf("/usr/lib/libstdc++.so.6.0.30", {}, "libstdc++.so.6").facts.defined_versions = {
      "GLIBCXX_3.4.9", "GLIBCXX_3.4.30", "CXXABI_1.3.13"};
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfLibraries, OfTheSameWheelAndOfDebsAreFound) {
  torch_wheel();
  elf("torch_gcu/lib/libown.so", {});
  elf("torch_gcu/_C.so", {"libown.so", "libdtu.so"});
  deb("tops-sdk", "2");
  elf("/usr/lib/libdtu.so.2", {}, "libdtu.so");
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfLibraries, OfAWheelAreNotThoseOfAnother) {
  target_.pythons = {sample_python("3.8")};
  wheel("other", "1", "py3-none-any");
  elf("other/libown.so", {});
  wheel("torch_gcu", "1.10.0", "py3-none-any");
  elf("torch_gcu/_C.so", {"libown.so"});
  EXPECT_THAT(ids(), ElementsAre("library-missing wheels/torch_gcu-1.10.0-py3-none-any.whl"));
}

TEST_F(CompatibilityOfLibraries, OfTorchComeWithTheInstalledDistribution) {
  const std::string path = torch_wheel().path;
  elf("torch_gcu/_C.so", {"libc10.so", "libtorch_python.so"});
  EXPECT_THAT(ids(), ElementsAre("library-missing " + path, "library-missing " + path));
  EXPECT_THAT(evidence("library-missing"),
              ElementsAre("torch_gcu/_C.so: needs libc10.so",
                          "target: the distribution torch provides it, but no interpreter has it"));
  target_.pythons[0].wheels.push_back({"Torch", "1.10.0", "", "", {}, ""});
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfLibraries, OfAnotherDistributionAreFoundByTheSearchPath) {
  torch_wheel();
  elf("torch_gcu/lib/a.so", {"libfunny.so"}).facts.search_paths = {"$ORIGIN/../../funny/lib"};
  EXPECT_EQ(ids().size(), 1U);
  target_.pythons[0].wheels.push_back({"funny", "1", "", "", {}, ""});
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfLibraries, OfPythonComeWithAnInterpreterOfItsOwnPrefix) {
  torch_wheel();
  elf("torch_gcu/_C.so", {"libpython3.8.so.1.0"});
  EXPECT_EQ(ids().size(), 1U) << "Debian has it in a package of its own";
  target_.pythons[0].executable = "/opt/conda/bin/python3.8";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfLibraries, OfWheelsThatNoInterpreterTakesAreNotLookedAt) {
  torch_wheel();
  wheel("torch_gcu", "1.10.0", "py3.6-none-any", "3.6");
  elf("torch_gcu/_C.so", {"libmissing.so"});
  EXPECT_THAT(ids(), IsEmpty());
}

}  // namespace
}  // namespace topsctl
