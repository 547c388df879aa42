// Whether an install predicts what it writes, or tries it out.
#include "engine/planning/write_set_choice.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

const ScriptEffects opaque = effects_of("postinst of x", "#!/bin/sh\npython3 -c 'x'\n");
constexpr const char* quoted = "postinst of x, line 2: python3 -c 'x'";

TEST(WriteSetChoices, ArePredictionsOfScriptsThatAreUnderstood) {
  EXPECT_EQ(knowledge_of({}, {}, effects_of("postinst of x", "#!/bin/sh\nldconfig\n")),
            (WriteSetKnowledge{"predicted", "all scripts are understood"}));
}

TEST(WriteSetChoices, AreTrialRunsOfOthersWhereTheseArePossible) {
  PlanOptions options;
  EXPECT_EQ(knowledge_of(options, {}, opaque), (WriteSetKnowledge{"rehearsed", quoted}));
  options.why_not_rehearsable = [](const Plan&) { return std::string(); };
  EXPECT_EQ(knowledge_of(options, {}, opaque), (WriteSetKnowledge{"rehearsed", quoted}));
  options.why_not_rehearsable = [](const Plan&) { return std::string("no room"); };
  EXPECT_EQ(knowledge_of(options, {}, opaque),
            (WriteSetKnowledge{"predicted", std::string(quoted) + "; no room"}));
}

TEST(WriteSetChoices, AreTheOperatorsWhereOneIsMade) {
  PlanOptions options;
  options.write_set = WriteSetWay::predicted;
  EXPECT_EQ(knowledge_of(options, {}, opaque),
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
  EXPECT_EQ(write_set_way_named("observed"), std::nullopt);
}

}  // namespace
}  // namespace topsctl
