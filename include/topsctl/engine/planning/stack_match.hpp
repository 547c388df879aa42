// Which packages of a bundle are those of a stack, and at which release.
#pragma once

#include <vector>

#include "topsctl/engine/inspection/stack_match.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// `inventory` as identify() left it.
StackMatch stack_match(const Stack& stack, const Inventory& inventory);

// Marks the packages for each of the stacks at its release, and says what there is of each.
std::vector<StackMatch> stack_matches(const std::vector<Stack>& stacks, Inventory& inventory);

}  // namespace topsctl
