// Logs of ranks.
#include "topsctl/engine/launch/rank_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

class RankLogs : public testing::Test {
 protected:
  void take(RankLog& log, std::string_view bytes) {
    log.take(bytes, at_, [&](std::string_view line) { heard_.emplace_back(line); });
  }
  void end(RankLog& log) {
    log.end(at_, [&](std::string_view line) { heard_.emplace_back(line); });
  }

  TemporaryFolder folder_;
  std::chrono::system_clock::time_point at_{1'700'000'001'023ms};
  std::vector<std::string> heard_;
};

TEST_F(RankLogs, HaveTheTimeBeforeEachLine) {
  RankLog log(folder_ / "log");
  take(log, "iter 1\niter");
  at_ += 2s;
  take(log, " 2\nlast");
  end(log);
  EXPECT_EQ(folder_.read("log"),
            "2023-11-14T22:13:21.023Z iter 1\n2023-11-14T22:13:23.023Z iter 2\n"
            "2023-11-14T22:13:23.023Z last\n");
  EXPECT_THAT(heard_, ElementsAre("iter 1", "iter 2", "last"));
}

TEST_F(RankLogs, TakeProgressBarsForLines) {
  RankLog log(folder_ / "log");
  take(log, "10%\r20%\r\nnext\r\n");
  EXPECT_THAT(heard_, ElementsAre("10%", "20%", "next"));
}

TEST_F(RankLogs, CutLinesWithoutAnEnd) {
  RankLog log(folder_ / "log");
  take(log, std::string(150'000, 'x'));
  end(log);
  EXPECT_EQ(heard_.size(), 3U);
  EXPECT_EQ(heard_.back().size(), 150'000U - 2 * 65'536U);
}

TEST_F(RankLogs, DoNotFollowWhatIsThere) {
  folder_.write("log", "mine");
  EXPECT_THAT(thrown_by([&] { RankLog log(folder_ / "log"); }).message(),
              testing::HasSubstr("log"));
  EXPECT_EQ(folder_.read("log"), "mine");
}

}  // namespace
}  // namespace topsctl
