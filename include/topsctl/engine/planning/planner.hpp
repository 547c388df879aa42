// Builds plans; pure: it looks at nothing but its arguments.
#pragma once

#include <vector>

#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/engine/planning/wheel_step.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

// The debs of one call of dpkg, as indices into the packages of a selection. dpkg unpacks all of
// them before it configures the first; what needs another one configured before it is unpacked
// (Pre-Depends) comes in a later call.
using DpkgCalls = std::vector<std::vector<std::size_t>>;

// What the operator and the comparison with the host ask of a plan.
struct PlanOptions {
  SystemPython system_python = SystemPython::refuse;
  WheelBackend wheel_backend = default_wheel_backend;
  DpkgCalls calls = {};  // empty: all debs at once, in the stack's order
  SettingOptions settings = {};
};

// Refuses what no plan can be made for: another architecture, half-installed packages, an
// interpreter that cannot install wheels, holds a package in a form that cannot be kept, or is the
// system's. Throws Error{host_unfit}.
void require_plannable(const Selection& selection, const HostFacts& facts,
                       const PlanOptions& wishes);

// What installing a deb means on this host, by its control data.
PackageAction deb_action(const Package& deb, const HostFacts& facts);

// `selection` with the payload of every package read. Throws Error{host_unfit} if the host cannot
// take the plan, Error{usage} for settings that cannot be. A plan without steps means that
// everything is there already. The environment keeps the settings of the file on the machine.
Plan plan_install(const Stack& stack, const Selection& selection, const HostFacts& facts,
                  const PlanOptions& wishes = {});

}  // namespace topsctl
