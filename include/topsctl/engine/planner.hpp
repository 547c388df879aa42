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

// The debs of one call of dpkg, as indices into the packages of a selection. dpkg unpacks all of
// them before it configures the first; what needs another one configured before it is unpacked
// (Pre-Depends) comes in a later call.
using DpkgCalls = std::vector<std::vector<std::size_t>>;

// Refuses what no plan can be made for: another architecture, half-installed packages, an
// interpreter that has no pip, holds a package in a form that cannot be kept, or is the system's.
// Throws Error{host_unfit}.
void require_plannable(const Selection& selection, const HostFacts& facts,
                       SystemPython system_python);

// What installing a deb means on this host, by its control data.
PackageAction deb_action(const Package& deb, const HostFacts& facts);

// `selection` with the payload of every package read. Throws Error{host_unfit} if the host cannot
// take the plan. A plan without steps means that everything is there already. Without `calls` all
// debs go to dpkg at once, in the stack's order.
Plan plan_install(const Stack& stack, const Selection& selection, const HostFacts& facts,
                  SystemPython system_python, const DpkgCalls& calls = {});

// Every path that installing these packages may create, change or delete, leftovers of a cut-off
// run included.
WriteSet predicted_write_set(const Plan& plan, const Selection& selection, const HostFacts& facts);

// Absolute paths of the files that the stack's debs have, chosen ones and those already installed.
std::vector<std::string> stack_payload(const std::vector<Package>& chosen, const HostFacts& facts);

}  // namespace topsctl
