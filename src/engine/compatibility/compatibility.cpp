// Combines the results: changes, their order, and reasons against them.
#include "topsctl/engine/compatibility/compatibility.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "engine/compatibility/companions.hpp"
#include "engine/compatibility/conflicts.hpp"
#include "engine/compatibility/dependencies.hpp"
#include "engine/compatibility/evidence_excerpt.hpp"
#include "engine/compatibility/file_clashes.hpp"
#include "engine/compatibility/install_order.hpp"
#include "engine/compatibility/libraries.hpp"
#include "engine/compatibility/package_changes.hpp"
#include "engine/compatibility/space.hpp"
#include "engine/compatibility/wheels.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {

namespace {

bool is_installable(const Package& package) {
  return package.kind == PackageKind::deb || package.kind == PackageKind::wheel;
}

Precedence order_wishes(const ComparedDebs& debs, const FileClashes& clashes) {
  Precedence wishes = exclusion_order(debs);
  for (const FileTakeover& handover : clashes.handovers) wishes.emplace(handover.from, handover.to);
  return wishes;
}

void sort(Findings& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    return std::tie(a.id, a.subject) < std::tie(b.id, b.subject);
  });
}

std::vector<std::size_t> wheels_of(const Inventory& inventory,
                                   const std::vector<std::size_t>& chosen) {
  std::set<std::size_t> wheels;
  for (const std::size_t index : chosen) {
    if (inventory.packages.at(index).kind == PackageKind::wheel) wheels.insert(index);
  }
  return {wheels.begin(), wheels.end()};
}

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

std::string_view name(ChangeAction action) {
  switch (action) {
    case ChangeAction::added:
      return "new";
    case ChangeAction::same:
      return "same";
    case ChangeAction::upgrade:
      return "upgrade";
    case ChangeAction::downgrade:
      return "downgrade";
  }
  return "new";
}

std::vector<std::size_t> packages_to_fit(const Inventory& inventory) {
  const std::vector<Package>& packages = inventory.packages;
  const bool is_any_chosen =
      std::any_of(packages.begin(), packages.end(),
                  [](const Package& package) { return package.chosen && is_installable(package); });
  std::map<std::string_view, std::size_t> newest;
  std::vector<std::size_t> taken;
  for (std::size_t i = 0; i < packages.size(); ++i) {
    const Package& package = packages[i];
    const bool is_sound =
        package.verdict != Verdict::broken && package.verdict != Verdict::archived;
    if (!is_installable(package) || !(is_any_chosen ? package.chosen : is_sound)) continue;
    if (package.kind == PackageKind::wheel) {
      taken.push_back(i);
      continue;
    }
    const auto [place, is_first] = newest.emplace(package.name, i);
    const Package& other = packages[place->second];
    const int order = compare_debian_versions(package.version, other.version);
    if (order > 0 || (order == 0 && package.path < other.path)) place->second = i;
  }
  for (const auto& [name, index] : newest) taken.push_back(index);
  std::sort(taken.begin(), taken.end());
  return taken;
}

CompatibilityReport fit_of(const Inspection& inspection, const std::vector<std::size_t>& chosen,
                           const TargetSnapshot& target, const CompatibilityRules& rules) {
  CompatibilityReport fit;
  Findings& findings = fit.findings;
  const ComparedDebs debs = debs_of(inspection, chosen, target, rules);
  check_packages(debs, target, findings);
  check_dependencies(debs, inspection, findings);
  check_conflicts(debs, findings);

  const FileClashes clashes = file_clashes(debs, target);
  const InstallOrder order = install_order(debs, order_wishes(debs, clashes), findings);
  check_files(clashes, order.debs, findings);
  for (std::size_t i = 0; i < order.debs.size(); ++i) {
    if (order.call[i] == fit.install_calls.size()) fit.install_calls.emplace_back();
    fit.install_calls[order.call[i]].push_back(order.debs[i]->index);
  }
  fit.changes = deb_changes(debs, order.debs, findings);

  const std::vector<std::size_t> wheels = wheels_of(inspection.inventory, chosen);
  fit.interpreters = interpreter_fits(inspection, wheels, target, rules);
  check_wheels(inspection, wheels, target, rules, fit.interpreters, findings);
  for (CompatibilityChange& change :
       wheel_changes(inspection, target, fit.interpreters, findings)) {
    fit.changes.push_back(std::move(change));
  }
  check_companions(inspection, fit.interpreters, target, rules.companions, findings);
  check_requirements(inspection, fit.interpreters, target, rules.fixed, findings);
  fit.libraries_checked =
      check_libraries(inspection, debs, fit.interpreters, target, rules, findings);
  fit.space = space_needs(inspection, debs, fit.interpreters, target, rules, findings);
  sort(findings);
  return fit;
}

std::vector<Finding> clashes_in_bundle(const Inspection& inspection,
                                       const std::vector<std::size_t>& chosen,
                                       const CompatibilityRules& rules) {
  TargetSnapshot nowhere;
  for (const std::size_t index : chosen) {
    const std::string& architecture = inspection.inventory.packages[index].architecture;
    if (nowhere.architecture.empty() && architecture != "all") nowhere.architecture = architecture;
  }
  const ComparedDebs debs = debs_of(inspection, chosen, nowhere, rules);
  FileClashes clashes;
  clashes.in_bundle = file_clashes(debs, nowhere).in_bundle;
  Findings findings;
  check_files(clashes, debs.bundle, findings);
  sort(findings);
  return findings;
}

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
