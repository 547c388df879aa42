// Folders that are ours alone, and the ways to them.
#include "topsctl/host/filesystem/own_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

ErrorCode refusal_of(const std::filesystem::path& folder) {
  const ErrorCode code = thrown_by([&] { require_own_folder(folder); }).code();
  EXPECT_FALSE(std::filesystem::is_directory(folder)) << folder;
  return code;
}

TEST(OwnFolders, AreMadeForUsAlone) {
  const TemporaryFolder folder;
  require_own_folder(folder / "a/b");
  struct stat status {};
  ASSERT_EQ(::stat((folder / "a/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0700U);
  require_own_folder(folder / "a/b");
}

TEST(OwnFolders, AreNoLinksAndNotForOthers) {
  const TemporaryFolder folder;
  const auto open = folder.make_folder("open");
  ::chmod(open.c_str(), 0777);
  std::filesystem::create_directory_symlink(folder.make_folder("target"), folder / "link");
  for (const auto& place : {open, folder / "link", folder.write("file", "")})
    EXPECT_EQ(thrown_by([&] { require_own_folder(place); }).code(), ErrorCode::permission) << place;
}

TEST(OwnFolders, AreNotOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give a folder away";
  const TemporaryFolder folder;
  const auto theirs = folder.make_folder("theirs");
  ASSERT_EQ(::chown(theirs.c_str(), 65534, 65534), 0);
  EXPECT_EQ(thrown_by([&] { require_own_folder(theirs); }).code(), ErrorCode::permission);
}

TEST(WaysToOwnFolders, MayBeSetBySomebodyElseNowhere) {
  const TemporaryFolder folder;
  const auto open = folder.make_folder("a/open");
  ::chmod(open.c_str(), 0777);
  EXPECT_EQ(refusal_of(open / "ours"), ErrorCode::permission);
  EXPECT_EQ(refusal_of(open / "not/there/yet"), ErrorCode::permission);
  ::chmod(open.c_str(), 0770);
  EXPECT_EQ(refusal_of(open / "ours"), ErrorCode::permission);
  ::chmod(open.c_str(), 0755);
  ::chmod((folder / "a").c_str(), 0777);
  EXPECT_EQ(refusal_of(open / "ours"), ErrorCode::permission);
  ::chmod((folder / "a").c_str(), 0755);
  EXPECT_NO_THROW(require_own_folder(open / "ours"));
}

TEST(WaysToOwnFolders, MayLeadThroughStickyFolders) {
  const TemporaryFolder folder;
  const auto sticky = folder.make_folder("sticky");
  ::chmod(sticky.c_str(), 01777);
  EXPECT_NO_THROW(require_own_folder(sticky / "ours"));
}

TEST(WaysToOwnFolders, MayLeadThroughLinksOfOurs) {
  const TemporaryFolder folder;
  folder.make_folder("to/further");
  std::filesystem::create_directory_symlink(folder / "to", folder / "link");
  std::filesystem::create_directory_symlink("../to/further", folder / "to/other");
  EXPECT_NO_THROW(require_own_folder(folder / "link/other/ours"));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "to/further/ours"));
  // Where it leads counts too.
  ::chmod((folder / "to").c_str(), 0777);
  EXPECT_EQ(refusal_of(folder / "link/further/more"), ErrorCode::permission);
}

TEST(WaysToOwnFolders, MayLeadThroughAsManyLinksAsTheKernelFollows) {
  const TemporaryFolder folder;
  folder.make_folder("0");
  constexpr int most = 40;
  for (int i = 1; i <= most + 1; ++i)
    std::filesystem::create_directory_symlink(std::to_string(i - 1), folder / std::to_string(i));
  EXPECT_NO_THROW(require_own_folder(folder / std::to_string(most) / "ours"));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "0/ours"));
  EXPECT_THROW(require_own_folder(folder / std::to_string(most + 1) / "other"), Error);
}

TEST(WaysToOwnFolders, LeadThroughNothingOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give things away";
  const TemporaryFolder folder;
  const auto theirs = folder.make_folder("theirs");
  ASSERT_EQ(::chown(theirs.c_str(), 65534, 65534), 0);
  EXPECT_EQ(refusal_of(theirs / "ours"), ErrorCode::permission);
  const auto sticky = folder.make_folder("sticky");
  ::chmod(sticky.c_str(), 01777);
  std::filesystem::create_directory_symlink(folder.make_folder("ours"), sticky / "link");
  ASSERT_EQ(::lchown((sticky / "link").c_str(), 65534, 65534), 0);
  EXPECT_EQ(refusal_of(sticky / "link/below"), ErrorCode::permission);
}

}  // namespace
}  // namespace topsctl
