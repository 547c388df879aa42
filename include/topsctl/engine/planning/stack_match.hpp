// Which packages of a bundle belong to a stack, and at which release.
#pragma once

#include <vector>

#include "topsctl/engine/inspection/stack_match.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// `inventory` as identify() left it.
StackMatch stack_match(const Stack& stack, const Inventory& inventory);

// Marks the packages for each stack at its release, and returns the match of each stack.
std::vector<StackMatch> stack_matches(const std::vector<Stack>& stacks, Inventory& inventory);

}  // namespace topsctl
