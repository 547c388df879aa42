// Removal of whole folders, and of nothing else.
#include "topsctl/host/filesystem/removal.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;

TEST(RemoveTree, RemovesAllInAFolderAndFollowsNoLink) {
  const TemporaryFolder folder;
  for (int i = 0; i < 100; ++i)
    folder.write("tree/" + std::to_string(i % 7) + "/" + std::to_string(i), "x");
  folder.write("other/file", "stays");
  fs::create_directory_symlink(folder / "other", folder / "tree/link");
  remove_tree(folder / "tree");
  EXPECT_FALSE(fs::exists(folder / "tree"));
  EXPECT_TRUE(fs::exists(folder / "other/file"));
}

TEST(RemoveTree, DoesNothingWhereNothingIs) {
  const TemporaryFolder folder;
  remove_tree(folder / "none");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace topsctl
