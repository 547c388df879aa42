// Tests of paths whose folders are remembered.
#include "topsctl/host/filesystem/canonical_paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {
namespace {

TEST(CanonicalPaths, AreThoseOfEachPathAlone) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "usr/lib");
  std::filesystem::create_symlink("usr/lib", folder.path() / "lib");
  std::filesystem::create_symlink("/nowhere", folder.path() / "usr/lib/link");
  std::filesystem::create_symlink("../..", folder.path() / "usr/lib/up");
  std::filesystem::create_directories(folder.path() / "usr/lib/deep/er");
  folder.write("usr/lib/file", "");
  CanonicalPaths canonical(folder.path());
  for (const char* path : {"/",
                           "/lib",
                           "/lib/a",
                           "/lib/b",
                           "/lib/link",
                           "/lib/link/c",
                           "/lib/.",
                           "/lib/..",
                           "/lib/",
                           "//lib//a",
                           "/usr/../lib/a",
                           "/gone/a",
                           "a",
                           "lib/a",
                           "/lib/up/lib/up/lib/deep/er/x",
                           "/lib/deep/er/x",
                           "/lib/deep/er/y",
                           "/lib/file/x/y",
                           "/gone/deep/er/x",
                           "/gone/../lib/a",
                           "/lib/deep/../link/x/y",
                           "lib/deep/er/x"}) {
    EXPECT_EQ(canonical.of(path), canonical_in_root(folder.path(), path)) << path;
  }
  EXPECT_EQ(canonical.of("/lib/a"), "/usr/lib/a");
}

}  // namespace
}  // namespace topsctl
