// Which components of a stack a bundle has.
#include "topsctl/engine/planning/stack_match.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_packages.hpp"
#include "support/sample_stack.hpp"
#include "topsctl/engine/planning/selection.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

TEST(StackMatches, AreCompleteWhenEveryComponentIsThere) {
  const Stack stack = sample_stack();
  Inventory inventory = sample_inventory();
  identify(stack, inventory);
  const StackMatch match = stack_match(stack, inventory);
  EXPECT_EQ(match.name, stack.name);
  EXPECT_EQ(match.found, stack.component_ids());
  EXPECT_THAT(match.missing, IsEmpty());
  EXPECT_TRUE(match.is_complete());
}

TEST(StackMatches, SayWhatIsMissing) {
  const Stack stack = sample_stack();
  Inventory inventory = sample_inventory();
  inventory.packages.erase(inventory.packages.begin());
  identify(stack, inventory);
  const StackMatch match = stack_match(stack, inventory);
  EXPECT_THAT(match.missing, Contains("eccl"));
  EXPECT_THAT(match.found, Not(Contains("eccl")));
  EXPECT_FALSE(match.is_complete());
}

TEST(StackMatches, AreCompleteWithoutWhatIsNotRequired) {
  Stack stack = sample_stack();
  stack.components.front().required = false;
  Inventory inventory = sample_inventory();
  inventory.packages.erase(inventory.packages.begin());
  identify(stack, inventory);
  const StackMatch match = stack_match(stack, inventory);
  EXPECT_TRUE(match.is_complete());
  EXPECT_THAT(match.found, Not(Contains(stack.components.front().id)));
}

TEST(StackMatches, CountPackagesThatAreAnotherStacksToo) {
  const Stack stack = sample_stack();
  Inventory inventory = sample_inventory();
  identify(stack, inventory);
  for (Package& package : inventory.packages) package.stack = "another";
  EXPECT_TRUE(stack_match(stack, inventory).is_complete());
  for (Package& package : inventory.packages) package.chosen = false;
  EXPECT_THAT(stack_match(stack, inventory).found, IsEmpty());
  EXPECT_FALSE(stack_match(Stack{}, inventory).is_complete());
}

}  // namespace
}  // namespace topsctl
