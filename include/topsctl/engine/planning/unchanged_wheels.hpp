// Distributions that an install must not change: torch, which the vendor's wheel builds on.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// The finding id of such a change.
inline constexpr const char* untouched_finding = "changes-unchanged-module";

// The installed distributions of these names, sorted by directory.
std::vector<InstalledIdentity> identities_of(const PythonFacts& python,
                                             const std::vector<std::string>& names);

// Rejects wheels that are one of the stack's unchanged distributions, or that overwrite one of
// their files. The selection's payload was read. Throws Error{bad_package}.
void require_untouched(const Stack& stack, const Selection& selection);

// The comparison step that follows the wheel steps.
CompareWheels comparison_of(const Stack& stack, const PythonFacts& python);

}  // namespace topsctl
