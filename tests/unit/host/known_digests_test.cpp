// Tests of digests that count until the file changes.
#include "topsctl/host/known_digests.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../support/temporary_folder.hpp"
#include "topsctl/host/digest.hpp"
#include "topsctl/host/file_state.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;

class DigestsOfFiles : public testing::Test {
 protected:
  // Until the file is no longer one that was changed just now.
  void take(const fs::path& file) {
    while (!known_.find(file)) known_.take(file);
  }

  TemporaryFolder folder_;
  KnownDigests known_;
};

TEST_F(DigestsOfFiles, CountWhileNothingChanges) {
  folder_.write("a", "old");
  const fs::path file = folder_ / "a";
  EXPECT_EQ(known_.find(file), std::nullopt);
  take(file);
  EXPECT_EQ(known_.find(file), sha256_of("old"));
}

// Size and time of modification are the same: the time of change is not, and cannot be set.
TEST_F(DigestsOfFiles, DoNotCountForAChangeThatHidesItself) {
  folder_.write("a", "old");
  const fs::path file = folder_ / "a";
  const FileState before = file_state(file, Content::digest);
  take(file);
  folder_.write("a", "new");
  apply_attributes(file, before);
  EXPECT_EQ(known_.find(file), std::nullopt);
}

TEST_F(DigestsOfFiles, AreNotTakenOfWhatMayStillChangeUnseen) {
  const fs::path file = folder_ / "a";
  bool was_left_out = false;
  // A test that is held up may look too late.
  for (int tries = 0; tries < 100 && !was_left_out; ++tries) {
    folder_.write("a", std::to_string(tries));
    known_.take(file);
    was_left_out = !known_.find(file);
  }
  EXPECT_TRUE(was_left_out);
}

TEST_F(DigestsOfFiles, AreOfRegularFilesAlone) {
  folder_.write("a", "old");
  fs::create_symlink("a", folder_ / "link");
  take(folder_ / "a");
  known_.take(folder_ / "link");
  known_.take(folder_ / "gone");
  known_.take(folder_.path());
  for (const fs::path& path : {folder_ / "link", folder_ / "gone", folder_.path()}) {
    EXPECT_EQ(known_.find(path), std::nullopt);
  }
}

}  // namespace
}  // namespace topsctl
