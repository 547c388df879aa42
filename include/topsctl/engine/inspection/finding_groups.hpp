// Findings in display order: worst first, similar ones together.
#pragma once

#include <cstddef>
#include <vector>

#include "topsctl/model/finding.hpp"

namespace topsctl {

// Findings that differ only in subject and evidence.
struct FindingGroup {
  std::vector<const Finding*> findings;  // at least one, by subject

  const Finding& first() const { return *findings.front(); }
};

// Worst first, then by id. The groups point into `findings`.
std::vector<FindingGroup> finding_groups(const std::vector<Finding>& findings);

// The number of findings of at least this severity.
std::size_t count_from(const std::vector<Finding>& findings, Severity least);

}  // namespace topsctl
