// The state of single paths: read, compared and set.
#include "topsctl/host/filesystem/file_state.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using std::string_literals::operator""s;
using Type = FileState::Type;

bool set_xattr(const fs::path& path, const std::string& name, const std::string& value) {
  return ::lsetxattr(path.c_str(), name.c_str(), value.data(), value.size(), 0) == 0;
}

void set_mtime(const fs::path& path, std::int64_t seconds, std::int64_t nanoseconds) {
  const timespec times[2] = {{0, UTIME_OMIT}, {seconds, nanoseconds}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
}

TEST(FileStates, OfAnAbsentPathAreEmpty) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_EQ(file_state(folder / "none", Content::digest), FileState{});
  EXPECT_EQ(file_state(folder / "file/below", Content::digest), FileState{});
}

TEST(FileStates, HoldWhatRestoringNeeds) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "bytes");
  fs::permissions(file, fs::perms(04751));
  set_mtime(file, 1'600'000'000, 123'456'789);
  const FileState state = file_state(file, Content::digest);
  EXPECT_EQ(state.type, Type::file);
  EXPECT_EQ(state.mode, 0104751U);
  EXPECT_EQ(state.uid, ::geteuid());
  EXPECT_EQ(state.size, 5U);
  EXPECT_EQ(state.mtime_ns, 1'600'000'000'123'456'789);
  EXPECT_EQ(state.sha256, sha256_of("bytes"));
  EXPECT_EQ(file_state(file, Content::ignore).sha256, "");
}

TEST(FileStates, HoldTimesBefore1970) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "");
  set_mtime(file, -2, 500'000'000);
  const FileState state = file_state(file, Content::ignore);
  EXPECT_EQ(state.mtime_ns, -1'500'000'000);
  set_mtime(file, 0, 0);
  apply_attributes(file, state);
  EXPECT_EQ(file_state(file, Content::ignore), state);
}

TEST(FileStates, DoNotFollowLinks) {
  const TemporaryFolder folder;
  folder.write("file", "bytes");
  fs::create_symlink("file", folder / "link");
  fs::create_symlink("nowhere", folder / "dangling");
  EXPECT_EQ(file_state(folder / "link", Content::digest).type, Type::symlink);
  EXPECT_EQ(file_state(folder / "link", Content::digest).target, "file");
  EXPECT_EQ(file_state(folder / "dangling", Content::digest).target, "nowhere");
}

TEST(FileStates, KnowFoldersAndSpecialFiles) {
  const TemporaryFolder folder;
  folder.make_folder("folder");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(file_state(folder / "folder", Content::digest).type, Type::directory);
  EXPECT_EQ(file_state(folder / "folder", Content::digest).size, 0U);
  EXPECT_EQ(file_state(folder / "fifo", Content::digest).type, Type::special);
}

TEST(FileStates, HoldExtendedAttributes) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "");
  const std::string value = "a\0b\xff"s;
  if (!set_xattr(file, "user.one", value)) GTEST_SKIP() << "needs a file system with attributes";
  ASSERT_TRUE(set_xattr(file, "user.empty", ""));
  const FileState state = file_state(file, Content::ignore);
  EXPECT_EQ(state.xattrs.at("user.one"), value);
  EXPECT_EQ(state.xattrs.at("user.empty"), "");
}

TEST(FileIdentities, AreEqualForNamesOfOneFile) {
  const TemporaryFolder folder;
  folder.write("a", "");
  folder.write("c", "");
  fs::create_hard_link(folder / "a", folder / "b");
  EXPECT_EQ(file_identity(folder / "a"), file_identity(folder / "b"));
  EXPECT_NE(file_identity(folder / "a"), file_identity(folder / "c"));
  EXPECT_EQ(file_identity(folder / "a").links, 2U);
  EXPECT_EQ(file_identity(folder / "none"), FileIdentity{});
}

TEST(ApplyAttributes, PutsModeTimeAndAttributesBack) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "");
  fs::permissions(file, fs::perms(02750));
  const bool attributes = set_xattr(file, "user.one", "1");
  set_mtime(file, 1'000'000'000, 1);
  const FileState state = file_state(file, Content::ignore);
  if (attributes) {
    ASSERT_TRUE(set_xattr(file, "user.one", "2"));
    ASSERT_TRUE(set_xattr(file, "user.two", "2"));
  }
  fs::permissions(file, fs::perms(0666));
  set_mtime(file, 2'000'000'000, 2);
  apply_attributes(file, state);
  EXPECT_EQ(file_state(file, Content::ignore), state);
}

TEST(ApplyAttributes, WorksOnFoldersAndOnLinksThemselves) {
  const TemporaryFolder folder;
  folder.make_folder("folder");
  fs::create_symlink("folder", folder / "link");
  set_mtime(folder / "folder", 1'000'000'000, 7);
  set_mtime(folder / "link", 1'100'000'000, 8);
  const FileState a = file_state(folder / "folder", Content::ignore);
  const FileState b = file_state(folder / "link", Content::ignore);
  set_mtime(folder / "folder", 1'200'000'000, 0);
  set_mtime(folder / "link", 1'200'000'000, 0);
  apply_attributes(folder / "link", b);
  apply_attributes(folder / "folder", a);
  EXPECT_EQ(file_state(folder / "link", Content::ignore), b);
  EXPECT_EQ(file_state(folder / "folder", Content::ignore), a);
}

TEST(FileStates, AgreeInAllThatIsKnownOfBoth) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  const FileState read = file_state(folder / "a", Content::digest);
  const FileState unread = file_state(folder / "a", Content::ignore);
  EXPECT_TRUE(agree(read, unread));
  EXPECT_TRUE(agree(unread, read));
  FileState other = read;
  other.sha256.back() = other.sha256.back() == '0' ? '1' : '0';
  EXPECT_FALSE(agree(read, other));
  EXPECT_TRUE(agree(unread, other));
  other = unread;
  ++other.mtime_ns;
  EXPECT_FALSE(agree(read, other));
}

}  // namespace
}  // namespace topsctl
