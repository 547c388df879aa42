// What an install would refuse on a host, told by inspect with the ids that the install refuses by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/planning/planner.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/inspection.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// What a snapshot tells of a host, for the planner: nothing of the files of debs and wheels.
HostFacts facts_of(const TargetSnapshot& target, const Stack& stack);

// What stands against an install of this stack, beyond what fit_of() tells. Of the host's own files
// only where it is at hand, not for a snapshot. The inventory's packages are identified; what their
// files mean is judged where they were read deeply.
std::vector<Finding> foreseen_refusals(const Stack& stack, const Inspection& inspection,
                                       const TargetSnapshot& target, const HostFacts& facts,
                                       const std::optional<Host>& host);

// The same of the stack that an install would choose, for the host whose root directory or snapshot
// that is. Nothing where it would choose none, or where nobody may ask the host's interpreters.
std::vector<Finding> foreseen_refusals(const std::string& stack, const Inspection& inspection,
                                       const TargetSnapshot& target,
                                       const std::optional<Host>& host);

}  // namespace topsctl
