// Whether a bundle can be installed, in one look.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "topsctl/engine/planning/stack_match.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

// Findings on packages that an install leaves alone say nothing against it.
struct BundleVerdict {
  bool is_installable = false;
  StackMatch stack;  // the one that an install takes, else the nearest; no name: none is near
  std::size_t packages = 0;    // all of them
  std::size_t taken = 0;       // by an install: one for each component
  std::size_t not_needed = 0;  // neither for the stack nor archived nor broken
  std::size_t archived = 0;
  std::size_t unreadable = 0;
  std::size_t errors = 0;    // findings on what an install takes, or on the bundle
  std::size_t warnings = 0;  // the same, and errors of one wheel where another of its component has
                             // none
  std::size_t notes = 0;     // the same
  std::size_t beside = 0;    // findings on packages that it leaves alone
  std::set<std::string> left_alone = {};  // how findings name these packages

  bool is_beside(const Finding& finding) const { return left_alone.contains(finding.subject); }
};

// `inspection` and `stacks` as stack_matches() left them.
BundleVerdict bundle_verdict(const Inspection& inspection, const std::vector<StackMatch>& stacks,
                             const std::vector<Finding>& findings);

Json to_json(const BundleVerdict& verdict);

}  // namespace topsctl
