// The batch of a rank is found where a configuration says it plainly, and nowhere else.
#include "engine/launch/configured_batch.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

class ConfiguredBatches : public testing::Test {
 protected:
  std::optional<std::int64_t> batch_of(std::string_view text) const {
    folder_.write("configs/t20.py", text);
    return configured_batch({folder_.path() / "configs/t20.py"});
  }

  const TemporaryFolder folder_;
};

TEST_F(ConfiguredBatches, AreThoseOfTheTrainDataloader) {
  EXPECT_EQ(batch_of("train_dataloader = dict(\n    batch_size=2,  # per card\n    num_workers=4,\n"
                     "    sampler=dict(type='DefaultSampler', batch_size=9))\n"
                     "val_dataloader = dict(batch_size=1)\n"),
            2);
  EXPECT_EQ(batch_of("train_dataloader = {'num_workers': f(1, 2), 'batch_size': 8}\n"), 8);
  EXPECT_EQ(batch_of("size = 16\ntrain_dataloader = dict(batch_size=size)\n"), 16);
  EXPECT_EQ(batch_of("data = dict(samples_per_gpu=4, workers_per_gpu=2)\n"), 4);
}

TEST_F(ConfiguredBatches, AreThoseOfTheBase) {
  folder_.write("base/data.py", "train_dataloader = dict(batch_size=2, num_workers=2)\n");
  folder_.write("base/schedule.py", "train_cfg = dict(max_epochs=12)\n");
  const std::string bases = "_base_ = ['../base/data.py', '../base/schedule.py']\n";
  EXPECT_EQ(batch_of(bases), 2);
  EXPECT_EQ(batch_of(bases + "train_dataloader = dict(num_workers=8)\n"), 2);
  EXPECT_EQ(batch_of(bases + "train_dataloader = dict(batch_size=6)\n"), 6);
  EXPECT_EQ(batch_of(bases + "train_dataloader = dict(_delete_=True, num_workers=8)\n"),
            std::nullopt);
  EXPECT_EQ(batch_of("_base_ = '../base/none.py'\n"), std::nullopt);
  EXPECT_EQ(batch_of("_base_ = 't20.py'\n"), std::nullopt) << "its own base";
  EXPECT_EQ(batch_of("_base_ = 'mmdet::base.py'\n"), std::nullopt);
}

TEST_F(ConfiguredBatches, AreUnknownWhereTheTextDoesNotSayThemPlainly) {
  for (const char* text :
       {"", "this is no Python\n", "train_dataloader = dict(batch_size=2 * 4)\n",
        "train_dataloader = dict(batch_size=size)\n", "train_dataloader = dict(batch_size=0)\n",
        "train_dataloader = dict(**common)\n", "train_dataloader = make(batch_size=2)\n",
        "train_dataloader = dict(batch_size=2) if x else dict(batch_size=4)\n",
        "train_dataloader = dict(batch_size=2)\ntrain_dataloader.update(batch_size=4)\n",
        "if x:\n    train_dataloader = dict(batch_size=2)\n",
        "train_dataloader = dict(batch_size=2)\ndata = dict(samples_per_gpu=4)\n",
        "data = dict(samples_per_gpu=2, train_dataloader=dict(samples_per_gpu=4))\n",
        "with read_base():\n    from .base import *\n"})
    EXPECT_EQ(batch_of(text), std::nullopt) << text;
}

}  // namespace
}  // namespace topsctl
