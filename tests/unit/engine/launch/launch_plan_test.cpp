// Command lines and environments of launches.
#include "topsctl/engine/launch/launch_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Key;
using testing::Not;

LaunchWishes wishes() {
  LaunchWishes wishes;
  wishes.words = {"train.py", "--lr", "0.1"};
  wishes.python = "/usr/bin/python3.8";
  wishes.ranks = 8;
  wishes.master_port = "29500";
  wishes.log_folder = "/srv/logs";
  wishes.own_program = "/usr/bin/topsctl";
  wishes.environment = {{"PATH", "/usr/bin"}, {"RANK", "0"}, {"WORLD_SIZE", "8"}};
  return wishes;
}

TEST(LaunchPlans, GoThroughTorchrun) {
  const LaunchPlan plan = plan_launch(wishes());
  EXPECT_THAT(plan.argv,
              ElementsAre("/usr/bin/python3.8", "-m", "torch.distributed.run", "--nnodes=1",
                          "--nproc_per_node=8", "--master_addr=127.0.0.1", "--master_port=29500",
                          "--redirects=1", "--tee=1", "--log_dir=/srv/logs/torchrun", "--no_python",
                          "/usr/bin/topsctl", "rank", "/srv/logs", "--", "/usr/bin/python3.8",
                          "train.py", "--lr", "0.1"));
}

TEST(LaunchPlans, ForgetTheRankOfAnEarlierStart) {
  const LaunchPlan plan = plan_launch(wishes());
  EXPECT_THAT(plan.environment, Not(Contains(Key("RANK"))));
  EXPECT_THAT(plan.environment, Not(Contains(Key("WORLD_SIZE"))));
  EXPECT_EQ(plan.environment.at("PYTHONUNBUFFERED"), "1");
}

TEST(LaunchPlans, ShowTheRanksTheCardsThatAreNamed) {
  LaunchWishes some = wishes();
  EXPECT_THAT(plan_launch(some).environment, Not(Contains(Key("TOPS_VISIBLE_DEVICES"))));
  some.cards = "0,1,4";
  EXPECT_EQ(plan_launch(some).environment.at("TOPS_VISIBLE_DEVICES"), "0,1,4");
}

TEST(LaunchPlans, StartRanksThemselvesWithoutTorchrun) {
  LaunchWishes old = wishes();
  old.engine = LaunchEngine::topsctl;
  const LaunchPlan plan = plan_launch(old);
  EXPECT_THAT(plan.argv, ElementsAre("/usr/bin/topsctl", "rank", "/srv/logs", "--",
                                     "/usr/bin/python3.8", "train.py", "--lr", "0.1"));
  const auto environment = environment_of_rank(plan, 3);
  EXPECT_EQ(environment.at("RANK"), "3");
  EXPECT_EQ(environment.at("LOCAL_RANK"), "3");
  EXPECT_EQ(environment.at("WORLD_SIZE"), "8");
  EXPECT_EQ(environment.at("MASTER_ADDR"), "127.0.0.1");
  EXPECT_EQ(environment.at("MASTER_PORT"), "29500");
}

}  // namespace
}  // namespace topsctl
