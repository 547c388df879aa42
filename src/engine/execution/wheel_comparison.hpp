// The step that checks that distributions did not change since the plan was made.
#pragma once

#include <string>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Returns a message about the unchanged distributions. Throws Error{step_failed} for the first one
// that was added, removed or changed.
std::string compare_wheels(const Host& host, const CompareWheels& compare);

}  // namespace topsctl
