// Debian version ordering.
#include "topsctl/base/version.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(DebianVersions, EpochComesBeforeEverythingElse) {
  EXPECT_GT(compare_debian_versions("1:0.1", "9.9"), 0);
}

TEST(DebianVersions, TildeSortsBeforeTheEnd) {
  EXPECT_LT(compare_debian_versions("1.0~rc1", "1.0"), 0);
  EXPECT_LT(compare_debian_versions("1.0~~", "1.0~"), 0);
}

TEST(DebianVersions, NumbersCompareAsNumbers) {
  EXPECT_LT(compare_debian_versions("2.5.87-1", "2.5.136-1"), 0);
  EXPECT_EQ(compare_debian_versions("2.05.136-1", "2.5.136-1"), 0);
}

TEST(DebianVersions, AMissingRevisionIsOlderThanAnyButZero) {
  EXPECT_GT(compare_debian_versions("1.0-1", "1.0"), 0);
  EXPECT_EQ(compare_debian_versions("1.0-0", "1.0"), 0);
}

TEST(DebianVersions, LettersSortBeforeOtherCharacters) {
  EXPECT_LT(compare_debian_versions("1.0a", "1.0+"), 0);
  EXPECT_LT(compare_debian_versions("2.5.136+gcu", "2.5.136+gcu1"), 0);
}

}  // namespace
}  // namespace topsctl
