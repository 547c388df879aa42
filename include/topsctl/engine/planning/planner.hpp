// Builds plans; pure: it looks at nothing but its arguments.
#pragma once

#include <vector>

#include "topsctl/engine/planning/preflight.hpp"
#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/engine/planning/wheel_step.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// How far an install goes: the plan alone, a trial run of it in a sandbox, the host itself, or a
// trial run first and then the host.
enum class InstallMode { plan, rehearse, apply, rehearse_and_apply };
bool has_rehearsal(InstallMode mode);
bool changes_host(InstallMode mode);

// What the operator asks of a plan.
struct PlanOptions {
  SystemPython system_python = SystemPython::refuse;
  WheelBackend wheel_backend = default_wheel_backend;
  SettingOptions settings = {};
  InstallMode mode = InstallMode::apply;
};

// All that a plan is made from.
struct PlanInput {
  const Stack& stack;
  const Selection& selection;  // with the payload of every package read
  const HostFacts& facts;
  const Preflight& preflight;  // of the selection
  PlanOptions options = {};
  std::vector<std::string> host_warnings = {};  // the plan repeats them
};

// What installing a deb means on this host, by its control data.
PackageAction deb_action(const Package& deb, const HostFacts& facts);

// The finished plan: nothing is added to it afterwards. Throws Error{host_unfit} if the host cannot
// take it, Error{usage} for settings that cannot be. A plan without steps means that everything is
// there already. The environment keeps the settings of the file on the machine.
Plan plan_install(const PlanInput& input);

}  // namespace topsctl
