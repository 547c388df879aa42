// The step of an install that runs the checks.
#pragma once

#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// Checks that other users cannot change what programs load, and runs the checks. All except device
// trials must pass; a failed trial is only a warning, because the packages are intact and a card
// may be defective or busy. Adds the results to `checks`, and sends the output of failed ones also
// to `events`; returns a one-line summary. Throws Error{checks_failed} and, for signals,
// Error{interrupted, terminated}.
std::string check_installation(const Host& host, const Stack& stack, const std::string& python,
                               const RunChecks& run, EventSink& events,
                               std::vector<CheckResult>& checks,
                               std::vector<std::string>& warnings);

}  // namespace topsctl
