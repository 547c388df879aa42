// Taking snapshots: every path of the write set, the folders above, and a copy of each file.
#include "topsctl/engine/transaction/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using Type = FileState::Type;

class Snapshots : public testing::Test {
 protected:
  Snapshots() { fs::permissions(store_.path(), fs::perms(0700)); }

  Snapshot take(const WriteSet& write_set) {
    return take_snapshot(sample_.host, write_set, store_.path(), summary_);
  }
  static const KeptPath* find(const Snapshot& snapshot, const std::string& path) {
    const auto found = std::find_if(snapshot.paths.begin(), snapshot.paths.end(),
                                    [&](const KeptPath& kept) { return kept.path == path; });
    return found == snapshot.paths.end() ? nullptr : &*found;
  }
  static std::vector<std::string> paths_of(const Snapshot& snapshot) {
    std::vector<std::string> paths;
    for (const KeptPath& kept : snapshot.paths) paths.push_back(kept.path);
    return paths;
  }

  SampleHost sample_;
  TemporaryFolder store_;
  WriteSetSummary summary_;
};

TEST_F(Snapshots, HoldThePathsAndTheFoldersAboveThemInOrder) {
  sample_.folder.write("etc/a/x", "1");
  const Snapshot snapshot = take({{"/etc/a/x", "/etc/new/y"}, {}});
  EXPECT_THAT(paths_of(snapshot),
              ElementsAre("/", "/etc", "/etc/a", "/etc/a/x", "/etc/new", "/etc/new/y"));
  EXPECT_EQ(find(snapshot, "/etc/new")->state.type, Type::absent);
  EXPECT_EQ(find(snapshot, "/")->state.type, Type::directory);
}

