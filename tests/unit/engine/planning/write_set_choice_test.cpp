// Whether an install observes, tries out or predicts what it writes.
#include "engine/planning/write_set_choice.hpp"

#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

const ScriptEffects opaque_effects = effects_of("postinst of x", "#!/bin/sh\npython3 -c 'x'\n");
constexpr const char* quoted = "postinst of x, line 2: python3 -c 'x'";

constexpr const char* unobserved = "; cannot observe programs: no kernel";

Plan with_a_program() {
  Plan plan;
  plan.steps.push_back({"debs", "install", RunCommand{}, {}});
  return plan;
}

PlanOptions on_a_host_without_observation() {
  PlanOptions options;
  options.why_not_observable = [] { return std::string("no kernel"); };
  return options;
}

TEST(WriteSetChoices, AreObservationsWhereTheseArePossible) {
  PlanOptions options;
  EXPECT_EQ(knowledge_of(options, with_a_program(), opaque_effects).known, "observed");
  options.why_not_observable = [] { return std::string(); };
  EXPECT_EQ(knowledge_of(options, with_a_program(), opaque_effects).known, "observed");
}

TEST(WriteSetChoices, ArePredictionsOfScriptsThatAreUnderstood) {
  EXPECT_EQ(knowledge_of(on_a_host_without_observation(), with_a_program(),
                         effects_of("postinst of x", "#!/bin/sh\nldconfig\n")),
            (WriteSetKnowledge{"predicted", concat("all scripts are understood", unobserved)}));
}

TEST(WriteSetChoices, ArePredictionsWhereNoProgramIsRun) {
  EXPECT_EQ(knowledge_of({}, {}, {}), (WriteSetKnowledge{"predicted", "no program is run"}));
}

TEST(WriteSetChoices, AreTrialRunsOfOthersWhereTheseArePossible) {
  PlanOptions options = on_a_host_without_observation();
  const WriteSetKnowledge rehearsed{"rehearsed", concat(quoted, unobserved)};
  EXPECT_EQ(knowledge_of(options, with_a_program(), opaque_effects), rehearsed);
  options.why_not_rehearsable = [](const Plan&) { return std::string(); };
  EXPECT_EQ(knowledge_of(options, with_a_program(), opaque_effects), rehearsed);
  options.why_not_rehearsable = [](const Plan&) { return std::string("no room"); };
  EXPECT_EQ(knowledge_of(options, with_a_program(), opaque_effects),
            (WriteSetKnowledge{"predicted", concat(quoted, "; no room", unobserved)}));
}

TEST(WriteSetChoices, AreTheOperatorsWhereOneIsMade) {
  PlanOptions options;
  options.write_set = WriteSetWay::predicted;
  EXPECT_EQ(knowledge_of(options, {}, opaque_effects),
            (WriteSetKnowledge{"predicted", "--write-set predicted", true}));
  options.write_set = WriteSetWay::rehearsed;
  EXPECT_EQ(knowledge_of(options, {}, {}),
            (WriteSetKnowledge{"rehearsed", "--write-set rehearsed", true}));
  options.mode = InstallMode::rehearse;
  EXPECT_EQ(knowledge_of(options, {}, {}), (WriteSetKnowledge{"rehearsed", "", true}));
}

TEST(WriteSetChoices, HaveNames) {
  EXPECT_EQ(write_set_way_named("auto"), WriteSetWay::automatic);
  EXPECT_EQ(write_set_way_named("rehearsed"), WriteSetWay::rehearsed);
  EXPECT_EQ(write_set_way_named("predicted"), WriteSetWay::predicted);
  EXPECT_EQ(write_set_way_named("observed"), WriteSetWay::observed);
  EXPECT_EQ(write_set_way_named("seen"), std::nullopt);
}

}  // namespace
}  // namespace topsctl
