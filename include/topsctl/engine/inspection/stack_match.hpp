// The parts of a stack that a bundle has.
#pragma once

#include <string>
#include <vector>

#include "topsctl/base/text.hpp"

namespace topsctl {

struct StackMatch {
  std::string name;
  std::string release;               // empty: none, or not a single one
  std::vector<std::string> found;    // ids of components, in the stack's order
  std::vector<std::string> missing;  // the same
  std::string problem;               // with its releases: mixed, or several; empty: none
  bool operator==(const StackMatch&) const = default;

  bool is_complete() const { return missing.empty() && !found.empty() && problem.empty(); }
  // "topsrider-t2x 2.5.136"
  std::string title() const { return release.empty() ? name : concat(name, " ", release); }
};

}  // namespace topsctl
