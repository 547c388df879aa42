// From the text of logs to the verdict.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/diagnosis/log_reader.hpp"
#include "support/temporary_folder.hpp"
#include "topsctl/engine/diagnosis/log_files.hpp"
#include "topsctl/engine/diagnosis/verdict.hpp"

namespace topsctl {
namespace {

constexpr std::string_view records = R"JSON({
  "signs": {
    "progress": ["loss: [0-9]"], "success": ["training finished"],
    "failure": ["slurmstepd: error"],
    "setback": ["failed \\(exitcode: [-0-9]+\\)", "ChildFailedError"],
    "restart": ["restarting worker group"]
  },
  "diagnoses": [
    {"id": "card-full", "severity": "error", "title": "t", "title_zh": "t", "cause": "c",
     "cause_zh": "c", "remedy": {"text": "r", "text_zh": "r", "command": null, "risk": "none"},
     "explains": ["peer-died"], "look_for": {"log": ["(?s)model\\.py.*out of card memory"]},
     "example_match": [], "example_no_match": []},
    {"id": "port-taken", "severity": "error", "title": "t", "title_zh": "t", "cause": "c",
     "cause_zh": "c", "remedy": {"text": "r", "text_zh": "r", "command": null, "risk": "none"},
     "look_for": {"log": ["Address already in use"]}, "unless": "\\[W socket",
     "example_match": [], "example_no_match": []},
    {"id": "peer-died", "severity": "error", "title": "t", "title_zh": "t", "cause": "c",
     "cause_zh": "c", "remedy": {"text": "r", "text_zh": "r", "command": null, "risk": "none"},
     "is_effect": true, "look_for": {"log": ["Connection closed by peer"]},
     "example_match": [], "example_no_match": []},
    {"id": "stalled", "severity": "error", "title": "t", "title_zh": "t", "cause": "c",
     "cause_zh": "c", "remedy": {"text": "r", "text_zh": "r", "command": null, "risk": "none"},
     "is_last_resort": true, "look_for": {"log": ["Timed out waiting"]},
     "example_match": [], "example_no_match": []},
    {"id": "stopped", "severity": "info", "title": "t", "title_zh": "t", "cause": "c",
     "cause_zh": "c", "remedy": {"text": "r", "text_zh": "r", "command": null, "risk": "none"},
     "look_for": {"log": ["stopped by hand"]}, "example_match": [], "example_no_match": []},
    {"id": "odd-launch", "severity": "warning", "title": "t", "title_zh": "t", "cause": "c",
     "cause_zh": "c", "remedy": {"text": "r", "text_zh": "r", "command": null, "risk": "none"},
     "look_for": {"log": ["standalone ignores the master"]},
     "example_match": [], "example_no_match": []}
  ]
})JSON";

const DiagnosisCatalogue& catalogue() {
  static const DiagnosisCatalogue made = [] {
    DiagnosisCatalogue catalogue;
    add_diagnoses(catalogue, records, "the test's records");
    return catalogue;
  }();
  return made;
}

LogTimeline story_of(std::string_view text, std::size_t piece = std::string_view::npos) {
  static const LogMatcher matcher(catalogue());
  LogTimeline story;
  LogMatcher::Effort effort;
  LogReader reader(matcher, effort, story, "train.log", std::nullopt, 0);
  for (std::size_t at = 0; at < text.size(); at += std::min(piece, text.size() - at))
    reader.take(text.substr(at, piece));
  reader.end();
  return story;
}

Judgement judged(std::string_view text, std::optional<int> status = std::nullopt) {
  return judge_logs(catalogue(), story_of(text), status, Language::english);
}

constexpr std::string_view full_card =
    "[rank1]: Traceback (most recent call last):\n"
    "[rank0]: RuntimeError: Connection closed by peer\n"
    "[rank1]:   File \"model.py\", line 3, in forward\n"
    "[rank1]:     return x @ y\n"
    "[rank1]: RuntimeError: out of card memory\n";

