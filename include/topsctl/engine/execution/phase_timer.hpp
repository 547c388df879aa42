// How long each part of the work takes.
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

// PhaseTimer one after the other; the clock must outlive it.
class PhaseTimer {
 public:
  explicit PhaseTimer(const Clock& clock) : clock_(clock) {}
  // Ends the phase that is on, and begins this one unless it is on already.
  void enter(const std::string& name);
  // Ends the phase that is on; all phases so far.
  const std::vector<Phase>& finish();
  // The same, put before those of what came after them.
  void precede(std::vector<Phase>& later);

 private:
  const Clock& clock_;
  std::vector<Phase> phases_;
  std::optional<std::chrono::steady_clock::time_point> entered_;  // nothing: none is on
};

}  // namespace topsctl
