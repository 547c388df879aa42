// Builds plans; pure: it looks at nothing but its arguments.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/selection.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

enum class SystemPython { refuse, allow };

// `selection` with the payload of every package read. Throws Error{host_unfit} if the host cannot
// take the plan. A plan without steps means that everything is there already.
Plan plan_install(const Stack& stack, const Selection& selection, const HostFacts& facts,
                  SystemPython system_python);

// Every path that installing these packages may create, change or delete, leftovers of a cut-off
// run included.
WriteSet predicted_write_set(const Plan& plan, const Selection& selection, const HostFacts& facts);

// Absolute paths of the files that the stack's debs have, chosen ones and those already installed.
std::vector<std::string> stack_payload(const std::vector<Package>& chosen, const HostFacts& facts);

}  // namespace topsctl
