// Events as they stand in the log.
#include "topsctl/base/log_sink.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

class LogSinks : public testing::Test {
 protected:
  // The log without its times.
  std::string text() const {
    return std::regex_replace(folder_.read("log"), std::regex("[0-9-]{10}T[0-9:.]{12}Z "), "");
  }

  TemporaryFolder folder_;
};

TEST_F(LogSinks, TellOfStepsNotesAndWarnings) {
  LogSink sink(folder_ / "log");
  sink.step_started(1, 9, "dpkg --install");
  sink.step_finished(1, 9, "dpkg --install", 1500, true);
  sink.step_started(2, 9, "pip");
  sink.step_finished(2, 9, "pip", 7, false);
  sink.note("rolling back");
  sink.warning("careful");
  EXPECT_EQ(text(),
            "info step 1 of 9: dpkg --install\n"
            "info step 1 of 9 done after 1500 ms: dpkg --install\n"
            "info step 2 of 9: pip\n"
            "error step 2 of 9 failed after 7 ms: pip\n"
            "info rolling back\n"
            "warning careful\n");
}

TEST_F(LogSinks, MarkEachLineThatAProgramSays) {
  {
    LogSink sink(folder_ / "log");
    sink.output("one\ntw");
    sink.output("o\n\nthree");
    sink.step_finished(1, 1, "x", 0, true);
    sink.output("four");
  }
  EXPECT_EQ(
      text(),
      "info | one\ninfo | two\ninfo | three\ninfo step 1 of 1 done after 0 ms: x\ninfo | four\n");
}

TEST_F(LogSinks, CutALineThatDoesNotEnd) {
  {
    LogSink sink(folder_ / "log");
    for (int i = 0; i < 100; ++i) sink.output(std::string(100, 'x'));
  }
  const std::string log = text();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 3);
  EXPECT_EQ(std::count(log.begin(), log.end(), 'x'), 10'000);
}

TEST_F(LogSinks, LetNoProgramForgeALine) {
  {
    LogSink sink(folder_ / "log");
    sink.output("x\rinfo step 9 of 9 done\x1b[2K\n");
  }
  EXPECT_EQ(text(), "info | x?info step 9 of 9 done?[2K\n");
}

}  // namespace
}  // namespace topsctl
