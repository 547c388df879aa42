// Sorts findings and groups similar ones.
#include "topsctl/engine/inspection/finding_groups.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace topsctl {

std::vector<FindingGroup> finding_groups(const std::vector<Finding>& findings) {
  const auto kind_of = [](const Finding& finding) {
    return std::tuple(-static_cast<int>(finding.severity), std::string_view(finding.id),
                      std::string_view(finding.title), std::string_view(finding.remedy.text),
                      std::string_view(finding.remedy.command));
  };
  std::map<decltype(kind_of(findings.front())), FindingGroup> groups;
  for (const Finding& finding : findings) groups[kind_of(finding)].findings.push_back(&finding);
  std::vector<FindingGroup> ordered;
  for (auto& [unused, group] : groups) {
    std::stable_sort(group.findings.begin(), group.findings.end(),
                     [](const Finding* a, const Finding* b) { return a->subject < b->subject; });
    ordered.push_back(std::move(group));
  }
  return ordered;
}

std::size_t count_from(const std::vector<Finding>& findings, Severity least) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.severity >= least; }));
}

}  // namespace topsctl
