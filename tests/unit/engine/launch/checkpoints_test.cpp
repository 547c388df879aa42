// Which checkpoints are whole, which is the newest, and which ones go.
#include "engine/launch/checkpoints.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <limits>

#include "support/temporary_folder.hpp"
#include "support/zips.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

std::string archive() {
  SampleZip zip;
  zip.members = {{"archive/data.pkl", "state"}};
  return zip.bytes();
}

class Checkpoints : public testing::Test {
 protected:
  // Each a second after the one before.
  void write(const std::string& name, const std::string& bytes) {
    folder_.write(name, bytes);
    const timespec time{++now_, 0};
    const timespec times[] = {time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, (folder_ / name).c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }
  void write_whole(const std::string& name) { write(name, archive()); }
  void write_half(const std::string& name) {
    const std::string whole = archive();
    write(name, whole.substr(0, whole.size() / 2));
  }
  std::vector<std::string> whole() const { return names(checkpoints_in(folder_.path()).whole); }
  static std::vector<std::string> names(const std::vector<Checkpoint>& checkpoints) {
    std::vector<std::string> found;
    for (const Checkpoint& each : checkpoints) found.push_back(fs::path(each.path).filename());
    return found;
  }
  static constexpr std::int64_t second = 1'000'000'000;
  static constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

  TemporaryFolder folder_;
  std::int64_t now_ = 1'700'000'000;
};

TEST_F(Checkpoints, AreOrderedByNumberNotByText) {
  write_whole("epoch_10.pth");
  write_whole("epoch_9.pth");
  EXPECT_THAT(whole(), ElementsAre("epoch_9.pth", "epoch_10.pth"));
}

TEST_F(Checkpoints, OfTheFamilyThatWasWrittenLastAreTheNewest) {
  write_whole("epoch_12.pth");
  write_whole("iter_3.pth");
  EXPECT_THAT(whole(), ElementsAre("epoch_12.pth", "iter_3.pth"));
}

TEST_F(Checkpoints, ThatAreNotWholeAreNamedAndPassedOver) {
  write_whole("step9.pt");
  write_half("step10.pt");
  write("step11.ckpt", "");
  const CheckpointFolder found = checkpoints_in(folder_.path());
  EXPECT_THAT(names(found.whole), ElementsAre("step9.pt"));
  EXPECT_THAT(found.unfinished, ElementsAre(folder_ / "step10.pt", folder_ / "step11.ckpt"));
}

TEST_F(Checkpoints, OfMMEngineAreFollowed) {
  write_whole("epoch_2.pth");
  write_whole("epoch_3.pth");
  write("last_checkpoint", "/srv/run/epoch_2.pth");
  EXPECT_THAT(whole(), ElementsAre("epoch_3.pth", "epoch_2.pth"));
  write_half("epoch_2.pth");
  EXPECT_THAT(whole(), ElementsAre("epoch_3.pth"));
}

TEST_F(Checkpoints, AreNeitherLinksNorTheBestNorOtherFiles) {
  write_whole("best_mAP_epoch_7.pth");
  write_whole("data.zip");
  write_whole("epoch_1.pth");
  fs::create_symlink("epoch_1.pth", folder_ / "latest.pth");
  fs::create_directory(folder_ / "epoch_5.pth");
  EXPECT_THAT(whole(), ElementsAre("epoch_1.pth"));
  EXPECT_THAT(checkpoints_in(folder_ / "nowhere").whole, IsEmpty());
}

TEST_F(Checkpoints, ThatAreOlderGoIfThisRunHasWrittenThem) {
  write_whole("epoch_1.pth");  // of an earlier run
  const std::int64_t began = (now_ + 1) * second;
  for (const char* name : {"epoch_2.pth", "epoch_3.pth", "epoch_4.pth"}) write_whole(name);
  write_half("epoch_5.pth");
  write_whole("final.pth");
  const CheckpointFolder found = checkpoints_in(folder_.path());
  EXPECT_THAT(remove_older_checkpoints(found, 2, began, no_end),
              ElementsAre(folder_ / "epoch_2.pth"));
  EXPECT_TRUE(fs::exists(folder_ / "epoch_1.pth"));
  EXPECT_TRUE(fs::exists(folder_ / "epoch_5.pth"));
  EXPECT_THAT(whole(), ElementsAre("epoch_1.pth", "epoch_3.pth", "epoch_4.pth", "final.pth"));
}

TEST_F(Checkpoints, OfEpochsAndStepsAreOneFamily) {
  for (const int epoch : {9, 10}) {
    for (const int step : {50, 100})
      write_whole("checkpoint_epoch_" + std::to_string(epoch) + "_step_" + std::to_string(step) +
                  ".pt");
  }
  const CheckpointFolder found = checkpoints_in(folder_.path());
  EXPECT_THAT(remove_older_checkpoints(found, 2, 0, no_end),
              ElementsAre(folder_ / "checkpoint_epoch_9_step_50.pt",
                          folder_ / "checkpoint_epoch_9_step_100.pt"));
  EXPECT_EQ(newest_since(found, 0)->path, folder_ / "checkpoint_epoch_10_step_100.pt");
}

TEST_F(Checkpoints, AreNotOrderedByWhatMeasures) {
  write_whole("epoch=1-val_loss=0.90.ckpt");
  write_whole("epoch=2-val_loss=0.15.ckpt");
  const CheckpointFolder found = checkpoints_in(folder_.path());
  EXPECT_THAT(remove_older_checkpoints(found, 1, 0, no_end),
              ElementsAre(folder_ / "epoch=1-val_loss=0.90.ckpt"));
}

TEST_F(Checkpoints, ThatWereWrittenAgainMeanwhileStay) {
  for (const char* name : {"epoch_1.pth", "epoch_2.pth"}) write_whole(name);
  const CheckpointFolder found = checkpoints_in(folder_.path());
  write_whole("epoch_1.pth");
  EXPECT_THAT(remove_older_checkpoints(found, 1, 0, no_end), IsEmpty());
}

TEST_F(Checkpoints, StayWhileWhatIsNewerMayStillBeLost) {
  for (const char* name : {"epoch_1.pth", "epoch_2.pth"}) write_whole(name);
  const CheckpointFolder found = checkpoints_in(folder_.path());
  EXPECT_THAT(remove_older_checkpoints(found, 1, 0, now_ * second), IsEmpty());
  EXPECT_THAT(remove_older_checkpoints(found, 1, 0, (now_ + 1) * second),
              ElementsAre(folder_ / "epoch_1.pth"));
}

TEST_F(Checkpoints, OfATrainingThatBeganAnewStay) {
  for (const char* name : {"epoch_4.pth", "epoch_5.pth", "epoch_1.pth", "epoch_2.pth"})
    write_whole(name);
  EXPECT_THAT(remove_older_checkpoints(checkpoints_in(folder_.path()), 1, 0, no_end),
              testing::UnorderedElementsAre(folder_ / "epoch_4.pth"))
      << "epoch_1 and epoch_2 are later than what has higher numbers";
}

TEST_F(Checkpoints, InPartsAreNotTakenForOlderOnes) {
  for (const char* name : {"epoch_3_rank_0.pt", "epoch_3_rank_1.pt", "epoch_3_rank_2.pt"})
    write_whole(name);
  EXPECT_THAT(remove_older_checkpoints(checkpoints_in(folder_.path()), 1, 0, no_end), IsEmpty());
}

TEST_F(Checkpoints, NewerThanTheOneThatMMEngineNamesStay) {
  for (const char* name : {"epoch_4.pth", "epoch_5.pth", "epoch_6.pth"}) write_whole(name);
  write("last_checkpoint", "epoch_5.pth");
  EXPECT_THAT(remove_older_checkpoints(checkpoints_in(folder_.path()), 1, 0, no_end),
              ElementsAre(folder_ / "epoch_4.pth"));
}

TEST_F(Checkpoints, OfAnEarlierRunAreNotGoneOnFrom) {
  write_whole("epoch_100.pth");
  const std::int64_t began = (now_ + 1) * second;
  EXPECT_EQ(newest_since(checkpoints_in(folder_.path()), began), std::nullopt);
  write_whole("epoch_3.pth");
  const auto newest = newest_since(checkpoints_in(folder_.path()), began);
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->path, folder_ / "epoch_3.pth");
}

}  // namespace
}  // namespace topsctl
