// Dependencies of the bundle on the target and on itself, and of the target on what is replaced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_compatibility.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using CompatibilityOfDependencies = SampleCompatibility;

const std::string new_sdk = "deb/tops-sdk_2.5.136-1_amd64.deb";

TEST_F(CompatibilityOfDependencies, ThatTheTargetMeetsAreNoFinding) {
  deb("tops-sdk", "2.5.136-1").deb->depends = "libelf1 (>= 0.170), libc6 | libc6-udeb";
  installed("libelf1", "0.176-1.1build1");
  installed("libc6", "2.31-0ubuntu9");
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfDependencies, ThatNobodyMeetsAreQuotedWithWhatTheTargetHas) {
  deb("tops-sdk", "2.5.136-1").deb->depends = "libelf1 | libelf1t64, libnuma1 (>= 2.0.12)";
  installed("libnuma1", "2.0.11");
  EXPECT_THAT(ids(), ElementsAre("dependency-missing " + new_sdk, "dependency-version " + new_sdk));
  EXPECT_THAT(evidence("dependency-missing"),
              ElementsAre("Depends: libelf1 | libelf1t64", "target: libelf1 is not installed",
                          "target: libelf1t64 is not installed"));
  EXPECT_THAT(evidence("dependency-version"),
              ElementsAre("Depends: libnuma1 (>= 2.0.12)", "target: libnuma1 2.0.11 is installed"));
  EXPECT_EQ(finding("dependency-missing").remedy.text,
            "Add libelf1 | libelf1t64 for amd64 to the bundle, or install it on the target first.");
}

TEST_F(CompatibilityOfDependencies, AreMetByTheBundleItself) {
  deb("tops-sdk", "2.5.136-1").deb->depends = "libelf1 (>= 0.170)";
  deb("libelf1", "0.180");
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfDependencies, AreJudgedByTheVersionThatTheBundleLeaves) {
  deb("tops-sdk", "2.5.136-1").deb->depends = "libelf1 (= 0.176)";
  deb("libelf1", "0.180");
  installed("libelf1", "0.176");
  EXPECT_THAT(evidence("dependency-version"),
              ElementsAre("Depends: libelf1 (= 0.176)", "bundle: the bundle has libelf1 0.180"));
}

TEST_F(CompatibilityOfDependencies, AreMetByProvidesButAVersionOnlyByAVersion) {
  deb("tops-sdk", "2.5.136-1").deb->depends = "awk, libcurl-any (>= 7)";
  installed("mawk", "1.3").provides = "awk";
  installed("libcurl4", "7.68").provides = "libcurl-any";
  EXPECT_THAT(ids(), ElementsAre("dependency-missing " + new_sdk));
  EXPECT_THAT(evidence("dependency-missing"),
              ElementsAre("Depends: libcurl-any (>= 7)",
                          "target: libcurl4 7.68 is installed and provides libcurl-any"));
  target_.packages.back().provides = "libcurl-any (= 7.68)";
  EXPECT_THAT(ids(), IsEmpty());
  target_.packages.back().provides = "libcurl-any (= 6)";
  EXPECT_THAT(ids(), ElementsAre("dependency-missing " + new_sdk));
}

TEST_F(CompatibilityOfDependencies, LookAtArchitectures) {
  deb("tops-sdk", "2.5.136-1").deb->depends = "python3:any, libelf1, libi (>= 1) [i386]";
  installed("python3", "3.8").multi_arch = "allowed";
  installed("libelf1", "0.176").architecture = "i386";
  EXPECT_THAT(evidence("dependency-missing"),
              ElementsAre("Depends: libelf1", "target: libelf1:i386 0.176 is installed"));
  target_.packages.back().multi_arch = "foreign";
  EXPECT_THAT(ids(), IsEmpty());
  target_.packages.front().multi_arch = "same";
  EXPECT_THAT(evidence("dependency-missing"),
              ElementsAre("Depends: python3:any", "target: python3 3.8 is installed"));
}

