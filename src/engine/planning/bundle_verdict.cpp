// Counts packages and findings, and names the stack.
#include "topsctl/engine/planning/bundle_verdict.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "topsctl/model/place.hpp"

namespace topsctl {

namespace {

// A complete stack first, then the one with the most components present; of equal ones the later,
// because the operator's own stacks come after the built-in ones.
StackMatch nearest(const std::vector<StackMatch>& stacks) {
  const auto further = [](const StackMatch& a, const StackMatch& b) {
    return std::pair(a.is_complete(), a.found.size()) < std::pair(b.is_complete(), b.found.size());
  };
  StackMatch best;
  for (const StackMatch& each : stacks) {
    if (!each.found.empty() && !further(each, best)) best = each;
  }
  return best;
}

// A broken package may be needed by an install.
std::set<std::string> left_alone(const Inspection& inspection) {
  std::set<std::string> names;
  for (const Package& package : inspection.inventory.packages) {
    if (package.chosen || package.verdict == Verdict::broken) continue;
    names.insert(package.path);
    names.insert(place_text(package.container, package.path));
  }
  // A selected package may have the same name.
  for (const Package& package : inspection.inventory.packages) {
    if (package.chosen) names.erase(package.path);
  }
  // Archives without a selected package.
  for (const ContainerFile& file : inspection.containers) {
    std::vector<std::string> chain = file.container;
    chain.push_back(file.path);
    const bool is_needed =
        std::any_of(inspection.inventory.packages.begin(), inspection.inventory.packages.end(),
                    [&](const Package& package) {
                      return package.chosen && package.container.size() >= chain.size() &&
                             std::equal(chain.begin(), chain.end(), package.container.begin());
                    });
    if (!is_needed) names.insert(place_text(file.container, file.path));
  }
  return names;
}

// Wheels with errors beside an intact one of their component: a host whose Python fits the latter
// installs it, and ignores the others.
std::set<std::string> replaceable_wheels(const Inspection& inspection,
                                         const std::vector<Finding>& findings) {
  std::set<std::string> faulty;
  for (const Finding& finding : findings) {
    if (finding.severity >= Severity::error) faulty.insert(finding.subject);
  }
  std::map<std::string, std::pair<std::set<std::string>, bool>> components;  // and whether it has
                                                                             // an intact one
  for (const Package& package : inspection.inventory.packages) {
    if (package.kind != PackageKind::wheel || !package.chosen) continue;
    auto& [wheels, has_sound] = components[package.component];
    const std::string place = place_text(package.container, package.path);
    if (faulty.contains(package.path) || faulty.contains(place)) {
      wheels.insert({package.path, place});
    } else {
      has_sound = true;
    }
  }
  std::set<std::string> replaceable;
  for (const auto& [component, found] : components) {
    if (found.second) replaceable.insert(found.first.begin(), found.first.end());
  }
  return replaceable;
}

}  // namespace

BundleVerdict bundle_verdict(const Inspection& inspection, const std::vector<StackMatch>& stacks,
                             const std::vector<Finding>& findings) {
  BundleVerdict verdict;
  verdict.stack = nearest(stacks);
  verdict.taken = verdict.stack.found.size();
  const std::vector<Package>& packages = inspection.inventory.packages;
  verdict.packages = packages.size();
  for (const Package& package : packages) {
    if (package.verdict == Verdict::archived) {
      ++verdict.archived;
    } else if (package.verdict == Verdict::broken) {
      ++verdict.unreadable;
    } else if (!package.chosen) {
      ++verdict.not_needed;
    }
  }
  if (verdict.stack.is_complete()) verdict.left_alone = left_alone(inspection);
  const std::set<std::string> replaceable = replaceable_wheels(inspection, findings);
  for (const Finding& finding : findings) {
    if (verdict.is_beside(finding)) {
      ++verdict.beside;
      continue;
    }
    const bool is_error =
        finding.severity >= Severity::error && !replaceable.contains(finding.subject);
    ++(is_error                                ? verdict.errors
       : finding.severity >= Severity::warning ? verdict.warnings
                                               : verdict.notes);
  }
  verdict.is_installable = verdict.stack.is_complete() && verdict.errors == 0;
  return verdict;
}

Json to_json(const BundleVerdict& verdict) {
  return {{"installable", verdict.is_installable},
          {"stack", text_or_null(verdict.stack.name)},
          {"release", text_or_null(verdict.stack.release)},
          {"packages", verdict.packages},
          {"taken", verdict.taken},
          {"not_needed", verdict.not_needed},
          {"archived", verdict.archived},
          {"unreadable", verdict.unreadable},
          {"errors", verdict.errors},
          {"warnings", verdict.warnings},
          {"notes", verdict.notes},
          {"beside", verdict.beside}};
}

}  // namespace topsctl
