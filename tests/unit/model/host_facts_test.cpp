// Look-ups in host facts.
#include "topsctl/model/host_facts.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(PythonFactsWheel, IsFoundByItsNormalisedName) {
  PythonFacts python;
  python.wheels.resize(2);
  python.wheels[0].name = "torch";
  python.wheels[1].name = "torch-gcu";
  EXPECT_EQ(python.wheel("Torch_GCU"), &python.wheels[1]);
  EXPECT_EQ(python.wheel("torch"), &python.wheels[0]);
  EXPECT_EQ(python.wheel("numpy"), nullptr);
}

}  // namespace
}  // namespace topsctl