TEST(LogJudgements, a_traceback_is_judged_as_a_whole_though_other_ranks_write_between) {
  const Judgement judgement = judged(full_card);
  EXPECT_EQ(judgement.verdict, JobVerdict::problems);
  EXPECT_EQ(judgement.first_cause, "card-full");
  ASSERT_EQ(judgement.diagnoses.size(), 2U);
  EXPECT_EQ(judgement.diagnoses[0].rank, 1);
  EXPECT_EQ(judgement.diagnoses[0].finding.evidence[0].line, 5);
  EXPECT_EQ(judgement.diagnoses[1].explained_by, "card-full");
}

TEST(LogJudgements, do_not_depend_on_the_pieces_in_which_a_log_is_read) {
  const LogTimeline whole = story_of(full_card);
  for (const std::size_t piece : {1U, 2U, 7U, 64U}) EXPECT_EQ(story_of(full_card, piece), whole);
}

TEST(LogJudgements, an_effect_alone_leaves_the_failure_unknown) {
  const Judgement judgement = judged(
      "Traceback (most recent call last):\n  File \"x\"\nRuntimeError: Connection closed by "
      "peer\n");
  EXPECT_EQ(judgement.verdict, JobVerdict::unknown);
  EXPECT_EQ(judgement.first_cause, "");
  ASSERT_EQ(judgement.diagnoses.size(), 1U);
  ASSERT_TRUE(judgement.unexplained);
  EXPECT_NE(judgement.unexplained->text.find("File \"x\""), std::string::npos);
}

TEST(LogJudgements, a_warning_is_no_first_cause_of_a_failure) {
  const Judgement judgement = judged(
      "standalone ignores the master\nTraceback (most recent call last):\n  File \"x\"\nKeyError: "
      "'y'\n");
  EXPECT_EQ(judgement.verdict, JobVerdict::unknown);
  EXPECT_EQ(judgement.diagnoses.size(), 1U);
}

TEST(LogJudgements, the_earlier_of_two_causes_is_the_first_whatever_is_read_first) {
  const Judgement judgement = judged(
      "2025-09-21 10:00:05 rank 0\nAddress already in use\n"
      "2025-09-21 10:00:01 rank 1\nTraceback (most recent call last):\n  File \"model.py\"\n"
      "RuntimeError: out of card memory\n");
  EXPECT_EQ(judgement.first_cause, "card-full");
}

TEST(LogJudgements, a_time_without_a_year_is_not_compared_with_one_that_has_it) {
  const Judgement judgement = judged(
      "2025-09-21 10:00:01 rank 1\nTraceback (most recent call last):\n  File \"model.py\"\n"
      "RuntimeError: out of card memory\nE0921 10:00:05.000000 Address already in use\n");
  EXPECT_EQ(judgement.first_cause, "card-full");
}

TEST(LogJudgements, a_traceback_after_which_the_rank_works_is_no_failure) {
  constexpr std::string_view caught =
      "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"x\"\n[rank0]: OSError: y\n";
  EXPECT_FALSE(judged(std::string(caught) + "[rank0]: loss: 1\n").has_failed);
  EXPECT_EQ(judged(std::string(caught) + "[rank1]: loss: 1\n").verdict, JobVerdict::unknown);
  EXPECT_EQ(judged("[rank0]: loss: 1\n" + std::string(caught)).verdict, JobVerdict::unknown);
}

TEST(LogJudgements, what_python_ignores_is_no_failure) {
  EXPECT_FALSE(judged("Exception ignored in: <function x>\nTraceback (most recent call last):\n"
                      "  File \"x\"\nAttributeError: y\n")
                   .has_failed);
}

TEST(LogJudgements, a_good_end_outweighs_what_looked_bad_before) {
  EXPECT_EQ(judged("Traceback (most recent call last):\n  File \"x\"\nKeyError: 'y'\n"
                   "training finished\n")
                .verdict,
            JobVerdict::healthy);
}

constexpr std::string_view caught_full_card =
    "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"model.py\"\n"
    "[rank0]: RuntimeError: out of card memory\n[rank0]: loss: 1\n";

