// Puts the answers together: what changes, in which order, and what stands against it.
#include "topsctl/engine/compatibility/compatibility.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/compatibility/compatibility_parts.hpp"
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

}  // namespace

std::string_view name(ChangeAction action) {
  switch (action) {
    case ChangeAction::fresh:
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
  fit.interpreters = interpreter_fits(inspection, wheels, target);
  check_wheels(inspection, wheels, target, rules, fit.interpreters, findings);
  for (CompatibilityChange& change :
       wheel_changes(inspection, target, fit.interpreters, findings)) {
    fit.changes.push_back(std::move(change));
  }
  fit.libraries_checked =
      check_libraries(inspection, debs, fit.interpreters, target, rules, findings);
  fit.space = space_needs(inspection, debs, fit.interpreters, target, rules, findings);
  sort(findings);
  return fit;
}

}  // namespace topsctl
