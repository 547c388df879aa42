// Which wheels of a bundle fit the interpreters of a target.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/compatibility/evidence_excerpt.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

std::vector<InterpreterCompatibility> interpreter_fits(const Inspection& inspection,
                                                       const std::vector<std::size_t>& wheels,
                                                       const TargetSnapshot& target,
                                                       const CompatibilityRules& rules);

void check_wheels(const Inspection& inspection, const std::vector<std::size_t>& wheels,
                  const TargetSnapshot& target, const CompatibilityRules& rules,
                  const std::vector<InterpreterCompatibility>& interpreters, Findings& findings);

std::vector<CompatibilityChange> wheel_changes(
    const Inspection& inspection, const TargetSnapshot& target,
    const std::vector<InterpreterCompatibility>& interpreters, Findings& findings);

}  // namespace topsctl
