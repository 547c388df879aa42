// Predicts which findings an install would report for a host, with the same ids; for inspect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/planning/planner.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/inspection.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// A host's facts from a snapshot, for the planner; without the files of debs and wheels.
HostFacts facts_of(const TargetSnapshot& target, const Stack& stack);

// Reasons that block an install of this stack, beyond those of fit_of(). Checks the host's own
// files only if the host is present, not for a snapshot. The inventory's packages are identified;
// payload files are judged where they were read deeply.
std::vector<Finding> foreseen_refusals(const Stack& stack, const Inspection& inspection,
                                       const TargetSnapshot& target, const HostFacts& facts,
                                       const std::optional<Host>& host);

// The same for the stack that an install would choose, on the host with this root directory or
// snapshot. Empty if it would choose none, or if the host's interpreters may not be run.
std::vector<Finding> foreseen_refusals(const std::string& stack, const Inspection& inspection,
                                       const TargetSnapshot& target,
                                       const std::optional<Host>& host);

}  // namespace topsctl
