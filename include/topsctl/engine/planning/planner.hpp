// Builds plans; pure: reads only its arguments.
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

// How far an install goes: only the plan, or the change of the host.
enum class InstallMode { plan, apply };

// How the write set is determined. Automatic: by observing each program where possible, else by
// prediction.
enum class WriteSetWay { automatic, observed, predicted };
// "auto", "observed", "predicted".
std::optional<WriteSetWay> write_set_way_named(std::string_view name);

// Whether an interpreter that the system manages may be changed (PEP 668).
enum class SystemPython { refuse, allow };

// The operator's options for a plan.
struct PlanOptions {
  SystemPython system_python = SystemPython::refuse;
  SettingOptions settings = {};
  InstallMode mode = InstallMode::apply;
  WriteSetWay write_set = WriteSetWay::automatic;
  // Why programs cannot be observed here; returns empty if they can. Not set: not checked.
  std::function<std::string()> why_not_observable = {};
};

// All input of a plan.
struct PlanInput {
  const Stack& stack;
  const Selection& selection;  // with the payload of every package read
  const HostFacts& facts;
  const Preflight& preflight;  // of the selection
  PlanOptions options = {};
  std::vector<std::string> host_warnings = {};  // copied into the plan
};

// The action for a package of the selection on this host, by its metadata.
PlannedPackage planned_package(const Package& package, const Selection& selection,
                               const HostFacts& facts);

// The complete plan. Throws Error{host_unfit} if the host cannot apply it, Error{usage} for invalid
// settings. A plan without steps means that all packages are installed already. The environment
// keeps the settings of the host's file.
Plan plan_install(const PlanInput& input);

}  // namespace topsctl
