// Measures how long each phase of the work takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// The phase that a step of a plan belongs to.
std::string phase_of(const StepAction& action);

// Phases in sequence; the clock must outlive the timer.
class PhaseTimer {
 public:
  explicit PhaseTimer(const Clock& clock) : clock_(clock) {}
  // Ends the current phase and begins this one; does nothing if it is the current one.
  void enter(const std::string& name);
  // Ends the current phase; returns all phases so far.
  const std::vector<Phase>& finish();
  // The same; inserts the phases before those in `later`.
  void precede(std::vector<Phase>& later);

 private:
  const Clock& clock_;
  std::vector<Phase> phases_;
  std::optional<std::chrono::steady_clock::time_point> entered_;  // nothing: no phase is active
};

}  // namespace topsctl
