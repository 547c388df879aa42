// The ends of logs.
#include "topsctl/engine/launch/rank_words.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr const char* stamp = "2026-11-25T10:00:00.000Z ";

TEST(LastWords, AreTheLastLineAndTheLastIteration) {
  TemporaryFolder folder;
  folder.write("log", std::string(stamp) + "step 5/9\n" + stamp + "saved\n" + stamp + "\n");
  const LastWords words = last_words_of((folder / "log").string());
  EXPECT_EQ(words.line, "saved");
  EXPECT_EQ(words.iteration, "5/9");
  EXPECT_EQ(last_words_of((folder / "nowhere").string()).line, "");
}

TEST(LastWords, OfALongLogAreReadFromItsEnd) {
  TemporaryFolder folder;
  folder.write(
      "log", std::string(stamp) + "step 1/9\n" + std::string(100'000, 'x') + "\n" + stamp + "end");
  const LastWords words = last_words_of((folder / "log").string());
  EXPECT_EQ(words.line, "end");
  EXPECT_EQ(words.iteration, "");
}

TEST(RankWordsPace, IsMeasuredBetweenIterations) {
  TemporaryFolder folder;
  const std::string log = (folder / "log").string();
  CardWatch watch;
  watch.ranks.resize(2);
  watch.ranks[0].pid = 7;
  watch.ranks[1].rank = 1;
  watch.ranks[1].pid = 8;
  const std::vector<RecordSummary::Rank> ranks = {{{}, 0, {}, log, 0, 7, "", ""},
                                                  {{}, 1, {}, log, 0, 99, "", ""}};
  RankWords words;
  const auto at = [&](const char* line, int second) {
    folder.write("log", std::string(stamp) + line + "\n");
    words.add_to(watch, ranks, steady_clock::time_point(seconds(second)));
    return watch.ranks[0].iterations_per_second;
  };
  EXPECT_EQ(at("Epoch(train) [1][ 10/100]", 0), std::nullopt);
  EXPECT_EQ(at("Epoch(train) [1][ 10/100]", 2), std::nullopt);
  EXPECT_EQ(at("Epoch(train) [1][ 30/100]", 4), 5.0);
  EXPECT_EQ(at("Epoch(train) [2][  5/100]", 6), 5.0) << "another epoch";
  EXPECT_EQ(at("Epoch(train) [2][ 15/100]", 7), 10.0);
  EXPECT_EQ(watch.ranks[1].last_line, "") << "another process with that rank";
}

}  // namespace
}  // namespace topsctl