TEST_F(Snapshots, KeepACopyOfEachFile) {
  sample_.folder.write("etc/x", "content");
  const Snapshot snapshot = take({{"/etc/x"}, {}});
  const KeptPath* kept = find(snapshot, "/etc/x");
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->state.sha256, sha256_of("content"));
  EXPECT_EQ(store_.read(kept->content), "content");
  struct stat status {};
  ASSERT_EQ(::stat((store_ / kept->content).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  EXPECT_EQ(summary_.paths, 3U);
  EXPECT_EQ(summary_.copied, 1U);
  EXPECT_EQ(summary_.bytes, 7U);
  EXPECT_EQ(summary_.known, "predicted");
}

TEST_F(Snapshots, KeepAFileAsALinkThatItsFamilyAloneWouldCopy) {
  sample_.folder.write("opt/tops/payload", "content");
  sample_.folder.write("opt/tops/state", "content");
  const Snapshot snapshot =
      take({{"/opt/tops/payload"}, {{"/opt/tops", ""}}, {"/opt/tops/payload"}});
  EXPECT_EQ(find(snapshot, "/opt/tops/payload")->keeping, Keeping::link);
  EXPECT_EQ(find(snapshot, "/opt/tops/state")->keeping, Keeping::copy);
}

TEST_F(Snapshots, CanBeLoadedAgain) {
  sample_.folder.write("etc/x", "content");
  const Snapshot snapshot = take({{"/etc/x"}, {{"/etc", ""}}});
  const Snapshot loaded = load_snapshot(store_.path());
  EXPECT_EQ(paths_of(loaded), paths_of(snapshot));
  EXPECT_EQ(loaded.families, snapshot.families);
  EXPECT_EQ(find(loaded, "/etc/x")->state, find(snapshot, "/etc/x")->state);
}

TEST_F(Snapshots, WithoutTheirRecordAreDamaged) {
  EXPECT_EQ(thrown_by([&] { load_snapshot(store_.path()); }).code(), ErrorCode::journal_damaged);
}

TEST_F(Snapshots, KnowNamesOfOneFile) {
  sample_.folder.write("a", "1");
  fs::create_hard_link(sample_.folder / "a", sample_.folder / "b");
  const Snapshot snapshot = take({{"/a", "/b"}, {}});
  EXPECT_EQ(find(snapshot, "/a")->same_file, "");
  EXPECT_EQ(find(snapshot, "/b")->same_file, "/a");
}

TEST_F(Snapshots, KeepLinksAsLinksAndFollowThoseAbove) {
  sample_.folder.write("usr/lib/x.so", "1");
  fs::create_symlink("/usr/lib", sample_.folder / "lib");
  fs::create_symlink("x.so", sample_.folder / "usr/lib/y.so");
  const Snapshot snapshot = take({{"/lib/x.so", "/lib/y.so"}, {}});
  EXPECT_THAT(paths_of(snapshot),
              ElementsAre("/", "/usr", "/usr/lib", "/usr/lib/x.so", "/usr/lib/y.so"));
  EXPECT_EQ(find(snapshot, "/usr/lib/y.so")->state.target, "x.so");
}

TEST_F(Snapshots, HoldTheMembersOfFamilies) {
  sample_.folder.write("info/tops-eccl.list", "1");
  sample_.folder.write("info/other.list", "1");
  sample_.folder.write("site/torch_gcu-1/a/b", "1");
  sample_.folder.write("site/numpy-1/a", "1");
  const Snapshot snapshot = take({{}, {{"/info", "tops-eccl."}, {"/site", "torch_gcu-"}}});
  EXPECT_THAT(paths_of(snapshot),
              ElementsAre("/", "/info", "/info/tops-eccl.list", "/site", "/site/torch_gcu-1",
                          "/site/torch_gcu-1/a", "/site/torch_gcu-1/a/b"));
}

TEST_F(Snapshots, HoldEveryFileButNoFolderOfAFamilyWithoutPrefix) {
  sample_.folder.write("dpkg/status", "1");
  sample_.folder.write("dpkg/info/x.list", "1");
  EXPECT_THAT(paths_of(take({{}, {{"/dpkg", ""}}})), ElementsAre("/", "/dpkg", "/dpkg/status"));
}

TEST_F(Snapshots, LeaveLocksOut) {
  sample_.folder.write("var/lib/dpkg/lock", "");
  sample_.folder.write("var/lib/dpkg/lock-frontend", "");
  sample_.folder.write("var/lib/dpkg/triggers/Lock", "");
  sample_.folder.write("var/lib/dpkg/triggers/File", "");
  const Snapshot snapshot = take({{}, {{"/var/lib/dpkg", ""}, {"/var/lib/dpkg/triggers", ""}}});
  EXPECT_THAT(paths_of(snapshot),
              ElementsAre("/", "/var", "/var/lib", "/var/lib/dpkg", "/var/lib/dpkg/triggers",
                          "/var/lib/dpkg/triggers/File"));
}

TEST_F(Snapshots, OfAFamilyInAFolderThatIsMissingAreEmpty) {
  const Snapshot snapshot = take({{}, {{"/none/here", "x"}}});
  EXPECT_EQ(find(snapshot, "/none/here")->state.type, Type::absent);
}

TEST_F(Snapshots, KnowNewcomersOfTheirFamilies) {
  sample_.folder.write("info/a.list", "1");
  const Snapshot snapshot = take({{}, {{"/info", "a."}}});
  EXPECT_THAT(new_paths(sample_.host, snapshot), IsEmpty());
  sample_.folder.write("info/a.postinst", "1");
  sample_.folder.write("info/a.d/deep/file", "1");
  sample_.folder.write("info/b.list", "1");
  EXPECT_THAT(
      new_paths(sample_.host, snapshot),
      ElementsAre("/info/a.d", "/info/a.d/deep", "/info/a.d/deep/file", "/info/a.postinst"));
}

TEST_F(Snapshots, KnowNewcomersOfFoldersThatWereNotThere) {
  const Snapshot snapshot = take({{"/opt/tops/lib/x"}, {}});
  sample_.folder.write("opt/tops/lib/x", "1");
  sample_.folder.write("opt/tops/var/made-by-a-script", "1");
  EXPECT_THAT(new_paths(sample_.host, snapshot),
              ElementsAre("/opt/tops/var", "/opt/tops/var/made-by-a-script"));
}

// What lies behind a link was there before, and is somebody else's.
TEST_F(Snapshots, TakeNoNewcomersOfAFolderThatALinkLeadsTo) {
  const Snapshot snapshot = take({{"/opt/tops/x"}, {}});
  sample_.folder.write("precious/tops/file", "1");
  fs::create_symlink("precious", sample_.folder / "opt");
  EXPECT_THAT(new_paths(sample_.host, snapshot), IsEmpty());
}

TEST_F(Snapshots, TakeNoNewcomersOfALinkThatTookTheFamilysPlace) {
  sample_.folder.make_folder("site");
  const Snapshot snapshot = take({{}, {{"/site", "torch_gcu-"}}});
  sample_.folder.write("precious/torch_gcu-3/file", "1");
  fs::remove(sample_.folder / "site");
  fs::create_symlink("precious", sample_.folder / "site");
  EXPECT_THAT(new_paths(sample_.host, snapshot), IsEmpty());
}

TEST_F(Snapshots, NameOneFolderOfEachFileSystemTheySync) {
  sample_.folder.write("etc/x", "1");
  EXPECT_THAT(sync_mounts(sample_.host, take({{"/etc/x"}, {}})), ElementsAre("/"));
}

}  // namespace
}  // namespace topsctl
