// Chooses how an install determines its write set.
#pragma once

#include "topsctl/engine/inspection/script_effects.hpp"
#include "topsctl/engine/planning/planner.hpp"

namespace topsctl {

// The effects of the scripts that dpkg runs: those of the packages, and of the versions that they
// replace. The plan has its packages.
ScriptEffects effects_of_debs(const PlanInput& input, const Plan& plan);

WriteSetKnowledge knowledge_of(const PlanOptions& options, const Plan& plan);

}  // namespace topsctl