TEST(LogJudgements, an_error_that_a_rank_got_over_is_not_told) {
  const Judgement judgement = judged(caught_full_card);
  EXPECT_FALSE(judgement.has_failed);
  EXPECT_TRUE(judgement.diagnoses.empty());
  EXPECT_EQ(judged("standalone ignores the master\nloss: 1\n").diagnoses.size(), 1U);
}

TEST(LogJudgements, an_error_that_a_rank_got_over_is_no_cause_of_a_later_failure) {
  const Judgement judgement = judged(std::string(caught_full_card) +
                                     "[rank0]: Traceback (most recent call last):\n[rank0]:   File "
                                     "\"x\"\n[rank0]: KeyError: 'y'\n");
  EXPECT_EQ(judgement.verdict, JobVerdict::unknown);
  EXPECT_TRUE(judgement.diagnoses.empty());
  ASSERT_TRUE(judgement.unexplained);
  EXPECT_NE(judgement.unexplained->text.find("KeyError"), std::string::npos);
}

TEST(LogJudgements, where_lines_have_no_label_the_rank_that_works_may_be_another) {
  const std::string log =
      "Traceback (most recent call last):\n  File \"model.py\"\nRuntimeError: out of card memory\n"
      "loss: 1\n";
  EXPECT_FALSE(judged(log).has_failed);
  EXPECT_EQ(judged(log + "slurmstepd: error\n").first_cause, "card-full");
}

TEST(LogJudgements, a_setback_is_over_as_soon_as_any_rank_works) {
  const std::string failed = "api:failed (exitcode: -9) local_rank: 1\n";
  EXPECT_EQ(judged(failed).verdict, JobVerdict::unknown);
  EXPECT_FALSE(judged(failed + "[rank1]: loss: 1\n").has_failed);
  EXPECT_EQ(judged("slurmstepd: error\n[rank1]: loss: 1\n").verdict, JobVerdict::unknown);
}

TEST(LogJudgements, a_wait_in_vain_is_the_cause_only_where_nothing_else_went_wrong) {
  const std::string waited =
      "Traceback (most recent call last):\n  File \"x\"\nRuntimeError: Timed out waiting\n";
  EXPECT_EQ(judged(waited).first_cause, "stalled");
  EXPECT_EQ(judged(waited + std::string(full_card)).first_cause, "card-full");
  const Judgement judgement =
      judged(waited + "Traceback (most recent call last):\n  File \"y\"\nKeyError: 'z'\n");
  EXPECT_EQ(judgement.verdict, JobVerdict::unknown);
  ASSERT_TRUE(judgement.unexplained);
  EXPECT_NE(judgement.unexplained->text.find("KeyError"), std::string::npos);
}

TEST(LogJudgements, words_of_progress_in_a_traceback_are_none) {
  EXPECT_EQ(judged("Traceback (most recent call last):\n  File \"x\"\nKeyError: 'y'\n\n"
                   "During handling of the above exception, another exception occurred:\n\n"
                   "Traceback (most recent call last):\n  File \"x\"\nOSError: loss: 1\n")
                .verdict,
            JobVerdict::unknown);
}

TEST(LogJudgements, what_logging_could_not_write_is_no_failure) {
  EXPECT_FALSE(judged("--- Logging error ---\nTraceback (most recent call last):\n"
                      "  File \"x\"\nTypeError: y\n")
                   .has_failed);
}

TEST(LogJudgements, two_headings_in_a_row_are_two_ranks_and_one_traceback) {
  const LogTimeline story = story_of(
      "Traceback (most recent call last):\nTraceback (most recent call last):\n  File \"x\"\n"
      "KeyError: 'y'\n");
  EXPECT_EQ(story.tracebacks.size(), 1U);
}

