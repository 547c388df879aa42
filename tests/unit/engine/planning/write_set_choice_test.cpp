// Whether an install observes or predicts what it writes.
#include "engine/planning/write_set_choice.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

Plan with_a_program() {
  Plan plan;
  plan.steps.push_back({"debs", "install", RunCommand{}, {}});
  return plan;
}

TEST(WriteSetChoices, AreObservationsWhereTheseArePossible) {
  PlanOptions options;
  EXPECT_EQ(knowledge_of(options, with_a_program()).known, "observed");
  options.why_not_observable = [] { return std::string(); };
  EXPECT_EQ(knowledge_of(options, with_a_program()).known, "observed");
  options.why_not_observable = [] { return std::string("no ptrace"); };
  EXPECT_EQ(knowledge_of(options, with_a_program()),
            (WriteSetKnowledge{"predicted", "cannot observe programs: no ptrace"}));
}

TEST(WriteSetChoices, ArePredictionsWhereNoProgramIsRun) {
  EXPECT_EQ(knowledge_of({}, {}), (WriteSetKnowledge{"predicted", "no program is run"}));
}

TEST(WriteSetChoices, AreTheOperatorsWhereOneIsMade) {
  PlanOptions options;
  options.write_set = WriteSetWay::predicted;
  EXPECT_EQ(knowledge_of(options, with_a_program()),
            (WriteSetKnowledge{"predicted", "--write-set predicted", true}));
  options.write_set = WriteSetWay::observed;
  EXPECT_EQ(knowledge_of(options, {}),
            (WriteSetKnowledge{"observed", "--write-set observed", true}));
}

TEST(WriteSetChoices, HaveNames) {
  EXPECT_EQ(write_set_way_named("auto"), WriteSetWay::automatic);
  EXPECT_EQ(write_set_way_named("predicted"), WriteSetWay::predicted);
  EXPECT_EQ(write_set_way_named("observed"), WriteSetWay::observed);
  EXPECT_EQ(write_set_way_named("seen"), std::nullopt);
}

}  // namespace
}  // namespace topsctl
