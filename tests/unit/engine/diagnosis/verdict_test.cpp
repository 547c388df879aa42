// What a verdict needs: a proof of health, an error at the place of one, the earliest failure.
#include "topsctl/engine/diagnosis/verdict.hpp"

#include <gtest/gtest.h>

#include "engine/diagnosis/line_form.hpp"
#include "engine/diagnosis/log_reader.hpp"
#include "topsctl/engine/diagnosis/doctor_report.hpp"

namespace topsctl {
namespace {

Judgement verdict_of(std::string_view text, std::optional<int> status = std::nullopt) {
  static const DiagnosisCatalogue catalogue = for_backend(built_in_diagnoses(), "eccl");
  static const LogMatcher matcher(catalogue);
  LogTimeline story;
  LogMatcher::Effort effort = LogMatcher::Effort::unlimited();
  LogReader reader(matcher, effort, story, "train.log", std::nullopt, 0);
  reader.take(text);
  reader.end();
  return judge_logs(catalogue, story, status, Language::english);
}

constexpr std::string_view work = "epoch 1 loss: 0.5\nepoch 2 loss: 0.4\n";
constexpr std::string_view end = "training finished\n";

TEST(Verdicts, are_healthy_only_with_a_proof) {
  EXPECT_EQ(verdict_of(work).verdict, JobVerdict::unknown);
  EXPECT_FALSE(verdict_of(work).has_failed);
  EXPECT_EQ(verdict_of(work, 0).verdict, JobVerdict::healthy);
  EXPECT_EQ(verdict_of(std::string(work) + std::string(end)).verdict, JobVerdict::healthy);
  EXPECT_EQ(verdict_of(std::string(work) + "checkpoints are sent once training is done\n").verdict,
            JobVerdict::unknown);
  EXPECT_EQ(verdict_of(std::string(work) + "training finished with 3 errors\n").verdict,
            JobVerdict::unknown);
}

TEST(Verdicts, are_not_healthy_beside_an_error_that_no_rank_got_over) {
  constexpr std::string_view error =
      "mkdir: cannot create directory 'out': No space left on device\n";
  const Judgement judgement = verdict_of(std::string(work) + std::string(error));
  EXPECT_EQ(judgement.verdict, JobVerdict::problems);
  EXPECT_EQ(judgement.first_cause, "disk-full");
  EXPECT_FALSE(verdict_of(std::string(error) + "[rank0]: loss: 1.0\n").has_failed)
      << "before the first step of any rank";
  EXPECT_TRUE(
      verdict_of("[rank1]: loss: 1.0\n" + std::string(error) + "[rank0]: loss: 1.0\n").has_failed);
}

TEST(Verdicts, know_an_exception_without_its_traceback) {
  const Judgement judgement =
      verdict_of(std::string(work) + "[rank1]: mypackage.ShapeError: (3, 4)\n");
  EXPECT_EQ(judgement.verdict, JobVerdict::unknown);
  ASSERT_TRUE(judgement.unexplained);
  EXPECT_EQ(judgement.unexplained->place.rank, 1);
}

// As mpirun and srun write what their ranks print.
TEST(Verdicts, lead_with_the_exception_before_its_effect_though_another_rank_goes_on) {
  const std::string text =
      "epoch 1 loss: 0.5\nTraceback (most recent call last):\n  File \"train.py\", line 3, in "
      "main\n"
      "ValueError: token id 7\nepoch 1 loss: 0.4\nTraceback (most recent call last):\n"
      "  File \"train.py\", line 4, in main\n"
      "RuntimeError: [gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.0.2]:6806\n";
  const Judgement judgement = verdict_of(text, 1);
  EXPECT_EQ(judgement.verdict, JobVerdict::unknown);
  ASSERT_TRUE(judgement.unexplained);
  EXPECT_NE(judgement.unexplained->text.find("token id 7"), std::string::npos);
}

TEST(Verdicts, know_a_traceback_by_its_frames) {
  const Judgement judgement = verdict_of(
      "  File \"train.py\", line 3, in main\n    f()\n  File \"model.py\", line 9, in f\n"
      "KeyError: 'y'\n");
  ASSERT_TRUE(judgement.unexplained);
  EXPECT_NE(judgement.unexplained->text.find("train.py"), std::string::npos);
  EXPECT_FALSE(
      verdict_of("  File \"train.py\", line 3, in main\n    f()\nwaiting for data\n").has_failed);
}

TEST(Verdicts, do_not_take_quoted_source_for_what_happened) {
  const Judgement judgement = verdict_of(
      "Traceback (most recent call last):\n  File \"io.py\", line 3, in write\n"
      "    raise ValueError('[Errno 28] No space left on device')  # never\nKeyError: 'y'\n");
  EXPECT_EQ(judgement.verdict, JobVerdict::unknown);
  EXPECT_TRUE(judgement.diagnoses.empty());
}

TEST(Verdicts, do_not_take_data_for_errors) {
  for (const char* line : {
           "sample 4 said 'OSError: [Errno 98] Address already in use', label 2",
           "{'Bus error': 0.91, \"OSError: [Errno 24] Too many open files\": 0.5}",
           "args: Namespace(note='CUDA out of memory', seed=1)",
           "  run_name ........................ OSError: [Errno 28] No space left on device",
           "| OSError: [Errno 28] No space left on device | 91.0 | 95.1 |",
           "Bus error                  0.910   (92 of 100)",
           "Killed,0.91,95",
           "tests/test_io.py::test_raises[OSError: [Errno 28] No space left on device] PASSED",
           "ok 3 - fork: Cannot allocate memory",
           "OSError: [Errno 28] No space:  45%|####5     | 12/27 [00:03<00:04, 3.51it/s]",
           "prompt: explain RuntimeError: Found no NVIDIA driver on your system",
       }) {
    const Judgement judgement = verdict_of(std::string(work) + line + "\n" + std::string(end));
    EXPECT_EQ(judgement.verdict, JobVerdict::healthy) << line;
    EXPECT_TRUE(judgement.diagnoses.empty()) << line;
    EXPECT_FALSE(verdict_of(std::string(work) + line + "\n").has_failed) << line;
  }
  EXPECT_EQ(verdict_of("{\"level\": \"error\", \"message\": \"RuntimeError: topsMalloc failed\"}\n")
                .first_cause,
            "card-memory-exhausted")
      << "what a logger writes as its message was said";
}

TEST(Verdicts, name_the_exception_before_what_ended_the_others) {
  const std::string failed =
      "2: Traceback (most recent call last):\n2:   File \"train.py\", line 40, in main\n"
      "2: ValueError: no such layer\n";
  const std::string ended =
      "srun: error: node07: task 2: Exited with exit code 1\nsrun: Terminating job step 4.0\n"
      "0: slurmstepd: error: *** STEP 4.0 ON node07 CANCELLED AT 2022-07-04T18:20:41 ***\n";
  const Judgement judgement = verdict_of(failed + ended);
  EXPECT_EQ(judgement.verdict, JobVerdict::unknown);
  EXPECT_TRUE(judgement.diagnoses.empty());
  ASSERT_TRUE(judgement.unexplained);
  EXPECT_EQ(judgement.unexplained->place.rank, 2);
  EXPECT_TRUE(verdict_of(ended).diagnoses.empty()) << "a task had ended with a status of its own";
  EXPECT_EQ(
      verdict_of("slurmstepd: error: *** JOB 4 ON node07 CANCELLED AT 2022-07-04T18:20:41 ***\n")
          .first_cause,
      "interrupted");
}

TEST(Verdicts, tell_the_last_frame_of_the_users_own_code) {
  const Judgement judgement = verdict_of(
      "1: Traceback (most recent call last):\n1:   File \"/srv/job/train.py\", line 40, in main\n"
      "1:     model(x)\n1:   File \"/usr/lib/python3/dist-packages/torch/nn/module.py\", line 9, "
      "in "
      "forward\n1: ValueError: no such layer\n");
  const FirstFailure failure = first_failure(judgement.unexplained.value());
  EXPECT_EQ(failure.exception, "ValueError: no such layer");
  EXPECT_EQ(failure.file, "/srv/job/train.py");
  EXPECT_EQ(failure.line, 40);
  EXPECT_EQ(failure.function, "main");
  EXPECT_EQ(failure.place.rank, 1);
}

TEST(Verdicts, keep_the_lines_of_hosts_apart) {
  const Judgement judgement = verdict_of(
      "nodea: [2025-08-25 15:04:02,311] begins\nnodeb: Traceback (most recent call last):\n"
      "nodea: Traceback (most recent call last):\nnodeb:   File \"b.py\", line 1, in b\n"
      "nodea:   File \"a.py\", line 1, in a\nnodeb: ValueError: of b\nnodea: ValueError: of a\n");
  ASSERT_TRUE(judgement.unexplained);
  EXPECT_EQ(judgement.unexplained->text.find("a.py"), std::string::npos);
  EXPECT_NE(judgement.unexplained->text.find("b.py"), std::string::npos);
}

TEST(Verdicts, read_what_docker_wrote) {
  const Judgement judgement = verdict_of(
      R"({"log":"RuntimeError: topsMalloc failed, size: 9\n","stream":"stderr","time":"2025-09-21T10:00:00.5Z"})"
      "\n");
  EXPECT_EQ(judgement.first_cause, "card-memory-exhausted");
  EXPECT_EQ(judgement.diagnoses.at(0).time_ms, 1758448800000);
}

TEST(LineForms, know_exceptions) {
  for (const char* line :
       {"KeyError: 'x'", "torch.OutOfMemoryError", "a.b.RendezvousTimeoutError: ", "Exception: x",
        "subprocess.TimeoutExpired: Command"})
    EXPECT_TRUE(is_exception(line)) << line;
  for (const char* line : {"Error: x", "error: x", "UserWarning: x", "my error: x", "KeyErrors: 3",
                           "class MyError(Exception):", "x KeyError: y", "pkg.error: x", ""})
    EXPECT_FALSE(is_exception(line)) << line;
}

}  // namespace
}  // namespace topsctl
