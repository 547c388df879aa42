// Predicts the write set of a plan.
#pragma once

#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Every path that installing these packages may create, change or delete, leftovers of a cut-off
// run included.
WriteSet predicted_write_set(const Plan& plan, const Selection& selection, const HostFacts& facts);

}  // namespace topsctl
