// JSON form of how a bundle fits a machine.
#include <nlohmann/json.hpp>

#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

namespace {

Json target_json(const TargetSnapshot& target) {
  return {{"host_name", text_or_null(target.host_name)},
          {"taken_at", text_or_null(target.taken_at)},
          {"os", text_or_null(target.os)},
          {"architecture", text_or_null(target.architecture)},
          {"kernel", text_or_null(target.kernel)},
          {"glibc", text_or_null(target.glibc)},
          {"dpkg_version", text_or_null(target.dpkg_version)}};
}

Json change_json(const CompatibilityChange& change, const Inventory& inventory) {
  const Package& package = inventory.packages.at(change.index);
  return {{"path", package.path},
          {"kind", name(package.kind)},
          {"name", package.name},
          {"python", text_or_null(change.python)},
          {"now", text_or_null(change.now)},
          {"then", change.then},
          {"action", name(change.action)}};
}

Json space_json(const SpaceNeed& need) {
  return {{"mount", need.mount},
          {"needed_bytes", need.needed_bytes},
          {"free_bytes", need.free_bytes},
          {"needed_inodes", need.needed_inodes},
          {"free_inodes", need.counts_inodes ? Json(need.free_inodes) : Json(nullptr)},
          {"read_only", need.read_only}};
}

Json interpreter_json(const InterpreterCompatibility& interpreter, const Inventory& inventory) {
  Json wheels = Json::array();
  for (const DistributionCompatibility& choice : interpreter.wheels) {
    wheels.push_back(
        {{"distribution", choice.distribution},
         {"wheel", choice.wheel ? Json(inventory.packages.at(*choice.wheel).path) : Json(nullptr)},
         {"why", choice.why}});
  }
  return {{"executable", interpreter.executable},
          {"minor", text_or_null(interpreter.minor)},
          {"pip_version", text_or_null(interpreter.pip_version)},
          {"taken", interpreter.is_taken},
          {"wheels", std::move(wheels)}};
}

}  // namespace

Json to_json(const CompatibilityReport& fit, const Inventory& inventory,
             const TargetSnapshot& target) {
  Json changes = Json::array();
  for (const CompatibilityChange& change : fit.changes)
    changes.push_back(change_json(change, inventory));
  Json order = Json::array();
  for (std::size_t call = 0; call < fit.install_calls.size(); ++call) {
    for (const std::size_t index : fit.install_calls[call]) {
      const Package& package = inventory.packages.at(index);
      order.push_back({{"name", package.name}, {"path", package.path}, {"call", call + 1}});
    }
  }
  Json space = Json::array();
  for (const SpaceNeed& need : fit.space) space.push_back(space_json(need));
  Json interpreters = Json::array();
  for (const InterpreterCompatibility& interpreter : fit.interpreters) {
    interpreters.push_back(interpreter_json(interpreter, inventory));
  }
  return {{"target", target_json(target)},           {"changes", std::move(changes)},
          {"install_order", std::move(order)},       {"space", std::move(space)},
          {"interpreters", std::move(interpreters)}, {"libraries_checked", fit.libraries_checked}};
}

}  // namespace topsctl
