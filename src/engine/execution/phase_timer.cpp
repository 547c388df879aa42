// Measures phases by the host's clock.
#include "topsctl/engine/execution/phase_timer.hpp"

namespace topsctl {

std::string phase_of(const StepAction& action) {
  if (std::holds_alternative<StagePackages>(action)) return "stage";
  if (std::holds_alternative<KeepWriteSet>(action)) return "keep";
  if (std::holds_alternative<RunChecks>(action)) return "verify";
  if (std::holds_alternative<Commit>(action)) return "commit";
  if (std::holds_alternative<RestoreWriteSet>(action)) return "restore";
  return "apply";
}

void PhaseTimer::enter(const std::string& name) {
  if (entered_ && phases_.back().name == name) return;
  finish();
  entered_ = clock_.steady();
  phases_.push_back({name, timestamp(clock_.now()), 0});
}

const std::vector<Phase>& PhaseTimer::finish() {
  if (entered_) {
    phases_.back().duration_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(clock_.steady() - *entered_).count();
  }
  entered_.reset();
  return phases_;
}

void PhaseTimer::precede(std::vector<Phase>& later) {
  finish();
  later.insert(later.begin(), phases_.begin(), phases_.end());
}

}  // namespace topsctl
