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

LaunchWishes wishes_of_second_host() {
  LaunchWishes second = wishes();
  NodePlace place;
  place.node = 1;
  place.hosts = {{"n0", "10.0.0.1"}, {"n1", "10.0.0.2"}};
  place.master = "10.0.0.1";
  place.rendezvous = "20261125T000000Z-7";
  second.place = place;
  return second;
}

TEST(LaunchPlans, NumberRanksInTheOrderOfTheHosts) {
  const LaunchPlan plan = plan_launch(wishes_of_second_host());
  for (const char* word : {"--nnodes=2", "--nproc_per_node=8", "--node_rank=1",
                           "--master_addr=10.0.0.1", "--master_port=29500"})
    EXPECT_THAT(plan.argv, Contains(std::string(word)));
  EXPECT_EQ(plan.environment.at(addresses_variable), "n0=10.0.0.1 n1=10.0.0.2");
}

TEST(LaunchPlans, MeetWhereRanksCanBeStartedAgain) {
  LaunchWishes second = wishes_of_second_host();
  second.engine_restarts = 2;
  for (const char* word : {"--nnodes=2", "--nproc_per_node=8", "--rdzv_backend=c10d",
                           "--rdzv_endpoint=10.0.0.1:29500", "--rdzv_id=20261125T000000Z-7",
                           "--rdzv_conf=is_host=0,read_timeout=600", "--max_restarts=2"})
    EXPECT_THAT(plan_launch(second).argv, Contains(std::string(word)));
  second.place->node = 0;
  EXPECT_THAT(plan_launch(second).argv,
              Contains(std::string("--rdzv_conf=is_host=1,read_timeout=600")));
  second.place->master = "fd00::1";
  EXPECT_THAT(plan_launch(second).argv, Contains(std::string("--rdzv_endpoint=[fd00::1]:29500")));
}

TEST(LaunchPlans, OfOneHostAmongOneMeetThere) {
  LaunchWishes alone = wishes_of_second_host();
  alone.place->node = 0;
  alone.place->hosts.pop_back();
  EXPECT_EQ(plan_launch(alone).argv, plan_launch(wishes()).argv);
  EXPECT_EQ(plan_launch(alone).environment, plan_launch(wishes()).environment);
}

TEST(LaunchPlans, NumberRanksOverAllHostsWithoutTorchrun) {
  LaunchWishes second = wishes_of_second_host();
  second.engine = LaunchEngine::topsctl;
  const auto environment = environment_of_rank(plan_launch(second), 3);
  EXPECT_EQ(environment.at("RANK"), "11");
  EXPECT_EQ(environment.at("LOCAL_RANK"), "3");
  EXPECT_EQ(environment.at("WORLD_SIZE"), "16");
  EXPECT_EQ(environment.at("GROUP_RANK"), "1");
  EXPECT_EQ(environment.at("MASTER_ADDR"), "10.0.0.1");
}

}  // namespace
}  // namespace topsctl
