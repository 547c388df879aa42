// From the state of a host to what is wrong with it. Pure.
#pragma once

#include <vector>

#include "topsctl/engine/diagnosis/machine_state.hpp"
#include "topsctl/engine/diagnosis/verdict.hpp"
#include "topsctl/model/catalogue/diagnosis.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

// All that was found out about a host.
struct MachineFacts {
  MachineState state;
  std::vector<CheckResult> checks;   // of the stack, up to some level
  std::vector<Finding> environment;  // what `env check` says
};

// Whether all conditions hold. A condition on what is unknown does not.
bool holds(const std::vector<SignalCondition>& conditions, const Signals& signals);

// `problems`: a diagnosis of severity error or worse applies. `unknown`: none does, a job runs, and
// nobody can tell whether its cards work. Warnings, such as a low limit, are listed with either.
Judgement judge_machine(const DiagnosisCatalogue& catalogue, const MachineFacts& facts,
                        Language language);

}  // namespace topsctl
