// Which components of a stack a bundle has.
#include "topsctl/engine/planning/stack_match.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

StackMatch stack_match(const Stack& stack, const Inventory& inventory) {
  StackMatch match{stack.name, stack.release, {}, {}, {}};
  for (const Component& component : stack.components) {
    const bool is_found = std::any_of(
        inventory.packages.begin(), inventory.packages.end(), [&](const Package& package) {
          return package.chosen && matching_component(stack, package) == &component;
        });
    if (is_found || component.required)
      (is_found ? match.found : match.missing).push_back(component.id);
  }
  return match;
}

std::vector<StackMatch> stack_matches(const std::vector<Stack>& stacks, Inventory& inventory) {
  std::vector<std::pair<Stack, std::string>> judged;  // with the problem of its releases
  for (const Stack& stack : stacks) {
    try {
      judged.emplace_back(resolved(stack, inventory), "");
    } catch (const Error& error) {
      judged.emplace_back(stack, error.message());
    }
    identify(judged.back().first, inventory);
  }
  std::vector<StackMatch> matches;
  for (auto& [stack, problem] : judged) {
    matches.push_back(stack_match(stack, inventory));
    matches.back().problem = std::move(problem);
  }
  return matches;
}

}  // namespace topsctl
