// Whether a bundle can be installed, as a summary.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "topsctl/engine/planning/stack_match.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

// Findings on packages that an install does not select do not count against it.
struct BundleVerdict {
  bool is_installable = false;
  StackMatch stack;  // the one that an install selects, else the nearest; no name: none is similar
  std::size_t packages = 0;    // all of them
  std::size_t taken = 0;       // selected by an install: one per component
  std::size_t not_needed = 0;  // not part of the stack, not archived and not broken
  std::size_t archived = 0;
  std::size_t unreadable = 0;
  std::size_t errors = 0;    // findings on selected packages or on the bundle
  std::size_t warnings = 0;  // the same, plus errors of a wheel if another wheel of its component
                             // has none
  std::size_t notes = 0;     // the same
  std::size_t beside = 0;    // findings on packages that are not selected
  std::set<std::string> left_alone = {};  // the names of these packages in findings

  bool is_beside(const Finding& finding) const { return left_alone.contains(finding.subject); }
};

// `inspection` and `stacks` as stack_matches() left them.
BundleVerdict bundle_verdict(const Inspection& inspection, const std::vector<StackMatch>& stacks,
                             const std::vector<Finding>& findings);

Json to_json(const BundleVerdict& verdict);

}  // namespace topsctl
