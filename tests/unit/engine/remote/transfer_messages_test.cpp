// The words of transfers, and what neither end believes.
#include "topsctl/engine/remote/transfer_messages.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/thrown.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {
namespace {

TransferManifest manifest() {
  TransferManifest manifest;
  manifest.destination = "/tmp/dest";
  manifest.objects = {{std::string(64, 'a'), 5}, {std::string(64, 'b'), chunk_bytes + 1}};
  manifest.files = {{"a.deb", 0}, {"debs/b.deb", 1}, {"c.deb", 0}};
  return manifest;
}

TEST(Manifests, ComeBackAsTheyWere) {
  EXPECT_EQ(parse_manifest_frame(to_line(manifest_json(manifest()))), manifest());
  TransferManifest join;
  join.store = "/var/store";
  join.objects = manifest().objects;
  EXPECT_EQ(parse_join_frame(to_line(join_json(join))), join);
}

TEST(Manifests, ThatLeadElsewhereAreRefused) {
  const auto refused = [](const TransferManifest& bad) {
    return thrown_by([&] { parse_manifest_frame(to_line(manifest_json(bad))); }).code();
  };
  for (const char* name : {"../a", "/etc/passwd", "a/../../b", "a\nb"}) {
    TransferManifest bad = manifest();
    bad.files[0].name = name;
    EXPECT_EQ(refused(bad), ErrorCode::bad_bundle) << name;
  }
  TransferManifest bad = manifest();
  bad.objects[0].id = "../../x";
  EXPECT_EQ(refused(bad), ErrorCode::bad_bundle);
  bad = manifest();
  bad.files[0].object = 2;
  EXPECT_EQ(refused(bad), ErrorCode::bad_bundle);
  bad = manifest();
  bad.destination = "relative";
  EXPECT_EQ(refused(bad), ErrorCode::bad_bundle);
}

Json state() {
  return {{"store", "/var/store"},
          {"free_bytes", 1},
          {"objects",
           {{{"complete", true}, {"digests", Json::array()}},
            {{"complete", false}, {"digests", {nullptr, std::string(64, 'c')}}}}}};
}

TEST(States, TellWhatIsThere) {
  const RemoteState read = parse_state(to_line(state()), manifest().objects);
  ASSERT_EQ(read.objects.size(), 2U);
  EXPECT_TRUE(read.objects[0].complete);
  EXPECT_FALSE(read.objects[1].digests[0]);
  EXPECT_EQ(read.objects[1].digests[1], bytes_of_hex(std::string(64, 'c')));
}

TEST(States, OfSomethingElseAreRefused) {
  std::vector<Json> bad(5, state());
  bad[0]["objects"].erase(1);
  bad[1]["objects"][1]["digests"].push_back(nullptr);
  bad[2]["objects"][1]["digests"][0] = "ab";
  bad[3]["store"] = "relative";
  bad[4]["free_bytes"] = -1;
  for (const Json& each : bad) {
    EXPECT_EQ(thrown_by([&] { parse_state(to_line(each), manifest().objects); }).code(),
              ErrorCode::unreachable)
        << each;
  }
}

TEST(Failures, ComeBackAsTheErrorsTheyAre) {
  const Error error(ErrorCode::no_space, "no room\nat all", "make some", {"there"});
  const Error read = parse_failure(to_line(to_json(error)));
  EXPECT_EQ(read.code(), error.code());
  EXPECT_EQ(read.message(), "no room\n  at all");  // no line that could pass for ours
  EXPECT_EQ(read.hint(), error.hint());
  EXPECT_EQ(read.context(), error.context());
}

TEST(Failures, AreNoLongerThanAScreen) {
  const Error error(ErrorCode::no_space, std::string(1 << 20, 'x'));
  EXPECT_LT(parse_failure(to_line(to_json(error))).message().size(), 5000U);
  const std::string key(1 << 20, 'k');
  EXPECT_LT(parse_failure(to_line(Json{{key, 1}})).message().size(), 500U);
}

TEST(Failures, ThatAreNonsenseAreErrorsOfTheFarEnd) {
  for (const char* text : {"", "{}", "{\"code\": \"fine\", \"message\": \"\", \"context\": []}"})
    EXPECT_EQ(parse_failure(text).code(), ErrorCode::unreachable);
}

TEST(Failures, CannotWriteToTheTerminal) {
  Json json = to_json(Error(ErrorCode::no_space, "x", "y"));
  json["message"] = "\x1b[2Jcleared";
  EXPECT_EQ(parse_failure(to_line(json)).message().find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace topsctl
