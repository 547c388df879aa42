// Whether the libraries that the packages need are present.
#pragma once

#include <vector>

#include "engine/compatibility/debs.hpp"
#include "engine/compatibility/evidence_excerpt.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

// False: the packages were not read deeply or the target's libraries are not known.
bool check_libraries(const Inspection& inspection, const ComparedDebs& debs,
                     const std::vector<InterpreterCompatibility>& interpreters,
                     const TargetSnapshot& target, const CompatibilityRules& rules,
                     Findings& findings);

}  // namespace topsctl
