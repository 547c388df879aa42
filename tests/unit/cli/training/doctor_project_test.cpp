// The options of topsctl doctor for a project.
#include "cli/training/doctor_project.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(ProjectOptionsOfTheCommand, TakeTheApiOfTheStackUnlessItIsGiven) {
  Stack stack;
  stack.environment.generation = "s60";
  ProjectCommandOptions options;
  EXPECT_EQ(project_options_of(options, Stack{}).target.api, "t2x");
  EXPECT_EQ(project_options_of(options, stack).target.api, "s60");
  options.api = "t2x";
  EXPECT_EQ(project_options_of(options, stack).target.api, "t2x");
  stack.environment.generation.clear();
  options.api.clear();
  EXPECT_EQ(project_options_of(options, stack).target.api, "t2x");
}

}  // namespace
}  // namespace topsctl
