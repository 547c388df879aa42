// The batch of a script's words and of its configuration.
#include "topsctl/engine/launch/training_batch.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

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

TEST(TrainingBatches, AreThoseOfTheConfigurationAmongTheWords) {
  const TemporaryFolder folder;
  folder.write("t20.py", "train_dataloader = dict(batch_size=2)\n");
  const std::string file = (folder.path() / "t20.py").string();
  EXPECT_EQ(global_batch_of({"train.py", file, "--launcher", "pytorch"}, 8), 16);
  EXPECT_EQ(global_batch_of({"train.py", "--config=" + file}, 8), 16);
  EXPECT_EQ(
      global_batch_of({"train.py", file, "--cfg-options", "train_dataloader.batch_size=4"}, 8), 32);
  EXPECT_EQ(global_batch_of({"train.py", file, "--batch-size", "1"}, 8), 8);
  EXPECT_EQ(global_batch_of({"train.py", file}, 0), std::nullopt) << "no ranks";
  EXPECT_EQ(global_batch_of({file}, 8), std::nullopt) << "the script itself";
}

}  // namespace
}  // namespace topsctl
