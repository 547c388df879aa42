// Names of levels and kinds of checks, there and back.
#include "topsctl/model/check_rule.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(CheckRules, HaveRungsByName) {
  EXPECT_EQ(name(CheckLevel::perf), "perf");
  for (const std::string& each : level_names()) EXPECT_EQ(name(*level_named(each)), each);
  EXPECT_FALSE(level_named("roof"));
}

TEST(CheckRules, HaveKindsByName) {
  EXPECT_EQ(name(CheckKind::perf_tool), "perf_tool");
  EXPECT_EQ(name(CheckKind::driver), "driver");
  for (const std::string& each : check_kind_names()) EXPECT_EQ(name(*check_kind_named(each)), each);
  EXPECT_FALSE(check_kind_named("guess"));
}

}  // namespace
}  // namespace topsctl
