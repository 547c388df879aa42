// Reading, durable writing and copying of files, and what stands in their way.
#include "topsctl/host/system/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using std::string_literals::operator""s;
using testing::HasSubstr;

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ReadText, GivesEveryByte) {
  const TemporaryFolder folder;
  const std::string bytes = "a\0b\n\xff"s + std::string(200'000, 'x');
  EXPECT_EQ(read_text(folder.write("file", bytes)), bytes);
}

TEST(ReadText, RefusesMoreThanItMayTake) {
  const TemporaryFolder folder;
  const auto file = folder.write("file", "12345");
  EXPECT_EQ(read_text(file, 5), "12345");
  EXPECT_THAT(thrown_by([&] { read_text(file, 4); }).message(), HasSubstr("larger than 4 B"));
}

TEST(ReadText, DoesNotHangOnAFifo) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_text(folder / "fifo"), "");
}

TEST(ReadText, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  EXPECT_THAT(thrown_by([&] { read_text(folder / "none"); }).message(),
              HasSubstr("none': No such file or directory"));
}

TEST(ReadTextIfPresent, TellsAbsentFromUnreadable) {
  const TemporaryFolder folder;
  folder.write("file", "x");
  EXPECT_EQ(read_text_if_present(folder / "file"), "x");
  EXPECT_EQ(read_text_if_present(folder / "none"), std::nullopt);
  EXPECT_EQ(read_text_if_present(folder / "file/below"), std::nullopt);
  fs::create_symlink("nowhere", folder / "dangling");
  EXPECT_EQ(read_text_if_present(folder / "dangling"), std::nullopt);
  thrown_by([&] { read_text_if_present(folder.path()); });
}

using Writer = void (*)(const fs::path&, std::string_view, mode_t);

class Writing : public testing::TestWithParam<Writer> {};

TEST_P(Writing, MakesAFileWithTheModeWhateverTheMask) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(077);
  GetParam()(folder / "file", "bytes\0"s, 0644);
  ::umask(before);
  EXPECT_EQ(folder.read("file"), "bytes\0"s);
  EXPECT_EQ(mode_of(folder / "file"), 0644U);
}

TEST_P(Writing, ReplacesTheFileAndLeavesNothingBeside) {
  const TemporaryFolder folder;
  folder.write("file", "a longer old text");
  GetParam()(folder / "file", "new", 0600);
  EXPECT_EQ(folder.read("file"), "new");
  EXPECT_EQ(mode_of(folder / "file"), 0600U);
  EXPECT_EQ(entries_of(folder.path()), 1U);
}

TEST_P(Writing, ReplacesALinkAndNeverFollowsIt) {
  const TemporaryFolder folder;
  folder.write("precious", "as it was");
  fs::create_symlink("precious", folder / "file");
  GetParam()(folder / "file", "new", 0644);
  EXPECT_EQ(folder.read("precious"), "as it was");
  EXPECT_FALSE(fs::is_symlink(folder / "file"));
  EXPECT_EQ(folder.read("file"), "new");
}

TEST_P(Writing, LeavesAnotherNameOfTheFileAlone) {
  const TemporaryFolder folder;
  folder.write("precious", "as it was");
  fs::create_hard_link(folder / "precious", folder / "file");
  GetParam()(folder / "file", "new", 0644);
  EXPECT_EQ(folder.read("precious"), "as it was");
}

TEST_P(Writing, FailsOnAFolderAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  folder.make_folder("file");
  thrown_by([&] { GetParam()(folder / "file", "new", 0644); });
  EXPECT_TRUE(fs::is_directory(folder / "file"));
  EXPECT_EQ(entries_of(folder.path()), 1U);
}

TEST_P(Writing, FailsWithoutAFolder) {
  const TemporaryFolder folder;
  EXPECT_THAT(thrown_by([&] { GetParam()(folder / "none/file", "x", 0644); }).message(),
              HasSubstr("cannot write"));
}

INSTANTIATE_TEST_SUITE_P(Each, Writing, testing::Values(&write_durably, &write_plainly),
                         [](const auto& info) {
                           return info.param == &write_durably ? "durably" : "plainly";
                         });

TEST(MakeDirectories, MakesParentsAndIsContentWithWhatIsThere) {
  const TemporaryFolder folder;
  make_directories(folder / "a/b/c", 0700);
  EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
  EXPECT_EQ(mode_of(folder / "a/b"), 0700U);
  make_directories(folder / "a/b/c", 0755);
  EXPECT_EQ(mode_of(folder / "a/b/c"), 0700U);
}

TEST(MakeDirectories, TakesALinkToAFolderForAFolder) {
  const TemporaryFolder folder;
  folder.make_folder("real");
  fs::create_symlink("real", folder / "link");
  make_directories(folder / "link/below", 0755);
  EXPECT_TRUE(fs::is_directory(folder / "real/below"));
}

TEST(MakeDirectories, FailsWhereAFileStands) {
  const TemporaryFolder folder;
  folder.write("file", "x");
  EXPECT_THAT(thrown_by([&] { make_directories(folder / "file", 0755); }).message(),
              HasSubstr("create directory"));
  thrown_by([&] { make_directories(folder / "file/below", 0755); });
}

TEST(Syncing, WorksOnFoldersAndSaysWhatIsMissing) {
  const TemporaryFolder folder;
  sync_directory(folder.path());
  sync_file_system(folder.path());
  EXPECT_THAT(thrown_by([&] { sync_directory(folder / "none"); }).message(),
              HasSubstr("sync directory"));
  thrown_by([&] { sync_file_system(folder / "none"); });
}

TEST(CopyWithDigest, CopiesAndGivesTheDigestOfTheCopy) {
  const TemporaryFolder folder;
  const std::string bytes(2'500'000, 'z');
  folder.write("from", bytes);
  EXPECT_EQ(copy_with_digest(folder / "from", folder / "to"), sha256_of(bytes));
  EXPECT_EQ(folder.read("to"), bytes);
  EXPECT_EQ(mode_of(folder / "to"), 0600U);
}

TEST(CopyWithDigest, WritesOverNothing) {
  const TemporaryFolder folder;
  folder.write("from", "x");
  folder.write("to", "as it was");
  thrown_by([&] { copy_with_digest(folder / "from", folder / "to"); });
  EXPECT_EQ(folder.read("to"), "as it was");
  fs::create_symlink("target", folder / "link");
  thrown_by([&] { copy_with_digest(folder / "from", folder / "link"); });
  EXPECT_FALSE(fs::exists(folder / "target"));
}

TEST(CopyWithDigest, FollowsNoLink) {
  const TemporaryFolder folder;
  folder.write("file", "x");
  fs::create_symlink("file", folder / "from");
  thrown_by([&] { copy_with_digest(folder / "from", folder / "to"); });
}

TEST(FreeBytes, AreThoseOfTheNearestFolderThatExists) {
  const TemporaryFolder folder;
  EXPECT_GT(free_bytes(folder / "not/yet/there"), 0U);
}

}  // namespace
}  // namespace topsctl
