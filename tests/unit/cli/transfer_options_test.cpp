// What is warned of after a transfer.
#include "cli/transfer_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

std::vector<std::string> warnings_for(std::int64_t offset_s) {
  Upload upload;
  upload.clock_offset_s = offset_s;
  std::vector<std::string> warnings;
  warn_of_clock(parse_target("root@node1"), upload, warnings);
  return warnings;
}

TEST(ClocksOfTargets, AreWarnedOfWhenTheyAreFarOff) {
  EXPECT_TRUE(warnings_for(300).empty());
  EXPECT_TRUE(warnings_for(-300).empty());
  EXPECT_THAT(warnings_for(301), testing::ElementsAre(testing::HasSubstr("'root@node1' is")));
  EXPECT_THAT(warnings_for(7200), testing::ElementsAre(testing::HasSubstr("ahead")));
  EXPECT_THAT(warnings_for(-7200), testing::ElementsAre(testing::HasSubstr("behind")));
}

}  // namespace
}  // namespace topsctl
