// Findings in the order in which people should read them: worst first, alike ones together.
#pragma once

#include <cstddef>
#include <vector>

#include "topsctl/model/finding.hpp"

namespace topsctl {

// Findings that differ in subject and evidence only.
struct FindingGroup {
  std::vector<const Finding*> findings;  // at least one, by subject

  const Finding& first() const { return *findings.front(); }
};

// Worst first, then by id. The groups point into `findings`.
std::vector<FindingGroup> finding_groups(const std::vector<Finding>& findings);

// How many are at least so severe.
std::size_t count_from(const std::vector<Finding>& findings, Severity least);

}  // namespace topsctl
