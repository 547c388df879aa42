// Every record of the built-in diagnoses says what it must, and finds what it says.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/log_matcher.hpp"
#include "topsctl/model/catalogue/diagnosis.hpp"
#include "topsctl/model/catalogue/rewrite.hpp"

namespace topsctl {
namespace {

bool has_chinese(const std::string& text) {
  // Bytes of U+4E00 to U+9FFF in UTF-8.
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0xe4 && byte <= 0xe9;
  });
}

bool finds(const LogMatcher& matcher, const Diagnosis& diagnosis, const std::string& unit) {
  const auto meaning = matcher.meaning(unit);
  return std::find(meaning.diagnoses.begin(), meaning.diagnoses.end(), &diagnosis) !=
         meaning.diagnoses.end();
}

TEST(DiagnosisCatalogues, every_record_has_its_texts_in_both_languages) {
  for (const Diagnosis& each : built_in_diagnoses().diagnoses) {
    SCOPED_TRACE(each.finding.id);
    EXPECT_TRUE(has_chinese(each.chinese.title));
    EXPECT_TRUE(has_chinese(each.chinese.cause));
    EXPECT_TRUE(has_chinese(each.chinese.remedy));
    EXPECT_FALSE(has_chinese(each.finding.title + each.finding.cause + each.finding.remedy.text));
    EXPECT_FALSE(each.finding.title.ends_with('.'));
    EXPECT_TRUE(each.finding.cause.ends_with('.'));
    EXPECT_TRUE(each.finding.remedy.text.ends_with('.'));
    EXPECT_FALSE(each.example_match.empty());
    EXPECT_FALSE(each.example_no_match.empty());
  }
}

TEST(DiagnosisCatalogues, have_what_the_field_guides_ask_for) {
  EXPECT_GE(built_in_diagnoses().diagnoses.size(), 60U);
}

TEST(DiagnosisCatalogues, name_rewrites_that_are_there) {
  std::set<std::string> rewrites;
  for (const Rewrite& each : built_in_rewrites()) rewrites.insert(each.id);
  std::set<std::string> diagnoses;
  for (const Diagnosis& each : built_in_diagnoses().diagnoses) {
    diagnoses.insert(each.finding.id);
    for (const std::string& id : each.source)
      EXPECT_TRUE(rewrites.contains(id)) << each.finding.id << ": " << id;
  }
  for (const std::string& id : rewrites) EXPECT_TRUE(diagnoses.contains(id)) << id;
}

TEST(DiagnosisCatalogues, compare_a_signal_in_one_way) {
  const auto conditions_of = [](const std::string& condition) {
    DiagnosisCatalogue catalogue;
    add_diagnoses(catalogue,
                  format(R"({{"diagnoses": [{{"id": "x", "severity": "error", "title": "t",
                         "title_zh": "t", "cause": "c", "cause_zh": "c", "remedy": {{"text": "r",
                         "text_zh": "r", "command": null, "risk": "none"}}, "look_for":
                         {{"machine": [{}]}}, "example_match": [], "example_no_match": []}}]}})",
                         condition),
                  "the test's record");
    return catalogue.diagnoses.at(0).machine;
  };
  const auto differs = conditions_of(R"({"signal": "driver", "differs": "{tool}"})");
  ASSERT_EQ(differs.size(), 1U);
  EXPECT_EQ(differs[0].comparison, SignalCondition::Comparison::differs);
  EXPECT_EQ(differs[0].value, "{tool}");
  EXPECT_THROW(conditions_of(R"({"signal": "x", "below": "1", "above": "2"})"), Error);
}

TEST(DiagnosisCatalogues, every_record_finds_its_examples_and_no_counter_example) {
  for (const char* backend : {"eccl", "nccl"}) {
    const DiagnosisCatalogue catalogue = for_backend(built_in_diagnoses(), backend);
    const LogMatcher matcher(catalogue);
    for (const Diagnosis& each : catalogue.diagnoses) {
      if (each.log.empty()) continue;
      SCOPED_TRACE(each.finding.id);
      for (const std::string& example : each.example_match) {
        EXPECT_TRUE(finds(matcher, each, example)) << example;
        EXPECT_NE(matcher.next(example, 0, LogMatcher::Progress::ignored, {}), std::string::npos)
            << "passed over: " << example;
      }
      for (const std::string& example : each.example_no_match)
        EXPECT_FALSE(finds(matcher, each, example)) << example;
    }
  }
}

TEST(DiagnosisCatalogues, have_one_record_of_an_id_for_a_backend) {
  for (const char* backend : {"eccl", "nccl", "another"}) {
    std::set<std::string> ids;
    for (const Diagnosis& each : for_backend(built_in_diagnoses(), backend).diagnoses) {
      EXPECT_TRUE(ids.insert(each.finding.id).second) << backend << " " << each.finding.id;
      EXPECT_TRUE(each.backend.empty() || each.backend == backend) << each.finding.id;
    }
  }
}

// An NVIDIA card is a sound choice.
TEST(DiagnosisCatalogues, tell_nobody_with_nvidia_cards_to_leave_cuda) {
  const RE2 foreign("(?i)torch_gcu|eccl|TOPS_|efsmi|/dev/gcu|TopsRider");
  for (const Diagnosis& each : for_backend(built_in_diagnoses(), "nccl").diagnoses) {
    const FindingTexts& chinese = each.chinese;
    for (const std::string& text :
         {each.finding.title, each.finding.cause, each.finding.remedy.text,
          each.finding.remedy.command, chinese.title, chinese.cause, chinese.remedy})
      EXPECT_FALSE(RE2::PartialMatch(text, foreign)) << each.finding.id << ": " << text;
  }
}

TEST(DiagnosisCatalogues, take_a_record_without_backend_in_place_of_all_of_its_id) {
  DiagnosisCatalogue catalogue = built_in_diagnoses();
  const auto add_record = [&](const std::string& backend) {
    DiagnosisCatalogue own;
    add_diagnoses(
        own,
        format(R"({{"diagnoses": [{{"id": "card-fault", {}"severity": "error", "title": "ours",
                     "title_zh": "t", "cause": "c", "cause_zh": "c", "remedy": {{"text": "r",
                     "text_zh": "r", "command": null, "risk": "none"}}, "look_for":
                     {{"log": ["fault"]}}, "example_match": [], "example_no_match": []}}]}})",
               backend),
        "the test's record");
    add_diagnoses(catalogue, std::move(own));
  };
  const auto title_for = [&](const char* backend) {
    return for_backend(catalogue, backend).find("card-fault")->finding.title;
  };
  add_record(R"("backend": "nccl", )");
  EXPECT_EQ(title_for("nccl"), "ours");
  EXPECT_NE(title_for("eccl"), "ours");
  add_record("");
  EXPECT_EQ(title_for("nccl"), "ours");
  EXPECT_EQ(title_for("eccl"), "ours");
}

}  // namespace
}  // namespace topsctl
