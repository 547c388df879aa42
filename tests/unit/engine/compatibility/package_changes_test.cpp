// What is said of each deb by itself: architecture, compression, versions, unfinished packages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_compatibility.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using CompatibilityOfPackages = SampleCompatibility;

const std::string changed_sdk = "deb/tops-sdk_2_amd64.deb";

TEST_F(CompatibilityOfPackages, AreForTheTargetsArchitectureOrAll) {
  deb("tops-sdk", "2").architecture = "arm64";
  EXPECT_THAT(ids(), ElementsAre("architecture-differs " + changed_sdk));
  EXPECT_THAT(evidence("architecture-differs"),
              ElementsAre("Architecture: arm64", "target: dpkg's architecture is amd64"));
  inspection_.inventory.packages[0].architecture = "all";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfPackages, OfAnotherArchitectureAreNotJudgedFurther) {
  deb("tops-sdk", "2").architecture = "arm64";
  inspection_.inventory.packages[0].deb->depends = "libc6";
  installed("libc6", "2.31");
  EXPECT_THAT(ids(), ElementsAre("architecture-differs " + changed_sdk));
}

TEST_F(CompatibilityOfPackages, HaveACompressionThatTheTargetsDpkgKnows) {
  deb("tops-sdk", "2").deb->compression = "zstd";
  EXPECT_THAT(ids(), ElementsAre("dpkg-too-old " + changed_sdk));
  EXPECT_THAT(evidence("dpkg-too-old"), ElementsAre("data.tar: compressed with zstd",
                                                    "target: dpkg 1.19.7 can unpack gzip, xz"));
  target_.dpkg_compressions.push_back("zstd");
  EXPECT_THAT(ids(), IsEmpty());
  target_.dpkg_compressions = {"gzip"};
  for (const char* known : {"none", "gzip", "bzip2", "lzma"}) {
    inspection_.inventory.packages[0].deb->compression = known;
    EXPECT_THAT(ids(), IsEmpty()) << known;
  }
}

TEST_F(CompatibilityOfPackages, AreComparedWithWhatIsInstalled) {
  deb("a-new", "1");
  deb("b-same", "1.0-1");
  deb("c-upgrade", "2.5.136-1");
  deb("d-downgrade", "1");
  installed("b-same", "1.0-1");
  installed("c-upgrade", "2.5.115-1");
  installed("d-downgrade", "1:0.5");
  const std::vector<CompatibilityChange> expected = {
      {0, "", "", "1", ChangeAction::added},
      {1, "", "1.0-1", "1.0-1", ChangeAction::same},
      {2, "", "2.5.115-1", "2.5.136-1", ChangeAction::upgrade},
      {3, "", "1:0.5", "1", ChangeAction::downgrade}};
  EXPECT_EQ(fit().changes, expected);
  EXPECT_THAT(ids(), ElementsAre("package-downgrade deb/d-downgrade_1_amd64.deb"));
  EXPECT_THAT(evidence("package-downgrade"),
              ElementsAre("target: d-downgrade 1:0.5 is installed, the package has 1"));
}

TEST_F(CompatibilityOfPackages, AreNewWhereOnlySettingsAreLeft) {
  deb("tops-sdk", "2");
  installed("tops-sdk", "3").status = dpkg_status("deinstall ok config-files");
  EXPECT_EQ(fit().changes[0].action, ChangeAction::added);
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfPackages, AreHeldUpByUnfinishedOnes) {
  deb("tops-sdk", "2");
  installed("tops-sdk", "1").status = dpkg_status("install reinstreq half-installed");
  installed("other", "1").status = dpkg_status("install ok half-configured");
  installed("waiting", "1").status = dpkg_status("install ok triggers-pending");
  EXPECT_THAT(ids(), ElementsAre("package-half-installed " + changed_sdk,
                                 "package-half-installed packages of the target"));
  EXPECT_EQ(fit().findings[0].severity, Severity::error);
  EXPECT_EQ(fit().findings[1].severity, Severity::error) << "an install refuses to start";
  EXPECT_THAT(evidence("package-half-installed"),
              ElementsAre("target: tops-sdk 1 is in state 'install reinstreq half-installed'"));
  const std::vector<Evidence> others = fit().findings[1].evidence;
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[0].text, "other 1 is in state 'install ok half-configured'");
  EXPECT_EQ(others[1].text, "waiting 1 is in state 'install ok triggers-pending'");
}

}  // namespace
}  // namespace topsctl
