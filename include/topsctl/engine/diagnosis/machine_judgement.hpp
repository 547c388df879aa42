// Diagnoses the state of a host. Pure.
#pragma once

#include <vector>

#include "topsctl/engine/diagnosis/machine_state.hpp"
#include "topsctl/engine/diagnosis/verdict.hpp"
#include "topsctl/model/catalogue/diagnosis.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

// All facts about a host.
struct MachineFacts {
  MachineState state;
  std::vector<CheckResult> checks;   // of the stack, up to a certain level
  std::vector<Finding> environment;  // findings of `env check`
};

// Whether all conditions are met. A condition on an unknown value is not met.
bool holds(const std::vector<SignalCondition>& conditions, const Signals& signals);

// `problems`: a diagnosis of severity error or worse applies. `unknown`: no such diagnosis applies,
// but a job runs and the state of its cards is unknown. Warnings, such as a low limit, are listed
// in either case.
Judgement judge_machine(const DiagnosisCatalogue& catalogue, const MachineFacts& facts,
                        Language language);

}  // namespace topsctl
