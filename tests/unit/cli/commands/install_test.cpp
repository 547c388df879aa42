// Options of install that are refused before anything is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/whole_program.hpp"

namespace topsctl {
namespace {

TEST(InstallOptions, HaveOneWayOnlyToAllowADowngrade) {
  const ProgramResult result = run_topsctl({"install", "x", "--accept", "package-downgrade"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, testing::HasSubstr("has its own option: --allow-downgrade"));
  EXPECT_EQ(run_topsctl({"install", "/no/such", "--allow-downgrade"}).status, 3);
}

}  // namespace
}  // namespace topsctl