TEST_F(CompatibilityOfDependencies, AreMetByPackagesForAllArchitectures) {
  deb("tops-sdk", "2.5.136-1").deb->depends = "debconf";
  installed("debconf", "1.5").architecture = "all";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfDependencies, NeedPackagesThatAreConfigured) {
  deb("tops-sdk", "2.5.136-1").deb->depends = "libelf1";
  installed("libelf1", "0.176").status = dpkg_status("install ok unpacked");
  EXPECT_THAT(evidence("dependency-missing"),
              ElementsAre("Depends: libelf1", "target: libelf1 0.176 is not completely installed"));
  target_.packages.back().status = dpkg_status("install ok triggers-pending");
  EXPECT_THAT(ids(), ElementsAre("package-half-installed packages of the target"));
  target_.packages.back().status = dpkg_status("deinstall ok config-files");
  EXPECT_THAT(evidence("dependency-missing"), Contains("target: libelf1 is not installed"));
}

TEST_F(CompatibilityOfDependencies, NameAPackageOfTheBundleThatIsNotChosen) {
  deb("libelf1", "0.180").chosen = false;
  deb("tops-sdk", "2.5.136-1").deb->pre_depends = "libelf1";
  EXPECT_THAT(evidence("dependency-missing"),
              ElementsAre("Pre-Depends: libelf1",
                          "deb/libelf1_0.180_amd64.deb: the bundle has libelf1 0.180, but it is "
                          "not selected"));
}

TEST_F(CompatibilityOfDependencies, OfInstalledPackagesMayBeUnreadable) {
  deb("tops-sdk", "2.5.136-1");
  installed("odd", "1").depends = "((";
  EXPECT_THAT(ids(), IsEmpty()) << "what is installed already is not judged";
}

TEST_F(CompatibilityOfDependencies, OfInstalledPackagesThatAnUpgradeBreaksAreNamed) {
  deb("tops-sdk", "2.5.136-1");
  installed("tops-sdk", "2.5.115-1");
  installed("tops-app", "1.0").depends = "tops-sdk (= 2.5.115-1), libc6";
  EXPECT_THAT(ids(), ElementsAre("breaks-installed " + new_sdk));
  EXPECT_THAT(evidence("breaks-installed"),
              ElementsAre("Depends of tops-app 1.0: tops-sdk (= 2.5.115-1); tops-sdk 2.5.115-1 is "
                          "replaced by tops-sdk 2.5.136-1"));
  target_.packages.back().depends = "tops-sdk (>= 2.5.115-1), libmissing";
  EXPECT_THAT(ids(), IsEmpty()) << "what was broken before is not the bundle's doing";
  target_.packages.back().depends = "tops-sdk (= 2.5.115-1) | libc6";
  EXPECT_THAT(ids(), ElementsAre("breaks-installed " + new_sdk));
  installed("libc6", "2.31");
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfDependencies, OfInstalledPackagesOnWhatAnOldVersionProvidedAreNamed) {
  deb("tops-sdk", "2.5.136-1");
  installed("tops-sdk", "2.5.115-1").provides = "tops-api-2.4";
  installed("tops-app", "1.0").depends = "tops-api-2.4";
  EXPECT_THAT(ids(), ElementsAre("breaks-installed " + new_sdk));
  inspection_.inventory.packages[0].deb->provides = "tops-api-2.4";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfDependencies, OfPackagesThatTheBundleUpgradesTooDoNotCount) {
  deb("tops-sdk", "2.5.136-1");
  deb("tops-app", "2.0").deb->depends = "tops-sdk (= 2.5.136-1)";
  installed("tops-sdk", "2.5.115-1");
  installed("tops-app", "1.0").depends = "tops-sdk (= 2.5.115-1)";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfDependencies, OfManyPackagesAreShortened) {
  deb("tops-sdk", "2.5.136-1");
  installed("tops-sdk", "2.5.115-1");
  for (int i = 10; i < 25; ++i) {
    installed(concat("app-", i), "1").depends = "tops-sdk (= 2.5.115-1)";
  }
  const std::vector<std::string> lines = evidence("breaks-installed");
  ASSERT_EQ(lines.size(), 11U);
  EXPECT_THAT(lines.front(), HasSubstr("app-10"));
  EXPECT_EQ(lines.back(), ": and 5 more");
}

}  // namespace
}  // namespace topsctl
