// When a training is started once more.
#include "engine/launch/restart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

AttemptEnd helped(const std::string& place) {
  return {"rank-killed", true, place};
}

TEST(Restart, FollowsACauseAgainstWhichItHelps) {
  RestartRules rules;
  rules.most = 2;
  EXPECT_THAT(objection_to_restart(rules, {helped("1/9")}), IsEmpty());
  EXPECT_THAT(objection_to_restart(rules, {helped("1/9"), helped("5/9")}), IsEmpty());
}

TEST(Restart, IsMadeNoMoreThanSoManyTimes) {
  RestartRules rules;
  EXPECT_EQ(objection_to_restart(rules, {helped("1")}), "no restart was asked for");
  rules.most = 1;
  EXPECT_EQ(objection_to_restart(rules, {helped("1"), helped("2")}),
            "it has been restarted 1 time");
}

TEST(Restart, DoesNotFollowAFaultInCodeUnlessItIsAskedFor) {
  RestartRules rules;
  rules.most = 9;
  const AttemptEnd fault{"module-missing", false, ""};
  EXPECT_THAT(objection_to_restart(rules, {fault}), HasSubstr("module-missing"));
  EXPECT_EQ(objection_to_restart(rules, {{"", false, ""}}), "no cause is known");
  rules.causes = {"module-missing"};
  EXPECT_THAT(objection_to_restart(rules, {fault}), IsEmpty());
}

TEST(Restart, FollowsAnyFailureIfThatIsAskedFor) {
  RestartRules rules;
  rules.most = 2;
  rules.causes = {"unknown"};
  const AttemptEnd fault{"module-missing", false, ""};
  EXPECT_THAT(objection_to_restart(rules, {{"", false, ""}, {"", false, ""}}), IsEmpty());
  EXPECT_THAT(objection_to_restart(rules, {fault}), HasSubstr("module-missing"));
  rules.causes = {"any"};
  EXPECT_THAT(objection_to_restart(rules, {fault, fault}), IsEmpty());
  EXPECT_THAT(objection_to_restart(rules, {fault, fault, fault}), HasSubstr("restarted 2 times"));
  rules.delay_s = 60;
  EXPECT_EQ(restart_pause_ms(rules, 9), 60'000);
}

TEST(Restart, EndsWithTheSameCauseAtTheSamePlace) {
  RestartRules rules;
  rules.most = 9;
  EXPECT_EQ(objection_to_restart(rules, {helped("7/9"), helped("8/9"), helped("7/9")}),
            "rank-killed twice at the same place");
  EXPECT_THAT(objection_to_restart(rules, {{"port-in-use", true, "7/9"}, helped("7/9")}),
              IsEmpty());
}

TEST(Restart, ComesAfterPausesThatGrow) {
  EXPECT_EQ(restart_pause_ms({}, 1), 5'000);
  EXPECT_EQ(restart_pause_ms({}, 2), 10'000);
  EXPECT_EQ(restart_pause_ms({}, 3), 20'000);
  EXPECT_EQ(restart_pause_ms({}, 1000), 300'000);
}

TEST(Restart, ResumesFromACheckpointOfAnyName) {
  RestartRules rules;
  rules.resume = " --resume-from  {checkpoint} x={checkpoint}";
  EXPECT_THAT(resume_words(rules, "a b/{checkpoint}.pt"),
              ElementsAre("--resume-from", "a b/{checkpoint}.pt", "x=a b/{checkpoint}.pt"));
}

}  // namespace
}  // namespace topsctl
