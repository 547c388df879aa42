// Paths that two packages want.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/compatibility/file_clashes.hpp"
#include "support/sample_compatibility.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using CompatibilityOfFiles = SampleCompatibility;

const std::string eccl = "deb/tops-eccl_2_amd64.deb";

TEST_F(CompatibilityOfFiles, WithAnInstalledPackageAreNamed) {
  deb("tops-eccl", "2", {"/usr/bin/eccl", "/usr/bin/xz", "/usr/bin/lzma"});
  installed("xz-utils", "5.2", {"/usr/bin/lzma", "/usr/bin/xz", "/usr/bin/unxz"});
  EXPECT_THAT(ids(), ElementsAre("file-conflict " + eccl));
  EXPECT_THAT(evidence("file-conflict"),
              ElementsAre("/usr/bin/lzma: belongs to xz-utils 5.2, which is installed",
                          "/usr/bin/xz: belongs to xz-utils 5.2, which is installed"));
}

TEST_F(CompatibilityOfFiles, CountForLinksButNotForFolders) {
  Package& package = deb("tops-eccl", "2");
  package.files = {{"/opt", PayloadEntry::Type::directory, 0},
                   {"/usr/lib/a", PayloadEntry::Type::symlink, 0},
                   {"/usr/lib/b", PayloadEntry::Type::hardlink, 0}};
  installed("other", "1", {"/opt", "/usr/lib/a", "/usr/lib/b"});
  EXPECT_EQ(evidence("file-conflict").size(), 2U);
}

TEST_F(CompatibilityOfFiles, DoNotCountBetweenVersionsOfOnePackage) {
  deb("tops-eccl", "2", {"/usr/bin/eccl"});
  installed("tops-eccl", "1", {"/usr/bin/eccl"});
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfFiles, AreSettledByReplacesOfThatVersionEitherWay) {
  deb("tops-eccl", "2", {"/usr/bin/eccl"}).deb->replaces = "eccl (<< 2)";
  installed("eccl", "1", {"/usr/bin/eccl"});
  EXPECT_THAT(ids(), IsEmpty());
  target_.packages[0].version = "2";
  EXPECT_THAT(ids(), ElementsAre("file-conflict " + eccl));
  target_.packages[0].replaces = "tops-eccl";
  EXPECT_THAT(ids(), IsEmpty()) << "dpkg keeps the installed file";
  target_.packages[0].replaces = "something";
  target_.packages[0].provides = "virtual";
  inspection_.inventory.packages[0].deb->replaces = "virtual";
  EXPECT_THAT(ids(), ElementsAre("file-conflict " + eccl)) << "Replaces means real names";
}

