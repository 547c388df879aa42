// Which components of a stack a bundle has.
#include "topsctl/engine/inspection/stack_match.hpp"

#include <algorithm>

namespace topsctl {

StackMatch stack_match(const Stack& stack, const Inventory& inventory) {
  StackMatch match{stack.name, {}, {}};
  for (const Component& component : stack.components) {
    const bool is_found = std::any_of(
        inventory.packages.begin(), inventory.packages.end(), [&](const Package& package) {
          return package.chosen && package.stack == stack.name && package.component == component.id;
        });
    if (is_found || component.required)
      (is_found ? match.found : match.missing).push_back(component.id);
  }
  return match;
}

}  // namespace topsctl
