// Options of a transfer that cannot be together, and what is warned of after it.
#include "cli/targets/transfer_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown.hpp"

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

TEST(PortsBesideSsh, AreOfNoUseWhereNoneMayBeOpened) {
  TransferOptions options;
  options.direct_ports = "40000-40010";
  EXPECT_NO_THROW(require_sound(options));
  options.direct = "never";
  EXPECT_EQ(thrown_by([&] { require_sound(options); }).code(), ErrorCode::usage);
  options.direct_ports.clear();
  EXPECT_NO_THROW(require_sound(options));
}

}  // namespace
}  // namespace topsctl
