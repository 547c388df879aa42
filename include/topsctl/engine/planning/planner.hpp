// Builds plans; pure: it looks at nothing but its arguments.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/planning/preflight.hpp"
#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// How far an install goes: the plan alone, or the host itself.
enum class InstallMode { plan, apply };

// How the write set is to be known. Automatic: by observing each program where that can be; else by
// prediction.
enum class WriteSetWay { automatic, observed, predicted };
// "auto", "observed", "predicted".
std::optional<WriteSetWay> write_set_way_named(std::string_view name);

// Whether an interpreter may be changed that the system manages (PEP 668).
enum class SystemPython { refuse, allow };

// What the operator asks of a plan.
struct PlanOptions {
  SystemPython system_python = SystemPython::refuse;
  SettingOptions settings = {};
  InstallMode mode = InstallMode::apply;
  WriteSetWay write_set = WriteSetWay::automatic;
  // Why programs cannot be observed here; empty: they can. Not set: nobody has looked.
  std::function<std::string()> why_not_observable = {};
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

// What installing a package of the selection means on this host, by its metadata.
PlannedPackage planned_package(const Package& package, const Selection& selection,
                               const HostFacts& facts);

// The finished plan: nothing is added to it afterwards. Throws Error{host_unfit} if the host cannot
// take it, Error{usage} for settings that cannot be. A plan without steps means that everything is
// there already. The environment keeps the settings of the file on the machine.
Plan plan_install(const PlanInput& input);

}  // namespace topsctl
