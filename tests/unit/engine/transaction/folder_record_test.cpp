// What folders held before a transaction, and what is known of it later.
#include "topsctl/engine/transaction/folder_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/sample_host.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Eq;

class FolderRecords : public testing::Test {
 protected:
  FolderRecords() {
    sample_.folder.write("usr/lib/x/libfoo.so", "1");
    sample_.folder.write("tmp/y/z", "1");
    WriteSetSummary summary;
    snapshot_ = take_snapshot(sample_.host, {{"/usr/lib/x/own"}}, store_.path(), summary);
    record_ = record_folders(sample_.host, snapshot_, store_.path());
  }

  SampleHost sample_;
  TemporaryFolder store_;
  Snapshot snapshot_;
  FolderRecord record_;
};

TEST_F(FolderRecords, SayWhatWasThereAndWhatNobodyLookedAt) {
  EXPECT_THAT(record_.held("/usr/lib/x/libfoo.so"), Eq(true));
  EXPECT_THAT(record_.held("/usr/lib/x"), Eq(true));
  EXPECT_THAT(record_.held("/usr/lib/x/libfoo"), Eq(false)) << "a beginning of a name";
  EXPECT_THAT(record_.held("/usr/lib/new/deep/x"), Eq(false))
      << "nothing was in a folder that was not there";
  EXPECT_THAT(record_.held("/tmp/y/z"), Eq(std::nullopt)) << "not looked at";
  EXPECT_THAT(record_.held("/"), Eq(std::nullopt));
  EXPECT_EQ(record_.at("/tmp"), nullptr);
  ASSERT_NE(record_.at("/usr/lib/x"), nullptr);
}

TEST_F(FolderRecords, AreReadAsTheyWereWritten) {
  const auto loaded = load_folder_record(store_.path());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->folders, record_.folders);
  EXPECT_EQ(loaded->since_ns, record_.since_ns);
}

TEST_F(FolderRecords, CountAsAbsentWhenTheyAreNotWhole) {
  fs::resize_file(store_ / "folders", fs::file_size(store_ / "folders") - 1);
  EXPECT_FALSE(load_folder_record(store_.path()));
  std::ofstream(store_ / "folders") << "short";
  EXPECT_FALSE(load_folder_record(store_.path()));
  remove_folder_record(store_.path());
  EXPECT_FALSE(load_folder_record(store_.path()));
}

}  // namespace
}  // namespace topsctl
