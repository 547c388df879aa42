// The words of runs at the far end, and what neither end believes.
#include "topsctl/engine/remote/run_messages.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

RemoteRunRequest request() {
  return {std::string(32, 'a'), {"install", "/tmp/a b.deb"}, RunAs::root, 12};
}

TEST(RunFrames, ComeBackAsTheyWere) {
  EXPECT_EQ(parse_run_frame(to_line(to_json(request()))), request());
  RemoteRunRequest plain = request();
  plain.run_as = RunAs::login;
  EXPECT_EQ(parse_run_frame(to_line(to_json(plain))), plain);
  RemoteRunRequest elsewhere = request();
  elsewhere.directory = "/srv/training";
  elsewhere.job = "{\"words\": [\"train.py\"]}";
  elsewhere.reading = "00ff";
  elsewhere.has_begun = true;
  EXPECT_EQ(parse_run_frame(to_line(to_json(elsewhere))), elsewhere);
  for (const char* signature : {"", "-----BEGIN\n"}) {
    RemoteRunRequest locked = request();
    locked.lock = SentFile{"{\"a\": \"\xc3\xa9\"}\n", signature};
    locked.stack = SentFile{"{\"name\": \"own\"}\n", signature};
    EXPECT_EQ(parse_run_frame(to_line(to_json(locked))), locked);
  }
}

TEST(RunFrames, HaveAnIdThatIsSafeAsAName) {
  for (const char* id : {"", "../../etc", "ABCDEFABCDEFABCDEFABCDEFABCDEFAB", "aa"}) {
    RemoteRunRequest bad = request();
    bad.id = id;
    EXPECT_EQ(thrown_by([&] { parse_run_frame(to_line(to_json(bad))); }).code(), ErrorCode::usage);
  }
}

TEST(RunFrames, AreStartedInAnAbsolutePlace) {
  for (const char* directory : {"", "training", "../training"}) {
    RemoteRunRequest bad = request();
    bad.directory = directory;
    EXPECT_EQ(thrown_by([&] { parse_run_frame(to_line(to_json(bad))); }).code(), ErrorCode::usage);
  }
}

TEST(RunFrames, WithMoreInThemAreRefused) {
  Json json = to_json(request());
  json["more"] = 1;
  EXPECT_EQ(thrown_by([&] { parse_run_frame(to_line(json)); }).code(), ErrorCode::usage);
}

TEST(EndsOfRuns, ComeBackAsTheyWere) {
  const RemoteRunEnd end{8, "{}", "last words\n"};
  EXPECT_EQ(parse_run_end(to_line(to_json(end))), end);
  EXPECT_EQ(parse_run_end(to_line(to_json(RemoteRunEnd{}))), RemoteRunEnd{});
}

TEST(EndsOfRuns, AreRefusedWhenTheyAreNone) {
  for (const char* text :
       {"", "{", "[]", "{\"status\": 999, \"report\": null, \"last_words\": null}",
        "{\"status\": 0, \"report\": 5, \"last_words\": null}"})
    EXPECT_EQ(thrown_by([&] { parse_run_end(text); }).code(), ErrorCode::unreachable) << text;
}

}  // namespace
}  // namespace topsctl
