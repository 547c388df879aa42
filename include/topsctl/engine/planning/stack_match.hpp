// What a bundle has of a stack.
#pragma once

#include <string>
#include <vector>

#include "topsctl/model/package.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

struct StackMatch {
  std::string name;
  std::string release;               // empty: none, or no single one
  std::vector<std::string> found;    // ids of components, in the stack's order
  std::vector<std::string> missing;  // the same
  std::string problem;               // of its releases: mixed, or several; empty: none
  bool operator==(const StackMatch&) const = default;

  bool is_complete() const { return missing.empty() && !found.empty() && problem.empty(); }
  std::string title() const;  // "topsrider-t2x 2.5.136"
};

// `inventory` as identify() left it.
StackMatch stack_match(const Stack& stack, const Inventory& inventory);

// Marks the packages for each of the stacks at its release, and says what there is of each.
std::vector<StackMatch> stack_matches(const std::vector<Stack>& stacks, Inventory& inventory);

}  // namespace topsctl
