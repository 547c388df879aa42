// The batch of a script's words.
#include "topsctl/engine/launch/training_batch.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(TrainingBatches, AreThoseOfTheScriptsWords) {
  EXPECT_EQ(global_batch_of({"train.py", "--global-batch-size", "512", "--batch-size", "4"}, 8),
            512);
  EXPECT_EQ(global_batch_of({"train.py", "--batch_size=4"}, 8), 32);
  EXPECT_EQ(global_batch_of({"train.py", "--batch-size", "four"}, 8), std::nullopt);
  EXPECT_EQ(global_batch_of({"train.py", "--batch-size"}, 8), std::nullopt);
  EXPECT_EQ(global_batch_of({"train.py", "--batch-size", "4", "--batch-size=8"}, 2), 16)
      << "the last one counts";
}

}  // namespace
}  // namespace topsctl
