// Paths walked by descriptors: what lies behind a link is never reached, and what is replaced is
// replaced as a whole.
#include "topsctl/host/filesystem/file_tree.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <thread>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Type = FileState::Type;

std::vector<std::string> names(const FileTree& tree, const std::string& folder) {
  std::vector<std::string> names;
  for (const ListedName& listed : tree.list(folder)) {
    names.push_back(listed.name + (listed.is_folder ? "/" : ""));
  }
  return names;
}

TEST(FileTrees, FindWhatIsBelowTheirRoot) {
  const TemporaryFolder folder;
  folder.write("usr/lib/x", "bytes");
  for (const PathWalk walk : {PathWalk::at_once, PathWalk::by_folder}) {
    const FileTree tree(folder.path(), walk);
    EXPECT_EQ(tree.state("/usr/lib/x", Content::digest),
              file_state(folder / "usr/lib/x", Content::digest));
    EXPECT_EQ(tree.state("/usr", Content::ignore).type, Type::directory);
    EXPECT_EQ(tree.state("/", Content::ignore), file_state(folder.path(), Content::ignore));
    EXPECT_EQ(tree.identity("/usr/lib/x"), file_identity(folder / "usr/lib/x"));
    EXPECT_EQ(tree.state("/usr/lib/y", Content::digest), FileState{});
    EXPECT_EQ(tree.state("/usr/none/x", Content::digest), FileState{});
    EXPECT_EQ(tree.state("/usr/lib/x/below", Content::digest), FileState{});
  }
}

TEST(FileTrees, SeeLinksAndNothingBehindThem) {
  const TemporaryFolder folder;
  folder.write("real/x", "bytes");
  fs::create_symlink("real", folder / "link");
  for (const PathWalk walk : {PathWalk::at_once, PathWalk::by_folder}) {
    const FileTree tree(folder.path(), walk);
    EXPECT_EQ(tree.state("/link", Content::digest).target, "real");
    EXPECT_EQ(tree.find("/link/x").has_value(), false);
    EXPECT_EQ(tree.find("/real/../link/x").has_value(), false);
    EXPECT_EQ(tree.state("/link/x", Content::digest), FileState{});
    EXPECT_THAT(tree.list("/link"), IsEmpty());
  }
}

TEST(PathCursors, SeeWhatTreesSee) {
  const TemporaryFolder folder;
  folder.write("a/x", "bytes");
  folder.write("a/y", "more");
  folder.write("b/x", "other");
  fs::create_symlink("a", folder / "link");
  for (const PathWalk walk : {PathWalk::at_once, PathWalk::by_folder}) {
    const FileTree tree(folder.path(), walk);
    PathCursor cursor(tree);
    for (const char* path : {"/", "/a", "/a/x", "/a/y", "/a/none", "/a/none/x", "/a/none/y", "/a/x",
                             "/b/x", "/link", "/link/x", "/a/x/below", "/none/x", "/b/none"}) {
      FileIdentity identity;
      EXPECT_EQ(cursor.state(path, Content::digest, &identity), tree.state(path, Content::digest))
          << path;
      EXPECT_EQ(identity, tree.identity(path)) << path;
      EXPECT_EQ(cursor.inode(path).has_value(), tree.inode(path).has_value()) << path;
    }
  }
}

TEST(FileTrees, ListFolders) {
  const TemporaryFolder folder;
  folder.write("a/file", "");
  folder.make_folder("a/folder");
  fs::create_symlink("folder", folder / "a/link");
  const FileTree tree(folder.path());
  EXPECT_THAT(names(tree, "/a"), UnorderedElementsAre("file", "folder/", "link"));
  EXPECT_THAT(names(tree, "/"), UnorderedElementsAre("a/"));
  EXPECT_THAT(tree.list("/a/file"), IsEmpty());
  EXPECT_THAT(tree.list("/none"), IsEmpty());
}

TEST(FileTrees, NeverOpenWhatIsNoFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const auto inode = FileTree(folder.path()).inode("/fifo");
  ASSERT_TRUE(inode);
  EXPECT_EQ(inode->state(Content::digest).type, Type::special) << "this would wait for ever";
  thrown_by([&] { inode->open_file(O_RDONLY); });
}

class Replacing : public testing::Test {
 protected:
  void replace(const std::string& path, const FileState& state, const fs::path& kept) const {
    FileTree(folder_.path()).find(path)->replace(state, kept);
  }
  FileState state(const std::string& name) const {
    return file_state(folder_ / name, Content::digest);
  }
  std::size_t entries() const { return names(FileTree(folder_.path()), "/").size(); }

  TemporaryFolder folder_;
};

