// Ranks and batches that come out even, and those that do not.
#include "topsctl/engine/cluster/rank_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/error.hpp"

namespace topsctl {
namespace {

TEST(RankLayouts, DivideRanksAndBatches) {
  const RankLayout layout = lay_out({16, 8, 8, 4, 2, 512});
  EXPECT_EQ(layout.ranks, 128);
  EXPECT_EQ(layout.data, 4);
  EXPECT_EQ(layout.global_batch, 512);
  EXPECT_EQ(layout.accumulation, 64);
  const std::vector<PipelineStage> stages = stages_of(layout);
  ASSERT_EQ(stages.size(), 4U);
  EXPECT_EQ(stages[0].first_host, 0);
  EXPECT_EQ(stages[0].last_host, 3);
  EXPECT_EQ(stages[3].last_host, 15);
}

TEST(RankLayouts, LeaveABatchUnsaid) {
  EXPECT_EQ(lay_out({2, 8}).data, 16);
  EXPECT_EQ(lay_out({2, 8}).global_batch, 0);
  EXPECT_EQ(lay_out({2, 8, 1, 1, 4}).global_batch, 64);
  EXPECT_EQ(lay_out({2, 8, 1, 1, 0, 64}).global_batch, 64);
  EXPECT_EQ(lay_out({2, 8, 1, 1, 0, 64}).accumulation, 0);
}

TEST(RankLayouts, AreComparedWithMegatronsOptions) {
  const RankLayout layout = lay_out({4, 8, 2, 4, 4, 512});
  EXPECT_THAT(contradictions(layout, {"train.py", "--tensor-model-parallel-size", "2",
                                      "--micro-batch-size=4", "--global-batch-size", "512"}),
              testing::IsEmpty());
  EXPECT_THAT(contradictions(layout, {"train.py", "--tensor-model-parallel-size", "4",
                                      "--pipeline-model-parallel-size=2"}),
              testing::ElementsAre(testing::HasSubstr("4 of the script contradicts --tp 2"),
                                   testing::HasSubstr("2 of the script contradicts --pp 4")));
  EXPECT_THAT(contradictions(lay_out({4, 8}), {"train.py", "--global-batch-size", "8"}),
              testing::IsEmpty())
      << "the layout says nothing of it";
}

TEST(RankLayouts, MayPutSeveralStagesOnAHost) {
  const std::vector<PipelineStage> stages = stages_of(lay_out({1, 8, 2, 4}));
  EXPECT_EQ(stages.size(), 4U);
  EXPECT_EQ(stages[3].first_host, 0);
}

TEST(RankLayouts, RefuseWhatCannotBe) {
  for (const LayoutWishes& wishes :
       {LayoutWishes{2, 8, 16}, LayoutWishes{2, 8, 3}, LayoutWishes{2, 8, 8, 3},
        LayoutWishes{3, 8, 1, 2}, LayoutWishes{2, 8, 1, 1, 4, 63}, LayoutWishes{2, 8, 1, 1, 0, 63},
        LayoutWishes{1, 8, 8, 2}}) {
    EXPECT_THROW(lay_out(wishes), Error) << wishes.hosts << ' ' << wishes.tensor << ' '
                                         << wishes.pipeline << ' ' << wishes.global_batch;
  }
}

}  // namespace
}  // namespace topsctl
