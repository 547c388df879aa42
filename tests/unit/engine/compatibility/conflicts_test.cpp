// Breaks and Conflicts in all directions, and packages that dpkg takes away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_compatibility.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using CompatibilityOfConflicts = SampleCompatibility;

const std::string sdk = "deb/tops-sdk_2.5.136-1_amd64.deb";

TEST_F(CompatibilityOfConflicts, WithInstalledPackagesAreQuoted) {
  deb("tops-sdk", "2.5.136-1").deb->conflicts = "tops-old, other (<< 2)";
  installed("tops-old", "1.0");
  installed("other", "2");
  EXPECT_THAT(ids(), ElementsAre("conflicts-with-installed " + sdk));
  EXPECT_THAT(evidence("conflicts-with-installed"),
              ElementsAre("Conflicts: tops-old; tops-old 1.0 is installed; dpkg removes tops-old "
                          "automatically only if tops-sdk also lists it in Replaces"));
}

TEST_F(CompatibilityOfConflicts, TakeAwayWhatThePackageReplaces) {
  deb("tops-sdk", "2.5.136-1").deb->conflicts = "tops-old";
  inspection_.inventory.packages[0].deb->replaces = "tops-old (<< 2)";
  installed("tops-old", "1.0");
  EXPECT_THAT(ids(), ElementsAre("removes-installed " + sdk));
  target_.packages[0].version = "2.0";
  EXPECT_THAT(ids(), ElementsAre("conflicts-with-installed " + sdk));
  target_.packages[0].version = "1.0";
  EXPECT_EQ(finding("removes-installed").severity, Severity::warning);
  target_.packages[0].essential = true;
  EXPECT_EQ(finding("removes-installed").severity, Severity::error);
}

TEST_F(CompatibilityOfConflicts, TakeAwayWhatSomebodyWantsGone) {
  deb("tops-sdk", "2.5.136-1").deb->conflicts = "tops-old";
  installed("tops-old", "1.0").status = dpkg_status("deinstall ok installed");
  EXPECT_THAT(ids(), ElementsAre("removes-installed " + sdk));
}

TEST_F(CompatibilityOfConflicts, DoNotTakeAwayWhatOthersNeed) {
  deb("tops-sdk", "2.5.136-1").deb->conflicts = "tops-old";
  inspection_.inventory.packages[0].deb->replaces = "tops-old";
  installed("tops-old", "1.0");
  installed("tops-app", "1.0").depends = "tops-old";
  EXPECT_THAT(ids(), ElementsAre("conflicts-with-installed " + sdk));
  EXPECT_THAT(evidence("conflicts-with-installed"),
              ElementsAre("Conflicts: tops-old; tops-old 1.0 is installed; dpkg will not remove it "
                          "in favour of tops-sdk: tops-app 1.0 depends on it"));
  inspection_.inventory.packages[0].deb->provides = "tops-old";
  EXPECT_THAT(ids(), ElementsAre("removes-installed " + sdk));
}

TEST_F(CompatibilityOfConflicts, TakeAwayAPackageOnlyAfterThoseThatNeedItWereUpgraded) {
  deb("a-sdk", "1").deb->conflicts = "old";
  inspection_.inventory.packages[0].deb->replaces = "old";
  deb("z-app", "2");
  installed("old", "1.0");
  installed("z-app", "1.0").depends = "old";
  EXPECT_THAT(ids(), ElementsAre("removes-installed deb/a-sdk_1_amd64.deb"));
  EXPECT_THAT(order(), ElementsAre("z-app", "a-sdk"));
}

TEST_F(CompatibilityOfConflicts, OfBreaksDoNotTakeAway) {
  deb("tops-sdk", "2.5.136-1").deb->breaks = "tops-old";
  inspection_.inventory.packages[0].deb->replaces = "tops-old";
  installed("tops-old", "1.0");
  EXPECT_THAT(evidence("conflicts-with-installed"),
              ElementsAre("Breaks: tops-old; tops-old 1.0 is installed; dpkg would have to "
                          "deconfigure tops-old, which requires --auto-deconfigure"));
}

TEST_F(CompatibilityOfConflicts, WithProvidedNamesCountButNotWithOnesOwn) {
  deb("tops-mpi", "1").deb->conflicts = "mpi";
  inspection_.inventory.packages[0].deb->provides = "mpi";
  EXPECT_THAT(ids(), IsEmpty());
  installed("openmpi", "4").provides = "mpi";
  EXPECT_THAT(ids(), ElementsAre("conflicts-with-installed deb/tops-mpi_1_amd64.deb"));
  inspection_.inventory.packages[0].deb->conflicts = "mpi (<< 9)";
  EXPECT_THAT(ids(), IsEmpty()) << "an unversioned Provides has no version";
}

TEST_F(CompatibilityOfConflicts, OfAPackageWithItselfDoNotCount) {
  deb("tops-sdk", "2.5.136-1").deb->conflicts = "tops-sdk (<< 3)";
  inspection_.inventory.packages[0].deb->breaks = "tops-sdk";
  installed("tops-sdk", "2.5.115-1").conflicts = "tops-sdk";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfConflicts, MeanEveryArchitecture) {
  deb("tops-sdk", "2.5.136-1").deb->conflicts = "tops-old";
  installed("tops-old", "1.0").architecture = "i386";
  EXPECT_THAT(ids(), ElementsAre("conflicts-with-installed " + sdk));
  inspection_.inventory.packages[0].deb->conflicts = "tops-old:amd64";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfConflicts, OfInstalledPackagesWithTheBundleAreNamed) {
  deb("tops-sdk", "2.5.136-1");
  installed("tops-driver", "3").breaks = "tops-sdk (<< 2.6)";
  EXPECT_THAT(ids(), ElementsAre("installed-breaks-package " + sdk));
  EXPECT_THAT(evidence("installed-breaks-package"),
              ElementsAre("Breaks of tops-driver 3: tops-sdk (<< 2.6); the bundle has tops-sdk "
                          "2.5.136-1"));
  target_.packages[0].breaks = "tops-sdk (>= 2.6)";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfConflicts, OfPackagesThatTheBundleReplacesDoNotCount) {
  deb("tops-sdk", "2.5.136-1");
  deb("tops-driver", "4");
  installed("tops-driver", "3").breaks = "tops-sdk";
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfConflicts, WithinTheBundleAreNamed) {
  deb("tops-a", "1").deb->conflicts = "tops-b";
  deb("tops-b", "1");
  EXPECT_THAT(ids(), ElementsAre("conflicts-in-bundle deb/tops-a_1_amd64.deb"));
  EXPECT_THAT(evidence("conflicts-in-bundle"),
              ElementsAre("Conflicts: tops-b; the bundle has tops-b 1 (deb/tops-b_1_amd64.deb)"));
}

TEST_F(CompatibilityOfConflicts, WithAnOldVersionPutTheNewOneFirst) {
  deb("a-new", "1").deb->breaks = "z-old (<< 2)";
  deb("z-old", "2");
  installed("z-old", "1");
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_THAT(order(), ElementsAre("z-old", "a-new"));
  target_.packages.clear();
  EXPECT_THAT(order(), ElementsAre("a-new", "z-old"));
  installed("z-old", "1").conflicts = "a-new";
  EXPECT_THAT(order(), ElementsAre("z-old", "a-new"));
}

}  // namespace
}  // namespace topsctl
