// Space that the packages need on each mount point.
#pragma once

#include <vector>

#include "engine/compatibility/debs.hpp"
#include "engine/compatibility/evidence_excerpt.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

std::vector<SpaceNeed> space_needs(const Inspection& inspection, const ComparedDebs& debs,
                                   const std::vector<InterpreterCompatibility>& interpreters,
                                   const TargetSnapshot& target, const CompatibilityRules& rules,
                                   Findings& findings);

}  // namespace topsctl
