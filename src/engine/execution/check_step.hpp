// The step of an install that checks what was installed.
#pragma once

#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// Runs the checks. All but the trials must pass; what fails of those becomes a warning and undoes
// nothing, as the packages are sound and a card may be defective or at work. What came of each
// check is added to `checks`, what failed ones printed goes to `events`, too; gives a summary in a
// line. Throws Error{checks_failed} and, for signals, Error{interrupted, terminated}.
std::string check_installation(const Host& host, const Stack& stack, const std::string& python,
                               const RunChecks& run, EventSink& events,
                               std::vector<CheckResult>& checks,
                               std::vector<std::string>& warnings);

}  // namespace topsctl