TEST_F(Replacing, PutsAFileBackWithAllThatBelongsToIt) {
  const auto file = folder_.write("file", "as it was");
  fs::permissions(file, fs::perms(0640));
  ::lsetxattr(file.c_str(), "user.one", "1", 1, 0);
  const timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 7}};
  ::utimensat(AT_FDCWD, file.c_str(), times, 0);
  const FileState before = state("file");
  fs::copy_file(file, folder_ / "kept");
  folder_.write("file", "changed");
  replace("/file", before, folder_ / "kept");
  EXPECT_EQ(state("file"), before);
  EXPECT_EQ(entries(), 2U);
}

TEST_F(Replacing, PutsALinkBackWhereAFileIs) {
  fs::create_symlink("a\nb \xff", folder_ / "link");
  const FileState before = state("link");
  fs::remove(folder_ / "link");
  folder_.write("link", "a file now");
  replace("/link", before, "");
  EXPECT_EQ(state("link"), before);
}

TEST_F(Replacing, PutsAFifoBack) {
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  ASSERT_EQ(::chmod((folder_ / "fifo").c_str(), 0622), 0);
  const FileState before = state("fifo");
  fs::remove(folder_ / "fifo");
  replace("/fifo", before, "");
  EXPECT_EQ(state("fifo"), before);
}

TEST_F(Replacing, MakesAnotherNameOfAFile) {
  folder_.write("first", "bytes");
  folder_.write("second", "other");
  const FileTree tree(folder_.path());
  for (int i = 0; i < 2; ++i) {
    tree.find("/second")->replace_by(*tree.inode("/first"));
    EXPECT_TRUE(fs::equivalent(folder_ / "first", folder_ / "second"));
    EXPECT_EQ(entries(), 2U);
  }
}

TEST_F(Replacing, LeavesThingsAsTheyAreWhenTheCopyIsMissing) {
  folder_.write("file", "now");
  const FileState before = state("file");
  thrown_by([&] { replace("/file", before, folder_ / "none"); });
  EXPECT_EQ(state("file"), before);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Replacing, IsNotForFolders) {
  const FileState folder = file_state(folder_.make_folder("folder"), Content::ignore);
  EXPECT_EQ(thrown_by([&] { replace("/x", folder, ""); }).code(), ErrorCode::internal);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Replacing, RemovesFilesAndEmptyFolders) {
  folder_.write("file", "");
  folder_.make_folder("empty");
  folder_.write("full/x", "");
  fs::create_symlink("full", folder_ / "link");
  const FileTree tree(folder_.path());
  EXPECT_EQ(tree.find("/file")->remove(), 0);
  EXPECT_EQ(tree.find("/link")->remove(), 0);
  EXPECT_EQ(tree.find("/empty")->remove(), 0);
  EXPECT_EQ(tree.find("/none")->remove(), 0);
  EXPECT_EQ(tree.find("/full")->remove(), ENOTEMPTY);
  EXPECT_EQ(entries(), 1U);
}

// An overlay whose layers lie on two file systems, in a mount namespace of this thread alone;
// false where it cannot be made.
bool mount_overlay_on_two(const TemporaryFolder& folder) {
  const fs::path upper = folder / "upper";
  const fs::path root = folder / "root";
  for (const char* name : {"upper", "root", "lower/opt"}) fs::create_directories(folder / name);
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", upper.c_str(), "tmpfs", 0, nullptr) != 0)
    return false;
  fs::create_directories(upper / "files");
  fs::create_directories(upper / "work");
  const std::string layers =
      concat("lowerdir=", (folder / "lower").native(), ",upperdir=", (upper / "files").native(),
             ",workdir=", (upper / "work").native(), ",index=off,xino=off");
  return ::mount("none", root.c_str(), "overlay", 0, layers.c_str()) == 0;
}

TEST(FileTrees, ReplaceAFileByItselfOnAnOverlayOnTwoFileSystems) {
  const TemporaryFolder folder;
  folder.write("lower/opt/x", "bytes");
  bool is_mounted = false;
  std::thread([&] {
    is_mounted = mount_overlay_on_two(folder);
    if (!is_mounted) return;
    const FileTree tree(folder / "root");
    ASSERT_EQ(tree.inode("/opt/x")->link_into(AT_FDCWD, (folder / "root/kept").native()), 0);
    EXPECT_NE(tree.identity("/opt/x"), tree.identity("/kept"));
    EXPECT_NO_THROW(tree.find("/opt/x")->replace_by(*tree.inode("/kept")));
    EXPECT_EQ(tree.identity("/opt/x"), tree.identity("/kept"));
    EXPECT_EQ(names(tree, "/opt"), std::vector<std::string>{"x"});
  }).join();
  if (!is_mounted) GTEST_SKIP() << "needs root, and overlays";
}

}  // namespace
}  // namespace topsctl
