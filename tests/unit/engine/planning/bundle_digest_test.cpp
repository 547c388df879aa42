// One digest of all packages that are taken.
#include "topsctl/engine/planning/bundle_digest.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(BundleDigests, AreThoseOfTheSortedLinesThatSha256sumPrints) {
  // printf 'aa  one.deb\nbb  two.whl\n' | sha256sum
  const std::string expected = "589ee24c17db7fa2f68c8a90fc49c9872bc306c7a4a4d68e9a2b6195ee87c0e9";
  EXPECT_EQ(digest_of({{"aa", "one.deb"}, {"bb", "two.whl"}}), expected);
  EXPECT_EQ(digest_of({{"bb", "two.whl"}, {"aa", "one.deb"}}), expected);
  EXPECT_NE(digest_of({{"aa", "one.deb"}, {"bb", "other.whl"}}), expected);
}

TEST(BundleDigests, AreUnknownWhereThatOfAPackageIs) {
  EXPECT_EQ(digest_of({{"aa", "one.deb"}, {"", "two.whl"}}), "");
  EXPECT_EQ(digest_of({}), "");
}

TEST(BundleDigests, AreOfAllPackagesOfAPlan) {
  Plan plan;
  PlannedPackage package;
  package.sha256 = "aa";
  package.file = "one.deb";
  package.action = PackageAction::keep;
  plan.packages = {package};
  const GivenBundle bundle = bundle_of(plan, {"./TopsRider"});
  EXPECT_EQ(bundle.paths, std::vector<std::string>{"./TopsRider"});
  EXPECT_EQ(bundle.sha256, digest_of({{"aa", "one.deb"}}));
}

}  // namespace
}  // namespace topsctl
