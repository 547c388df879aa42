// What is read of a record that another topsctl has written, or damaged.
#include "topsctl/engine/launch/launch_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"

namespace topsctl {
namespace {

LaunchRecord sample() {
  LaunchRecord record;
  record.run = "20261125T163200Z-12";
  record.request.words = {"train.py"};
  record.log_folder = "/srv/logs";
  record.directory = "/srv";
  record.digests = {{"train.py", std::string(64, 'a')}};
  record.pid = 12;
  record.process_start = "7@boot";
  record.started_at = "2026-11-25T16:32:00Z";
  AttemptRecord attempt;
  attempt.started_at = record.started_at;
  RankRecord rank;
  rank.log = "/srv/logs/attempt_0/rank_0.log";
  rank.last_line = "hello";
  rank.pid = 13;
  attempt.ranks = {rank};
  attempt.throughput.global_batch = 16;
  record.attempts = {attempt};
  return record;
}

TEST(LaunchRecords, TellHowToFindARun) {
  const RecordSummary summary = record_summary_in(to_text(to_json(sample())), "record");
  EXPECT_EQ(summary.run, "20261125T163200Z-12");
  EXPECT_EQ(summary.log_folder, "/srv/logs");
  EXPECT_EQ(summary.process_start, "7@boot");
  EXPECT_EQ(summary.ended_at, "");
  ASSERT_EQ(summary.ranks.size(), 1U);
  EXPECT_EQ(summary.ranks[0].last_line, "hello");
  EXPECT_EQ(summary.ranks[0].pid, 13);
  EXPECT_EQ(summary.global_batch, 16);
  EXPECT_EQ(summary.digests.at("train.py"), std::string(64, 'a'));
}

TEST(LaunchRecords, ThatAreCutOffAnywhereAreRefused) {
  const std::string whole = to_text(to_json(sample()));
  for (std::size_t size = 0; size + 2 < whole.size(); ++size)
    EXPECT_THROW(record_summary_in(whole.substr(0, size), "record"), Error) << size;
}

// 4294967308 would be cut to 12, which is another process.
TEST(LaunchRecords, WithProcessesThatLinuxHasNotAreRefused) {
  LaunchRecord record = sample();
  record.pid += std::int64_t{1} << 32U;
  EXPECT_THROW(record_summary_in(to_text(to_json(record)), "record"), Error);
  record = sample();
  record.attempts[0].ranks[0].pid = (std::int64_t{1} << 22U) + 1;
  EXPECT_THROW(record_summary_in(to_text(to_json(record)), "record"), Error);
}

TEST(LaunchRecords, WithoutAFieldAreRefused) {
  const Json whole = to_json(sample());
  for (const char* key : {"run", "request", "log_folder", "directory", "digests", "pid",
                          "process_start", "started_at", "ended_at", "status", "attempts"}) {
    Json without = whole;
    without.erase(key);
    EXPECT_THROW(record_summary_in(to_text(without), "record"), Error) << key;
  }
}

}  // namespace
}  // namespace topsctl