TEST(LogJudgements, the_list_of_failures_is_of_the_last_attempt) {
  LogTimeline story = story_of(
      "Traceback (most recent call last):\n  File \"x\"\nerrors.ChildFailedError: \n"
      "Root Cause (first observed failure):\n  rank      : 1 (local_rank: 1)\n"
      "  exitcode  : -9 (pid: 12)\n=====\n");
  story.attempts = 1;
  EXPECT_EQ(judge_logs(catalogue(), story, std::nullopt, Language::english).verdict,
            JobVerdict::unknown);
}

TEST(LogJudgements, only_the_last_attempt_counts) {
  const std::string failed =
      "Traceback (most recent call last):\n  File \"model.py\"\n"
      "RuntimeError: out of card memory\n";
  EXPECT_FALSE(judged(failed + "restarting worker group\nloss: 1\n").has_failed);
  EXPECT_EQ(judged("restarting worker group\n" + failed).first_cause, "card-full");
}

TEST(LogJudgements, what_ended_an_earlier_attempt_is_not_the_cause) {
  EXPECT_EQ(judged("stopped by hand\nslurmstepd: error\n").first_cause, "stopped");
  EXPECT_EQ(judged("stopped by hand\nrestarting worker group\nslurmstepd: error\n").verdict,
            JobVerdict::unknown);
}

TEST(LogJudgements, the_status_of_the_job_outweighs_its_logs) {
  EXPECT_EQ(judged(full_card, 0).verdict, JobVerdict::healthy);
  EXPECT_EQ(judged("loss: 1\n", 1).verdict, JobVerdict::unknown);
}

TEST(LogJudgements, a_line_that_does_not_count_is_passed_over) {
  EXPECT_TRUE(judged("[W socket.cpp] Address already in use\n").diagnoses.empty());
}

TEST(LogJudgements, the_list_of_torchrun_tells_which_rank_ended_how) {
  const Judgement judgement = judged(
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
      "Traceback (most recent call last):\n  File \"x\"\n"
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
      "Root Cause (first observed failure):\n[0]:\n  time      : 2025-09-21_10:00:00\n"
      "  rank      : 3 (local_rank: 3)\n  exitcode  : -9 (pid: 12)\n");
  ASSERT_EQ(judgement.ranks.size(), 1U);
  EXPECT_EQ(judgement.ranks[0].rank, 3);
  EXPECT_EQ(judgement.ranks[0].status, -9);
  EXPECT_EQ(judgement.verdict, JobVerdict::unknown);
}

TEST(LogJudgements, the_time_of_an_earlier_piece_counts) {
  const std::string text = "2025-09-21 10:00:02 - INFO - begins\nx\nAddress already in use\n" +
                           std::string(5000, 'y') + "\nAddress already in use\n";
  const LogTimeline whole = story_of(text);
  ASSERT_EQ(whole.sightings.size(), 2U);
  EXPECT_TRUE(whole.sightings[0].place.time_ms);
  EXPECT_FALSE(whole.sightings[1].place.time_ms) << "it is too far away";
  for (const std::size_t piece : {1U, 7U, 40U, 4096U}) EXPECT_EQ(story_of(text, piece), whole);
}

TEST(LogJudgements, a_log_that_became_a_link_after_it_was_found_is_not_read) {
  static const LogMatcher matcher(catalogue());
  const TemporaryFolder folder;
  folder.write("logs/a.log", "Address already in use\n");
  folder.write("logs/b.log", "fine\n");
  folder.write("secret", "Address already in use\n");
  const auto files = find_log_files({(folder / "logs").string()});
  ASSERT_EQ(files.size(), 2U);
  std::filesystem::remove(folder / "logs/a.log");
  std::filesystem::create_symlink(folder / "secret", folder / "logs/a.log");
  for (const Sandboxing sandboxing : {Sandboxing::on, Sandboxing::off}) {
    const LogTimeline story = read_logs(matcher, files, {sandboxing, {}});
    EXPECT_TRUE(story.sightings.empty());
    ASSERT_EQ(story.sources.size(), 2U);
    EXPECT_NE(story.sources[0].problem, "");
    EXPECT_EQ(story.sources[1].problem, "");
  }
}

