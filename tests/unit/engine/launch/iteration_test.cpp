// How far lines say that a training has come.
#include "engine/launch/iteration.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(Iteration, IsToldByTheLinesOfFrameworks) {
  EXPECT_EQ(iteration_in("10/21 09:12:45 - mmengine - INFO - Epoch(train)  [2][ 50/100]  lr: 1e-2"),
            "2, 50/100");
  EXPECT_EQ(iteration_in("mmdet - INFO - Epoch [1][350/7330]\tlr: 2.0e-02, eta: 1 day"),
            "1, 350/7330");
  EXPECT_EQ(iteration_in("Iter(train) [ 100/80000]  base_lr: 1e-2"), "100/80000");
  EXPECT_EQ(iteration_in(" iteration      200/  500000 | consumed samples: 51200 |"), "200/500000");
  EXPECT_EQ(iteration_in(" 45%|####5     | 450/1000 [00:30<00:36, 15.0it/s]"), "450/1000");
  EXPECT_EQ(iteration_in("step: 30/90 loss 0.1"), "30/90");
  EXPECT_EQ(iteration_in("{\"loss\": 0.5, \"step\": 1200}"), "1200");
}

TEST(Iteration, HasABackendBesideTheRank) {
  EXPECT_EQ(backend_in("🔧 分布式环境初始化完成 - Rank 0/8, Backend: gloo"), "gloo");
  EXPECT_EQ(backend_in("Rank 3/8, backend eccl"), "eccl");
  EXPECT_EQ(backend_in("[rank 3/8] backend=NCCL ready"), "nccl");
  EXPECT_EQ(backend_in("rank 3 uses the backend"), std::nullopt);
}

TEST(Iteration, IsNotGuessed) {
  EXPECT_EQ(iteration_in("loading 3/4 shards"), std::nullopt);
  EXPECT_EQ(iteration_in("Epoch(val) [2][10/50]"), std::nullopt);
  EXPECT_EQ(iteration_in("steps will follow"), std::nullopt);
  EXPECT_EQ(iteration_in(""), std::nullopt);
}

}  // namespace
}  // namespace topsctl
