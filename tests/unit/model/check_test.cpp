// The JSON form of check results.
#include "topsctl/model/check.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace topsctl {
namespace {

TEST(CheckResultJson, HasEveryFieldAndNullForNoHint) {
  CheckResult result;
  EXPECT_EQ(to_json(result).dump(),
            R"({"id":"","rung":"files","status":"unknown","observed":"","expected":"",)"
            R"("hint":null,"output":null,"duration_ms":0})");
  result.hint = "do this";
  EXPECT_EQ(to_json(result)["hint"], "do this");
}

TEST(CheckStatusNames, AreThoseOfTheInterface) {
  EXPECT_EQ(name(CheckStatus::pass), "pass");
  EXPECT_EQ(name(CheckStatus::warn), "warn");
  EXPECT_EQ(name(CheckStatus::fail), "fail");
  EXPECT_EQ(name(CheckStatus::skipped), "skipped");
  EXPECT_EQ(name(CheckStatus::unknown), "unknown");
}

}  // namespace
}  // namespace topsctl
