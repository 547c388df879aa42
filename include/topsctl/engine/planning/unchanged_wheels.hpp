// Distributions that an install must leave as they are: torch, which the vendor's wheel builds on.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// The id by which the latter is refused.
inline constexpr const char* untouched_finding = "changes-unchanged-module";

// What is installed of these names, sorted by folder.
std::vector<InstalledIdentity> identities_of(const PythonFacts& python,
                                             const std::vector<std::string>& names);

// Refuses wheels that are one of the stack's unchanged distributions, or that have a file where one
// has its own. The selection's payload was read. Throws Error{bad_package}.
void require_untouched(const Stack& stack, const Selection& selection);

// The step that follows the wheels'.
CompareWheels comparison_of(const Stack& stack, const PythonFacts& python);

}  // namespace topsctl
