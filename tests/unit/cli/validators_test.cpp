// Sizes as options have them.
#include "cli/validators.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(SizeInBytes, TakesUnitsOf1024) {
  EXPECT_EQ(size_in_bytes("0"), 0U);
  EXPECT_EQ(size_in_bytes("4096"), 4096U);
  EXPECT_EQ(size_in_bytes("12 B"), 12U);
  EXPECT_EQ(size_in_bytes("3k"), 3072U);
  EXPECT_EQ(size_in_bytes("512 MiB"), 512ULL << 20U);
  EXPECT_EQ(size_in_bytes("2G"), 2ULL << 30U);
  EXPECT_EQ(size_in_bytes("1T"), 1ULL << 40U);
}

TEST(SizeInBytes, RefusesWhatIsNoneOrTooLarge) {
  for (const char* text :
       {"", "G", "-1", "1.5G", "2GB", "2x", "2G2", "1e9", "18446744073709551616"})
    EXPECT_EQ(size_in_bytes(text), std::nullopt) << text;
  EXPECT_EQ(size_in_bytes("16777215T"), 16777215ULL << 40U);
  EXPECT_EQ(size_in_bytes("16777216T"), std::nullopt) << "more than 64 bits have";
}

}  // namespace
}  // namespace topsctl
