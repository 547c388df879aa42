// Where received files are put, and names that would leave it.
#include "topsctl/host/filesystem/destination.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

TEST(NamesOfReceivedFiles, StayInTheirFolder) {
  for (const char* name : {"a.deb", "debs/a.deb", "-rf", "a b'c\"$", "文件.whl", "...", ".hidden"})
    EXPECT_TRUE(is_safe_name(name)) << name;
  for (const std::string& name :
       {std::string(), std::string("/etc/passwd"), std::string("../a"), std::string("a/../b"),
        std::string("a//b"), std::string("a/"), std::string("."), std::string("a/."),
        std::string("a\nb"), std::string("a\x1b[2J"), std::string("\xff"), std::string("a\0b", 3),
        std::string(256, 'a')})
    EXPECT_FALSE(is_safe_name(name)) << name;
}

TEST(Destinations, GetFilesAsLinks) {
  const TemporaryFolder folder;
  const auto object = folder.write("object", "content");
  const Destination destination(folder / "dest");
  destination.place(object, "debs/a.deb");
  destination.place(object, "b.deb");
  EXPECT_TRUE(destination.holds(object, "debs/a.deb"));
  EXPECT_FALSE(destination.holds(object, "c.deb"));
  EXPECT_EQ(folder.read("dest/b.deb"), "content");
  EXPECT_EQ(std::filesystem::hard_link_count(object), 3U);
}

TEST(Destinations, ReplaceWhatHasTheName) {
  const TemporaryFolder folder;
  const auto object = folder.write("object", "new");
  const auto elsewhere = folder.write("elsewhere", "untouched");
  folder.write("dest/a", "old");
  std::filesystem::create_symlink(elsewhere, folder / "dest/b");
  std::filesystem::permissions(folder / "dest", std::filesystem::perms::owner_all);
  const Destination destination(folder / "dest");
  destination.place(object, "a");
  destination.place(object, "b");
  destination.place(object, "b");
  EXPECT_EQ(folder.read("dest/a"), "new");
  EXPECT_EQ(folder.read("dest/b"), "new");
  EXPECT_EQ(folder.read("elsewhere"), "untouched");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "dest"), {}), 2);
}

TEST(Destinations, FollowNoLinkToAnotherFolder) {
  const TemporaryFolder folder;
  const auto object = folder.write("object", "new");
  const auto outside = folder.make_folder("outside");
  const Destination destination(folder / "dest");
  std::filesystem::create_directory_symlink(outside, folder / "dest/debs");
  EXPECT_NO_FATAL_FAILURE(thrown_by([&] { destination.place(object, "debs/a.deb"); }));
  EXPECT_TRUE(std::filesystem::is_empty(outside));
}

TEST(Destinations, TakeNoNameThatLeavesThem) {
  const TemporaryFolder folder;
  const auto object = folder.write("object", "new");
  const Destination destination(folder / "dest");
  EXPECT_EQ(thrown_by([&] { destination.place(object, "../a"); }).code(), ErrorCode::bad_bundle);
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

}  // namespace
}  // namespace topsctl
