// Moving a tree into a folder that has something already.
#include "topsctl/host/filesystem/tree_move.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;

class MovedTrees : public testing::Test {
 protected:
  MovedTrees() {
    folder_.write("from/a/b/c", "new");
    folder_.write("from/d", "new");
    folder_.make_folder("to");
  }
  void move() { move_tree(folder_ / "from", FileTree(folder_.path()), "/to"); }
  TemporaryFolder folder_;
};

TEST_F(MovedTrees, KeepWhatIsThereBesides) {
  folder_.write("to/a/b/c", "old");
  folder_.write("to/a/other", "other");
  move();
  EXPECT_EQ(folder_.read("to/a/b/c"), "new");
  EXPECT_EQ(folder_.read("to/a/other"), "other");
  EXPECT_EQ(folder_.read("to/d"), "new");
}

TEST_F(MovedTrees, ReplaceALinkAndNotWhatItLeadsTo) {
  folder_.write("elsewhere", "as it was");
  fs::create_symlink(folder_ / "elsewhere", folder_ / "to/d");
  move();
  EXPECT_EQ(folder_.read("elsewhere"), "as it was");
  EXPECT_FALSE(fs::is_symlink(folder_ / "to/d"));
}

TEST_F(MovedTrees, NeverGoThroughAFolderThatIsALink) {
  fs::create_symlink(folder_.make_folder("elsewhere"), folder_ / "to/a");
  EXPECT_THAT(thrown_by([&] { move(); }).message(), testing::HasSubstr("create directory"));
  EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

TEST_F(MovedTrees, RefuseAFolderInThePlaceOfAFile) {
  folder_.write("to/d/x", "in the way");
  EXPECT_THAT(thrown_by([&] { move(); }).message(), testing::HasSubstr("replace"));
  EXPECT_EQ(folder_.read("to/d/x"), "in the way");
}

TEST_F(MovedTrees, EndAtASignal) {
  watch_signals();
  std::raise(SIGINT);
  EXPECT_EQ(thrown_by([&] { move(); }).code(), ErrorCode::interrupted);
  clear_interrupt();
  EXPECT_EQ(folder_.read("from/d"), "new");
}

TEST_F(MovedTrees, ReachOtherFileSystems) {
  std::error_code failure;
  if (!fs::is_directory("/dev/shm", failure)) GTEST_SKIP() << "no other file system at hand";
  std::string name = "/dev/shm/topsctl-test-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) GTEST_SKIP() << "nothing may be written there";
  const fs::path other = name;
  fs::create_directories(other / "a");
  move_tree(folder_ / "from", FileTree("/"), other.string());
  EXPECT_EQ(TemporaryFolder::read_bytes(other / "a/b/c"), "new");
  EXPECT_EQ(TemporaryFolder::read_bytes(other / "d"), "new");
  EXPECT_EQ(fs::status(other / "d").permissions(), fs::perms(0644));
  fs::remove_all(other);
}

}  // namespace
}  // namespace topsctl