TEST(LogJudgements, a_directory_that_is_too_deep_is_passed_over) {
  const TemporaryFolder folder;
  folder.write("logs/a.log", "fine\n");
  const std::string name(250, 'd');
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder / "logs");
  for (int i = 0; i < 20; ++i) {
    std::filesystem::create_directory(name);
    std::filesystem::current_path(name);
  }
  std::ofstream("deep.log") << "text";
  std::filesystem::current_path(here);
  EXPECT_EQ(find_log_files({(folder / "logs").string()}).size(), 1U);
}

// A progress bar of tqdm: many texts, each behind a carriage return, in one line.
std::string bar_of(std::size_t size) {
  std::string bar = "begin\n";
  while (bar.size() < size) bar += "\r 10%|####      | 1/10 [00:01<00:09, 12.3it/s]";
  return bar;
}

TEST(LogJudgements, a_traceback_at_the_end_of_a_progress_bar_is_seen_however_long_the_bar_is) {
  constexpr std::string_view traceback =
      "Traceback (most recent call last):\n  File \"model.py\", line 8\n"
      "RuntimeError: out of card memory\n";
  for (const std::size_t size : {100U, 20000U, 30000U, 70000U, 200000U}) {
    const std::string text = bar_of(size) + std::string(traceback);
    for (const std::size_t piece : {std::size_t{7}, std::size_t{65536}, text.size()}) {
      const LogTimeline story = story_of(text, piece);
      ASSERT_EQ(story.tracebacks.size(), 1U) << size << " in pieces of " << piece;
      ASSERT_EQ(story.sightings.size(), 1U);
      EXPECT_EQ(story.sightings[0].place.line, 4);
    }
  }
}

TEST(LogJudgements, a_failure_is_seen_wherever_it_stands_in_a_long_line) {
  for (const std::size_t at : {10U, 16370U, 20000U, 65520U, 65530U, 90000U, 300000U}) {
    const std::string text =
        std::string(at, 'x') + " Address already in use " + std::string(200000, 'y');
    for (const std::size_t piece : {std::size_t{65536}, text.size()})
      EXPECT_FALSE(story_of(text, piece).sightings.empty()) << at << " in pieces of " << piece;
  }
}

TEST(LogJudgements, a_log_whose_lines_end_with_carriage_returns_reads_as_any_other) {
  const auto with_ends = [](std::string_view end) {
    std::string text;
    for (const char each : full_card) each == '\n' ? text.append(end) : text.append(1, each);
    return text;
  };
  EXPECT_EQ(story_of(with_ends("\r\n")), story_of(full_card));
  EXPECT_EQ(story_of(with_ends("\r\r\n"), 1), story_of(full_card));
  const LogTimeline apple = story_of(with_ends("\r"));
  ASSERT_EQ(apple.sightings.size(), 2U);
  EXPECT_EQ(apple.sightings[1].id, "card-full");
  EXPECT_EQ(apple.sightings[1].place.line, 1);
}

TEST(LogJudgements, the_label_of_a_line_holds_for_all_texts_in_it) {
  const LogTimeline story = story_of("[rank3]:  10%|#   |\r 20%|##  |\rAddress already in use\n");
  ASSERT_EQ(story.sightings.size(), 1U);
  EXPECT_EQ(story.sightings[0].place.rank, 3);
}

TEST(LogJudgements, a_line_without_end_does_not_fill_the_memory) {
  static const LogMatcher matcher(catalogue());
  LogTimeline story;
  LogMatcher::Effort effort;
  LogReader reader(matcher, effort, story, "train.log", std::nullopt, 0);
  const std::string block(1 << 20, 'x');
  reader.take("Address already in use ");
  for (int i = 0; i < 8; ++i) reader.take(block);
  reader.take("\nAddress already in use\n");
  reader.end();
  ASSERT_EQ(story.sightings.size(), 2U);
  EXPECT_EQ(story.sightings[0].place.line, 1);
  EXPECT_EQ(story.sightings[1].place.line, 2);
}

}  // namespace
}  // namespace topsctl
