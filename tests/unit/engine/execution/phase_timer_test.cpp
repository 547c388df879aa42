// PhaseTimer as the clock measures them.
#include "topsctl/engine/execution/phase_timer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/moved_clock.hpp"

namespace topsctl {
namespace {

std::vector<std::string> told(const std::vector<Phase>& phases) {
  std::vector<std::string> lines;
  for (const Phase& phase : phases) {
    lines.push_back(phase.name + " " + phase.started_at + " " + std::to_string(phase.duration_ms));
  }
  return lines;
}

TEST(PhasesOfWork, LastUntilTheNextOneOrTheEnd) {
  MovedClock clock;
  PhaseTimer phases(clock);
  phases.enter("keep");
  clock.passed += std::chrono::milliseconds(1500);
  phases.enter("apply");
  clock.passed += std::chrono::milliseconds(200);
  phases.enter("apply");
  clock.passed += std::chrono::milliseconds(300);
  phases.finish();
  clock.passed += std::chrono::hours(1);
  EXPECT_THAT(told(phases.finish()), testing::ElementsAre("keep 2026-11-24T10:15:00Z 1500",
                                                          "apply 2026-11-24T10:15:01Z 500"));
}

TEST(PhasesOfWork, CanPrecedeThoseOfLaterWork) {
  MovedClock clock;
  PhaseTimer phases(clock);
  phases.enter("plan");
  std::vector<Phase> later = {{"stage", "", 7}};
  phases.precede(later);
  EXPECT_THAT(told(later), testing::ElementsAre("plan 2026-11-24T10:15:00Z 0", "stage  7"));
}

TEST(PhasesOfWork, BelongToTheStepsOfAPlan) {
  EXPECT_EQ(phase_of(StagePackages{}), "stage");
  EXPECT_EQ(phase_of(KeepWriteSet{}), "keep");
  EXPECT_EQ(phase_of(RunCommand{}), "apply");
  EXPECT_EQ(phase_of(WriteFile{}), "apply");
  EXPECT_EQ(phase_of(RunChecks{}), "verify");
  EXPECT_EQ(phase_of(Commit{}), "commit");
  EXPECT_EQ(phase_of(RestoreWriteSet{}), "restore");
}

}  // namespace
}  // namespace topsctl
