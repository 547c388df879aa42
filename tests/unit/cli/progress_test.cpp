// Events as lines on standard error.
#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <sstream>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

std::string shown(Verbosity verbosity, bool terminal, const std::function<void(EventSink&)>& tell) {
  std::ostringstream err;
  std::streambuf* const before = std::cerr.rdbuf(err.rdbuf());
  ProgressSink sink(verbosity, terminal, Style{});
  tell(sink);
  std::cerr.rdbuf(before);
  return err.str();
}

void tell_everything(EventSink& sink) {
  sink.step_started(1, 2, "dpkg");
  sink.output("Unpacking\x1b\n");
  sink.step_finished(1, 2, "dpkg", 61'000, true);
  sink.step_finished(2, 2, "pip", 400, false);
  sink.note("rolling\x1b back");
  sink.warning("care\nful");
}

TEST(Progress, HasALineForEachStepThatEnds) {
  EXPECT_EQ(shown(Verbosity::normal, false, tell_everything),
            "step 1 of 2: dpkg  done 1 min 1 s\n"
            "step 2 of 2: pip  failed 0.4 s\n"
            "rolling? back\n"
            "warning: care?ful\n");
}

TEST(Progress, ShowsTheOutputOfProgramsWhenVerbose) {
  EXPECT_EQ(shown(Verbosity::verbose, false, [](EventSink& sink) { sink.output("a\x1b\n"); }),
            "a?\n");
}

TEST(Progress, IsSilentWhenQuiet) {
  EXPECT_EQ(shown(Verbosity::quiet, false, tell_everything), "");
  EXPECT_EQ(shown(Verbosity::quiet, true, tell_everything), "");
}

TEST(Progress, OverwritesTheRunningStepOnATerminal) {
  EXPECT_EQ(shown(Verbosity::normal, true,
                  [](EventSink& sink) {
                    sink.step_started(1, 2, "dpkg");
                    sink.step_finished(1, 2, "dpkg", 0, true);
                  }),
            "\r\033[Kstep 1 of 2: dpkg\r\033[Kstep 1 of 2: dpkg  done 0.0 s\n");
}

TEST(Progress, HasALineForEachOfSeveralTargetsOnATerminal) {
  const auto tell = [](EventSink& sink) {
    sink.target_progressed({"h1", "connecting", 0, 0});
    sink.target_progressed({"node2", "connecting", 0, 0});
    sink.target_progressed({"h1", "sending", 1024, 2048});
    sink.target_progressed({"node2", "failed", 0, 0});
    sink.note("node2: failed: no route");
  };
  EXPECT_EQ(shown(Verbosity::normal, true, tell),
            "h1     connecting\nnode2  connecting"
            "\r\033[K\033[A\033[K"
            "h1     sending  [##########          ] 1.0 KiB of 2.0 KiB\nnode2  connecting"
            "\r\033[K\033[A\033[K"
            "h1     sending  [##########          ] 1.0 KiB of 2.0 KiB\nnode2  failed"
            "\r\033[K\033[A\033[K"
            "node2: failed: no route\n");
  EXPECT_EQ(shown(Verbosity::normal, false, tell), "node2: failed: no route\n");
}

TEST(Progress, ShowsTheTargetsThatMoveFirst) {
  const std::string text = shown(Verbosity::normal, true, [](EventSink& sink) {
    for (int i = 0; i < 20; ++i) sink.target_progressed({concat("h", i), "done", 0, 0});
    sink.target_progressed({"last", "sending", 0, 0});
  });
  const std::string end = text.substr(text.rfind("last"));
  EXPECT_NE(end.find("and 5 more"), std::string::npos) << end;
}

TEST(Progress, KeepsTheRunningStepOnOneLine) {
  const std::string text = shown(Verbosity::normal, true, [](EventSink& sink) {
    sink.step_started(1, 2, std::string(500, 'x'));
  });
  EXPECT_LT(text.size(), 90U);
  EXPECT_TRUE(text.ends_with("..."));
}

TEST(Progress, CutsNoCharacterInTwo) {
  std::string description;
  for (int i = 0; i < 60; ++i) description += "库";
  for (const char* before : {"", "a", "ab"}) {
    const std::string text = shown(Verbosity::normal, true, [&](EventSink& sink) {
      sink.step_started(1, 2, before + description);
    });
    const std::string line = text.substr(4);
    EXPECT_EQ(printable(line), line);
    EXPECT_LE(display_width(line), 80U);
  }
}

}  // namespace
}  // namespace topsctl
