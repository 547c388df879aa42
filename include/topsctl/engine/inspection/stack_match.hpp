// What a bundle has of a stack.
#pragma once

#include <string>
#include <vector>

#include "topsctl/model/package.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

struct StackMatch {
  std::string name;
  std::vector<std::string> found;    // ids of components, in the stack's order
  std::vector<std::string> missing;  // the same
  bool operator==(const StackMatch&) const = default;

  bool is_complete() const { return missing.empty() && !found.empty(); }
};

// `inventory` as identify() left it.
StackMatch stack_match(const Stack& stack, const Inventory& inventory);

}  // namespace topsctl