TEST_F(CompatibilityOfFiles, OfTheBundleAloneNeedNoHost) {
  deb("tops-eccl", "2", {"/usr/bin/eccl", "/usr/bin/own"});
  deb("tops-sdk", "2", {"/usr/bin/eccl"}).deb->replaces = "tops-eccl (<< 2)";
  installed("other", "1", {"/usr/bin/own"});
  const std::vector<Finding> found =
      clashes_in_bundle(inspection_, packages_to_fit(inspection_.inventory), {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "file-conflict-in-bundle");
  EXPECT_EQ(found[0].evidence[0].text, "in tops-eccl 2 and in tops-sdk 2");
  inspection_.inventory.packages[1].deb->replaces = "tops-eccl";
  EXPECT_THAT(clashes_in_bundle(inspection_, packages_to_fit(inspection_.inventory), {}),
              IsEmpty());
}

TEST_F(CompatibilityOfFiles, WithAPackageThatDpkgRemovesDoNotCount) {
  deb("tops-eccl", "2", {"/usr/bin/eccl"}).deb->replaces = "eccl";
  inspection_.inventory.packages[0].deb->conflicts = "eccl";
  installed("eccl", "1", {"/usr/bin/eccl"});
  EXPECT_THAT(ids(), ElementsAre("removes-installed " + eccl));
}

TEST_F(CompatibilityOfFiles, WithFilesThatAreLeftOverDoNotCount) {
  deb("tops-eccl", "2", {"/etc/eccl.conf"});
  installed("eccl", "1", {"/etc/eccl.conf"}).status = dpkg_status("deinstall ok config-files");
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfFiles, ThatTheirOwnerHasNoLongerMayBeTakenOverAsConfiguration) {
  deb("tops-eccl", "2", {"/etc/eccl.conf"}).deb->conffiles = {"/etc/eccl.conf"};
  TargetPackage& owner = installed("eccl", "1", {"/etc/eccl.conf"});
  owner.conffiles = {"/etc/eccl.conf"};
  EXPECT_THAT(ids(), ElementsAre("file-conflict " + eccl));
  owner.obsolete_conffiles = owner.conffiles;
  EXPECT_THAT(ids(), IsEmpty());
  inspection_.inventory.packages[0].deb->conffiles.clear();
  EXPECT_THAT(ids(), ElementsAre("file-conflict " + eccl)) << "as a file of its own";
}

TEST_F(CompatibilityOfFiles, AreSettledByADiversionOfEither) {
  deb("tops-eccl", "2", {"/usr/bin/eccl"});
  installed("eccl", "1", {"/usr/bin/eccl"});
  target_.diversions = {{"/usr/bin/eccl", "/usr/bin/eccl.real", "tops-eccl"}};
  EXPECT_THAT(ids(), IsEmpty());
  target_.diversions[0].package = "eccl";
  EXPECT_THAT(ids(), IsEmpty());
  target_.diversions[0].package = "third";
  EXPECT_THAT(ids(), ElementsAre("file-conflict " + eccl));
  target_.diversions[0].package = ":";
  EXPECT_THAT(ids(), ElementsAre("file-conflict " + eccl));
}

// How drivers take the place of libraries.
TEST_F(CompatibilityOfFiles, AreSettledByAPreinstThatDivertsThem) {
  Package& package = deb("tops-eccl", "2", {"/usr/lib/gl.so"});
  installed("mesa", "1", {"/usr/lib/gl.so"});
  const auto with_preinst = [&](const std::string& name, const std::string& text) {
    package.deb->scripts = {{name, text}};
    return ids();
  };
  EXPECT_THAT(with_preinst("preinst", "dpkg-divert --add /usr/lib/gl.so\n"), IsEmpty());
  EXPECT_THAT(with_preinst("preinst", "f=/usr/lib/gl.so; dpkg-divert --add \"$f\""), IsEmpty());
  EXPECT_THAT(with_preinst("preinst", "dpkg-divert --add /usr/lib/gl.so.1\n"),
              ElementsAre("file-conflict-unless-diverted " + eccl));
  EXPECT_THAT(with_preinst("preinst", "for f in gl; do dpkg-divert --add /usr/lib/$f.so; done"),
              ElementsAre("file-conflict-unless-diverted " + eccl));
  EXPECT_EQ(fit().findings[0].severity, Severity::warning);
  EXPECT_THAT(evidence("file-conflict-unless-diverted"),
              ElementsAre("/usr/lib/gl.so: also belongs to mesa 1; the preinst adds diversions"));
  EXPECT_THAT(with_preinst("preinst", "echo /usr/lib/gl.so"), ElementsAre("file-conflict " + eccl));
  EXPECT_THAT(with_preinst("postinst", "dpkg-divert --add /usr/lib/gl.so"),
              ElementsAre("file-conflict " + eccl))
      << "too late";
}

TEST_F(CompatibilityOfFiles, WithinTheBundleAreSettledByAPreinstToo) {
  deb("a", "1", {"/usr/lib/gl.so"});
  Package& package = deb("b", "1", {"/usr/lib/gl.so"});
  package.deb->scripts = {{"preinst", "dpkg-divert --add /usr/lib/gl.so"}};
  EXPECT_THAT(ids(), IsEmpty());
  package.deb->scripts = {{"preinst", "divert() { dpkg-divert --add $1; }"}};
  EXPECT_THAT(ids(), ElementsAre("file-conflict-unless-diverted deb/b_1_amd64.deb"));
}

TEST_F(CompatibilityOfFiles, ComeToAnEndWhenTheNewVersionGivesTheFileUpBefore) {
  deb("a-eccl", "2", {"/usr/bin/eccl"});
  deb("z-sdk", "2", {"/usr/bin/sdk"});
  installed("z-sdk", "1", {"/usr/bin/sdk", "/usr/bin/eccl"});
  EXPECT_THAT(order(), ElementsAre("z-sdk", "a-eccl"));
  EXPECT_THAT(ids(), IsEmpty());
  inspection_.inventory.packages[1].deb->depends = "a-eccl";
  EXPECT_THAT(order(), ElementsAre("a-eccl", "z-sdk"));
  EXPECT_THAT(evidence("file-conflict"),
              ElementsAre("/usr/bin/eccl: belongs to the installed z-sdk; its new version drops "
                          "the file but is installed later, because it depends on a-eccl"));
  inspection_.inventory.packages[0].deb->replaces = "z-sdk (<< 2)";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfFiles, WithinTheBundleAreNamedOnce) {
  deb("tops-eccl", "2", {"/usr/lib/libeccl.so", "/usr/lib/other"});
  deb("tops-sdk", "3", {"/usr/lib/libeccl.so"});
  installed("tops-sdk", "1", {"/usr/lib/libeccl.so"});
  EXPECT_THAT(ids(), ElementsAre("file-conflict-in-bundle deb/tops-sdk_3_amd64.deb"));
  EXPECT_THAT(evidence("file-conflict-in-bundle"),
              ElementsAre("/usr/lib/libeccl.so: in tops-eccl 2 and in tops-sdk 3"));
  inspection_.inventory.packages[1].deb->replaces = "tops-eccl";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfFiles, WithinTheBundleAreFoundForEachPair) {
  deb("a", "1", {"/x"}).deb->replaces = "b, c";
  deb("b", "1", {"/x"});
  deb("c", "1", {"/x"});
  EXPECT_THAT(evidence("file-conflict-in-bundle"), ElementsAre("/x: in b 1 and in c 1"));
}

TEST_F(CompatibilityOfFiles, SeeThroughMergedFolders) {
  deb("tops-eccl", "2", {"/usr/lib/libeccl.so", "/lib/udev/x"});
  deb("tops-sdk", "2", {"/lib/libeccl.so"});
  installed("eccl", "1", {"/usr/lib/udev/x"});
  EXPECT_THAT(ids(), IsEmpty()) << "a target that is not known to be merged";
  installed("usr-is-merged", "1");
  EXPECT_THAT(ids(), ElementsAre("file-conflict " + eccl,
                                 "file-conflict-in-bundle deb/tops-sdk_2_amd64.deb"));
  EXPECT_THAT(evidence("file-conflict"),
              ElementsAre("/lib/udev/x: belongs to eccl 1, which is installed and lists it as "
                          "/usr/lib/udev/x: dpkg would overwrite it silently"));
}

TEST_F(CompatibilityOfFiles, TellAMergedTarget) {
  TargetSnapshot target;
  EXPECT_FALSE(is_usr_merged(target));
  target.libraries = {{"libx.so.1", "/lib/x86_64-linux-gnu/libx.so.1"}};
  target.owners["/lib/x86_64-linux-gnu/libx.so.1"] = {"libx1"};
  EXPECT_FALSE(is_usr_merged(target));
  target.libraries.push_back({"liby.so.1", "/lib/x86_64-linux-gnu/liby.so.1"});
  EXPECT_FALSE(is_usr_merged(target));
  target.owners["/usr/lib/x86_64-linux-gnu/liby.so.1"] = {"liby1"};
  EXPECT_TRUE(is_usr_merged(target));
  target = {};
  target.owners["/lib"] = {"base-files"};
  EXPECT_TRUE(is_usr_merged(target));
}

TEST_F(CompatibilityOfFiles, OfManyFilesAreShortened) {
  std::vector<std::string> files;
  for (int i = 10; i < 40; ++i) files.push_back(concat("/usr/share/", i));
  deb("tops-eccl", "2", files);
  installed("other", "1", files);
  const std::vector<std::string> lines = evidence("file-conflict");
  ASSERT_EQ(lines.size(), 11U);
  EXPECT_EQ(lines.back(), ": and 20 more");
}

}  // namespace
}  // namespace topsctl
