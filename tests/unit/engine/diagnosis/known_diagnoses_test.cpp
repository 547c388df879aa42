// An operator's diagnoses join those that are built in, and bad ones are told with their file.
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/log_matcher.hpp"

namespace topsctl {
namespace {

std::string record(const std::string& id, const std::string& pattern,
                   const std::string& match = "our own fault 7",
                   const std::string& no_match = "our own") {
  return format(R"({{"diagnoses": [{{"id": "{}", "severity": "error", "title": "ours",
      "title_zh": "ours", "cause": "c.", "cause_zh": "c.", "remedy": {{"text": "r.",
      "text_zh": "r.", "command": null, "risk": "none"}}, "look_for": {{"log": ["{}"]}},
      "example_match": ["{}"], "example_no_match": ["{}"]}}]}})",
                id, pattern, match, no_match);
}

// How a folder with that file is refused.
std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  folder.write("ours.json", text);
  const Error error = thrown_by([&] { known_diagnoses("eccl", folder.path()); });
  EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.message();
  EXPECT_NE(error.message().find("ours.json"), std::string::npos) << error.message();
  EXPECT_FALSE(error.hint().empty());
  return error.message();
}

bool tells(const std::string& message, const std::string& words) {
  return message.find(words) != std::string::npos;
}

TEST(KnownDiagnoses, are_read_up_to_a_size_of_all_files_together) {
  const TemporaryFolder folder;
  const std::string much = record("ours", "our own fault") + std::string(3 << 20U, ' ');
  folder.write("a.json", much);
  folder.write("b.json", much);
  const Error error = thrown_by([&] { known_diagnoses("eccl", folder.path()); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_TRUE(tells(error.message(), "b.json")) << error.message();
}

TEST(KnownDiagnoses, are_the_built_in_ones_where_there_is_no_folder) {
  const TemporaryFolder folder;
  EXPECT_EQ(known_diagnoses("eccl", folder.path() / "none").diagnoses,
            for_backend(built_in_diagnoses(), "eccl").diagnoses);
}

TEST(KnownDiagnoses, have_the_operators_beside_and_instead) {
  const TemporaryFolder folder;
  folder.write("10-ours.json", record("our-fault", "our own fault \\\\d"));
  folder.write("20-theirs.json", record("disk-full", "our own fault \\\\d"));
  folder.write("README", "no json");
  const DiagnosisCatalogue known = known_diagnoses("eccl", folder.path());
  EXPECT_EQ(known.diagnoses.size(), for_backend(built_in_diagnoses(), "eccl").diagnoses.size() + 1);
  EXPECT_EQ(known.find("disk-full")->finding.title, "ours");
  EXPECT_EQ(LogMatcher(known).meaning("our own fault 7").diagnoses.size(), 2U);
}

TEST(KnownDiagnoses, have_names_that_do_not_multiply_without_end) {
  std::string names = R"({"names": {"a": "abcd")";
  for (char each = 'b'; each <= 'z'; ++each) {
    names += format(R"(, "{}": ")", std::string(1, each));
    for (int i = 0; i < 10; ++i)
      names += format("{{{}}}", std::string(1, static_cast<char>(each - 1)));
    names += '"';
  }
  const std::string text = names + "}, " + record("x", "our own {z}").substr(1);
  EXPECT_TRUE(tells(refusal(text), "more than 16384 bytes"));
}

TEST(KnownDiagnoses, are_refused_with_what_is_wrong) {
  EXPECT_TRUE(tells(refusal("{"), "invalid JSON"));
  EXPECT_TRUE(tells(refusal(R"({"diagnosis": []})"), "did you mean 'diagnoses'"));
  EXPECT_TRUE(tells(refusal(record("x", "fault (")), "fault ("));
  EXPECT_TRUE(tells(refusal(record("x", ".*")), "text of 4 characters"));
  EXPECT_TRUE(tells(refusal(record("x", "another fault")), "does not match its example"));
  EXPECT_TRUE(tells(refusal(record("x", "our own")), "matches its counter-example"));
  std::string unknown = record("x", "our own fault");
  unknown.replace(unknown.find("\"look_for\""), 0, R"("explains": ["nothing-such"], )");
  EXPECT_TRUE(tells(refusal(unknown), "nothing-such"));
}

}  // namespace
}  // namespace topsctl
