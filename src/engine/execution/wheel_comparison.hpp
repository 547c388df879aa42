// The step that compares distributions with what they were when the plan was made.
#pragma once

#include <string>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Says what is as it was. Throws Error{step_failed} for the first distribution that came, went or
// is another one.
std::string compare_wheels(const Host& host, const CompareWheels& compare);

}  // namespace topsctl
