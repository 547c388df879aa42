// Mixtures of sound logs with one line: an error that ended the job is never healthy, words of an
// error in data raise no alarm. TOPSCTL_MIXTURES says how many; each has the same seed every time.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "engine/diagnosis/log_reader.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/verdict.hpp"

namespace topsctl {
namespace {

constexpr int usual_mixtures = 400;

const DiagnosisCatalogue& eccl_catalogue() {
  static const DiagnosisCatalogue made = for_backend(built_in_diagnoses(), "eccl");
  return made;
}

Judgement judge_text(const std::string& text) {
  static const LogMatcher matcher(eccl_catalogue());
  LogTimeline story;
  LogMatcher::Effort effort = LogMatcher::Effort::unlimited();
  LogReader reader(matcher, effort, story, "train.log", std::nullopt, 0);
  reader.take(text);
  reader.end();
  return judge_logs(eccl_catalogue(), story, std::nullopt, Language::english);
}

// Single lines, each an error that a program prints.
std::vector<std::string> error_lines() {
  std::vector<std::string> lines;
  for (const Diagnosis& each : eccl_catalogue().diagnoses) {
    if (each.finding.severity < Severity::error || each.log.empty()) continue;
    for (const std::string& example : each.example_match) {
      const bool is_line = example.find('\n') == std::string::npos;
      const bool is_labelled = example.starts_with('[') || example.starts_with(' ');
      if (is_line && !is_labelled) lines.push_back(example);
    }
  }
  return lines;
}

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t most) {
  return std::uniform_int_distribution<std::size_t>(0, most - 1)(random);
}

std::vector<std::string> sound_log(Random& random, const std::string& label) {
  static const std::vector<std::string> forms = {
      "2025-09-21 10:00:{} - train - INFO - step {} loss 0.5",
      "epoch {} step {}: loss=1.25, lr=0.001",
      "saved checkpoint out/epoch_{}_{}.pth",
      "Epoch(train) [{}][{}/200]  lr: 1.0e-03  loss: 1.6479",
      "loaded {} samples in {} shards",
      "{} of {} errors corrected, 0 failed",
  };
  std::vector<std::string> lines;
  const std::size_t count = 3 + below(random, 30);
  for (std::size_t i = 0; i < count; ++i) {
    std::string line = forms[below(random, forms.size())];
    for (std::size_t at = line.find("{}"); at != std::string::npos; at = line.find("{}"))
      line.replace(at, 2, std::to_string(10 + below(random, 49)));
    lines.push_back(label + line);
  }
  return lines;
}

// A line that says the words as data; empty where they cannot be quoted so.
std::string as_data(Random& random, const std::string& words) {
  const bool has_mark = words.find_first_of("'\"\\") != std::string::npos;
  switch (below(random, 7)) {
    case 0:
      return has_mark ? "" : concat("sample 3 text='", words, "' label=2");
    case 1:
      return has_mark ? "" : concat("{\"id\": 4, \"caption\": \"", words, "\", \"score\": 0.5}");
    case 2:
      return concat("| ", words, " | 0.91 | 95 |");
    case 3:
      return concat("prompt: ", words);
    case 4:
      return concat("tests/test_errors.py::test_told[", words, "] PASSED");
    case 5:
      return concat("  description ..................... ", words);
    default:
      return has_mark ? "" : concat("Namespace(note='", words, "', seed=3)");
  }
}

std::string text_of(const std::vector<std::string>& lines, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += concat(lines[i], "\n");
  return text;
}

TEST(VerdictMixtures, an_error_that_ended_the_job_is_not_healthy_and_data_are_no_error) {
  const char* const wanted = std::getenv("TOPSCTL_MIXTURES");
  const int mixtures = wanted == nullptr ? usual_mixtures : std::atoi(wanted);
  const std::vector<std::string> errors = error_lines();
  ASSERT_GT(errors.size(), 100U);
  static const std::vector<std::string> labels = {"", "[rank2]: ", "3: ", "[default1]:"};
  constexpr unsigned seed = 20250921;
  Random random(seed);
  int as_errors = 0;
  for (int i = 0; i < mixtures; ++i) {
    const std::string& error = errors[below(random, errors.size())];
    const std::string& label = labels[below(random, labels.size())];
    std::vector<std::string> lines = sound_log(random, label);
    const std::size_t place = below(random, lines.size() + 1);
    if (i % 2 == 0) {
      const Judgement judgement = judge_text(text_of(lines, place) + label + error + "\n");
      ASSERT_NE(judgement.verdict, JobVerdict::healthy) << label << error;
      ASSERT_TRUE(judgement.has_failed) << label << error;
      ++as_errors;
      continue;
    }
    const std::string data = as_data(random, error);
    if (data.empty()) continue;
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place), label + data);
    const std::string text = text_of(lines, lines.size());
    for (const std::string& whole : {text, text_of(lines, place + 1)}) {
      const Judgement judgement = judge_text(whole);
      ASSERT_FALSE(judgement.has_failed) << data;
      ASSERT_EQ(judgement.verdict, JobVerdict::unknown) << data;
      for (const Judged& each : judgement.diagnoses)
        ASSERT_LT(each.finding.severity, Severity::error) << each.finding.id << ": " << data;
    }
    ASSERT_EQ(judge_text(text + "training finished\n").verdict, JobVerdict::healthy) << data;
  }
  EXPECT_GE(as_errors, mixtures / 2);
}

}  // namespace
}  // namespace topsctl
