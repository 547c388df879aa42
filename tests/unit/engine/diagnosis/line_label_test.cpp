// Labels and times of log lines, as launchers write them.
#include "engine/diagnosis/line_label.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(LineLabels, know_the_ranks_of_torchrun_mpirun_and_srun) {
  EXPECT_EQ(line_label("[rank3]: RuntimeError").rank, 3);
  EXPECT_EQ(line_label("[default11]:Traceback").rank, 11);
  EXPECT_EQ(line_label("[1,3]<stderr>:x").rank, 3);
  EXPECT_EQ(line_label("[1,0]<stdout>:x").rank, 0);
  EXPECT_EQ(line_label(" 7: x").rank, 7);
  EXPECT_EQ(line_label("12: x").rank, 12);
}

TEST(LineLabels, end_where_the_words_begin) {
  const std::string_view line = "[rank3]:   File \"x.py\"";
  EXPECT_EQ(line.substr(line_label(line).size), "  File \"x.py\"");
  EXPECT_EQ(std::string_view("[1,3]<stderr>:Traceback").substr(14), "Traceback");
  EXPECT_EQ(line_label("[1,3]<stderr>:Traceback").size, 14U);
  EXPECT_EQ(line_label("7:   File").size, 3U) << "a frame stands two columns in";
}

TEST(LineLabels, are_not_seen_in_other_words) {
  for (const char* line : {"", "[rank]: x", "[rank3] x", "[1,3] x", "3:x", "-1: x", "12345678: x",
                           "[2025-09-21 10:00:00] x", "10:00:00 x", "rank 3: x"}) {
    EXPECT_FALSE(line_label(line).rank) << line;
  }
}

TEST(LineLabels, may_stand_one_behind_the_other) {
  const HostNames hosts = {{"node3", -3}};
  for (const auto& [line, rank, host] :
       {std::tuple{"node3: [rank18]: x", 18, "node3"},
        {"node3: x", -1, "node3"},
        {"node4: [rank1]: x", 1, "node4"},
        {"[pod/train-0/main] [rank2]: x", 2, "[pod/train-0/main"},
        {"2025-09-21T10:00:01.123456789Z stderr F 3: x", 3, ""},
        {"2025-09-21T10:00:01+08:00 {app=\"train\", pod=\"a\"} x", -1, ""},
        {"(RayTrainWorker pid=7, ip=10.0.0.1) x", -1, "(RayTrainWorker pid=7, ip=10.0.0.1"},
        {"train-0  | [rank0]: x", 0, "train-0"},
        {"[prterun-n1-1234@1,3]<stderr>: x", 3, ""}}) {
    const LineLabel label = line_label(line, hosts);
    EXPECT_EQ(label.rank.value_or(-1), rank) << line;
    EXPECT_EQ(label.host, host) << line;
    EXPECT_EQ(std::string_view(line).substr(label.size), "x") << line;
  }
  for (const char* line :
       {"ERROR: [2025-09-21 10:00:00] x", "node9: x", "python3: can't open file"})
    EXPECT_EQ(line_label(line, hosts).size, 0U) << line;
}

TEST(LineTimes, have_the_forms_of_loggers) {
  EXPECT_EQ(line_time("2025-09-21 10:00:01,250 - mmengine - INFO"), 1758448801250);
  EXPECT_EQ(line_time("[2025-09-21T10:00:01] x"), 1758448801000);
  EXPECT_EQ(line_time("2025/09/21 10:00:01 - mmengine"), 1758448801000);
  EXPECT_EQ(line_time("W0921 10:00:01.250000 12 socket.cpp:401]"),
            line_time("09/21 10:00:01.250 x"));
  EXPECT_EQ(line_time("W20250921 10:00:01.250000 12 socket.cpp:401]"), 1758448801250);
  EXPECT_EQ(line_time("2025-09-21T18:00:01.250+08:00 x"), 1758448801250);
  EXPECT_EQ(line_time("[Sun Sep 21 10:00:01 2025] NVRM: x"), 1758448801000);
  EXPECT_EQ(line_time("Sep  1 10:00:01 n1 kernel: x"), line_time("W0901 10:00:01.000000 12 x"));
  EXPECT_FALSE(line_time("iter 10/20 loss 0.1"));
  EXPECT_FALSE(line_time("2025-99-99"));
}

TEST(PlainLines, are_without_colours_and_overwritten_parts) {
  std::string room;
  EXPECT_EQ(plain_line("\033[1;31merror\033[0m: x", room), "error: x");
  EXPECT_EQ(plain_line("\033[", room), "");
  EXPECT_EQ(plain_line("a\033]0;title\ab\033]8;;http://x\033\\c\033]open", room), "abc]open");
}

TEST(RanksOfPaths, are_told_by_names_of_files_and_folders) {
  EXPECT_EQ(rank_of_path("logs/none_abc/attempt_0/3/stderr.log"), 3);
  EXPECT_EQ(rank_of_path("logs/attempt_0/12/error.json"), 12);
  EXPECT_EQ(rank_of_path("rank_3.log"), 3);
  EXPECT_EQ(rank_of_path("train.rank7.out"), 7);
  EXPECT_EQ(rank_of_path("worker-2.txt"), 2);
  EXPECT_FALSE(rank_of_path("logs/train.log"));
  EXPECT_FALSE(rank_of_path("2/train.log"));
  EXPECT_EQ(attempt_of_path("logs/none_abc/attempt_2/3/stderr.log"), 2);
  EXPECT_EQ(attempt_of_path("train.log"), 0);
}

}  // namespace
}  // namespace topsctl
