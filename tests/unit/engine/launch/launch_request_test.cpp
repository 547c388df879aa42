// A job as JSON and back.
#include "topsctl/engine/launch/launch_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

LaunchRequest read_request(const Json& job) {
  return launch_request_in(JsonReader(job, "job"));
}

std::string refusal_of(const std::string& text) {
  try {
    read_request(parse_json(text, "job"));
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

TEST(LaunchRequests, ComeBackAsTheyWere) {
  LaunchRequest request;
  request.words = {"train.py", "--lr", ""};
  request.ranks = 4;
  request.cards = "0,1,2,3";
  request.level = "none";
  request.accepted = {"x"};
  request.settings = {"safe", {"A=1"}, {"B"}, true, "build/lib"};
  request.log_folder = "logs";
  request.master_port = 29500;
  request.restart = {3, {"disk-full"}, 60, "work", "--resume {checkpoint}", 2};
  request.stall_minutes = "0.5";
  request.on_stall = "restart";
  request.shim = "always";
  EXPECT_EQ(read_request(to_json(request)), request);
  LaunchRequest least;
  least.words = {"train.py"};
  EXPECT_EQ(read_request(to_json(least)), least);
  EXPECT_EQ(read_request(Json{{"words", {"train.py"}}}), least);
}

TEST(LaunchRequests, AreRefusedByName) {
  EXPECT_THAT(refusal_of("{}"), HasSubstr("words"));
  EXPECT_THAT(refusal_of(R"({"words": []})"), HasSubstr("a script is missing"));
  EXPECT_THAT(refusal_of(R"({"words": ["a"], "nprocs": 1})"), HasSubstr("nproc"));
  EXPECT_THAT(refusal_of(R"({"words": ["a"], "on_stall": "wait"})"), HasSubstr("on_stall"));
  EXPECT_THAT(refusal_of(R"({"words": ["a"], "shim": "often"})"), HasSubstr("shim"));
  EXPECT_THAT(refusal_of(R"({"words": ["a"], "master_port": 70000})"), HasSubstr("master_port"));
}

TEST(LaunchRequests, HaveMinutesAsDecimalNumbers) {
  LaunchRequest request;
  EXPECT_EQ(stall_ms(request), 900'000);
  request.stall_minutes = "0.5";
  EXPECT_EQ(stall_ms(request), 30'000);
  for (const char* wrong : {"", "x", "1 h", "-1", "nan", "inf", "1e9"}) {
    request.stall_minutes = wrong;
    EXPECT_THROW(stall_ms(request), Error) << wrong;
  }
}

}  // namespace
}  // namespace topsctl
