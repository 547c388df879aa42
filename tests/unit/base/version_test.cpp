// Debian version ordering.
#include "topsctl/base/version.hpp"

#include <gtest/gtest.h>

#include <string>

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

TEST(DebianVersions, AnEpochIsANumberHoweverItIsWritten) {
  EXPECT_EQ(compare_debian_versions("0:1.0", "1.0"), 0);
  EXPECT_EQ(compare_debian_versions("00:1.0", "1.0"), 0);
  EXPECT_EQ(compare_debian_versions("+1:1.0", "01:1.0"), 0);
  EXPECT_EQ(compare_debian_versions("-0:1.0", "1.0"), 0);
  EXPECT_LT(compare_debian_versions("9:1.0", "10:1.0"), 0);
  EXPECT_GT(compare_debian_versions("1:1:2", "1:1"), 0);
}

TEST(DebianVersions, TheRevisionBeginsAtTheLastHyphen) {
  EXPECT_GT(compare_debian_versions("1-2-3", "1-3"), 0);
}

TEST(DebianVersions, AnEmptyVersionIsOlderThanAnyOther) {
  EXPECT_EQ(compare_debian_versions("", " "), 0);
  EXPECT_LT(compare_debian_versions("", "0"), 0);
  EXPECT_LT(compare_debian_versions("", "~"), 0);
  EXPECT_GT(compare_debian_versions("~", ""), 0);
}

TEST(DebianVersions, BlanksAroundAVersionDoNotCount) {
  EXPECT_EQ(compare_debian_versions(" \t1.0 ", "1.0"), 0);
}

TEST(DebianVersions, NumbersOfAnyLengthAreCompared) {
  const std::string nines(5000, '9');
  EXPECT_LT(compare_debian_versions("1." + nines, "1.1" + nines), 0);
  EXPECT_GT(compare_debian_versions("1." + nines, "1.1"), 0);
  EXPECT_EQ(compare_debian_versions("1.000" + nines, "1." + nines), 0);
}

TEST(DebianVersions, BytesThatAreNotAsciiSortBetweenLettersAndOtherCharacters) {
  EXPECT_LT(compare_debian_versions("1\xC3\xA9", "1+"), 0);
  EXPECT_GT(compare_debian_versions("1\xC3\xA9", "1z"), 0);
}

TEST(DebianVersions, LettersSortBeforeOtherCharacters) {
  EXPECT_LT(compare_debian_versions("1.0a", "1.0+"), 0);
  EXPECT_LT(compare_debian_versions("2.5.136+gcu", "2.5.136+gcu1"), 0);
}

}  // namespace
}  // namespace topsctl
