// What a write set means on a machine: beside what dpkg unpacks, and no further.
#include "topsctl/engine/transaction/write_set_expansion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/sample_host.hpp"
#include "topsctl/engine/transaction/snapshot_restore.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class MembersOfSets : public testing::Test {
 protected:
  MembersOfSets() {
    write("opt/tops/a", "old");
    set_.paths = set_.unpacked = {"/opt/tops/a", "/opt/tops/b"};
  }

  void write(const std::string& name, const std::string& bytes) const {
    sample_.folder.write(name, bytes);
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> found;
    for (const WriteSetMember& member : members_of(sample_.host, set_, {}))
      found.push_back(member.path);
    return found;
  }
  Snapshot taken() {
    WriteSetSummary summary;
    return take_snapshot(sample_.host, set_, store_.path(), summary);
  }

  SampleHost sample_;
  TemporaryFolder store_;
  WriteSet set_;
};

TEST_F(MembersOfSets, AreThePathsAndTheFoldersAbove) {
  EXPECT_THAT(paths(), ElementsAre("/", "/opt", "/opt/tops", "/opt/tops/a", "/opt/tops/b"));
}

TEST_F(MembersOfSets, AreWhatDpkgLeftBesideWhatItUnpacks) {
  write("opt/tops/a.dpkg-dist", "1");
  write("opt/tops/b.dpkg-old", "1");
  write("opt/tops/c.dpkg-old", "of another package");
  write("opt/tops/a.dpkg-bak", "of dpkg-maintscript-helper");
  write("opt/tops/a.dpkg-other", "of nobody");
  write("opt/tops/.dpkg-old", "of nobody");
  EXPECT_THAT(paths(), ElementsAre("/", "/opt", "/opt/tops", "/opt/tops/a", "/opt/tops/a.dpkg-bak",
                                   "/opt/tops/a.dpkg-dist", "/opt/tops/b", "/opt/tops/b.dpkg-old"));
  set_.unpacked.clear();
  EXPECT_THAT(paths(), ElementsAre("/", "/opt", "/opt/tops", "/opt/tops/a", "/opt/tops/b"));
}

TEST_F(MembersOfSets, InTheRootFolderToo) {
  set_.paths = set_.unpacked = {"/a"};
  write("a.dpkg-new", "1");
  EXPECT_THAT(paths(), ElementsAre("/", "/a", "/a.dpkg-new"));
}

TEST_F(MembersOfSets, AreWhereTheFolderLeads) {
  fs::create_directory_symlink("opt", sample_.folder / "link");
  set_.paths = set_.unpacked = {"/link/tops/a"};
  write("opt/tops/a.dpkg-dist", "1");
  EXPECT_THAT(paths(),
              ElementsAre("/", "/opt", "/opt/tops", "/opt/tops/a", "/opt/tops/a.dpkg-dist"));
}

// Of what dpkg unpacks as links, too; behind them lies what is not ours.
TEST_F(MembersOfSets, EndAtLinks) {
  write("precious/file", "1");
  fs::create_directory_symlink("/precious", sample_.folder / "opt/tops/a.dpkg-new");
  fs::create_directory_symlink(sample_.folder / "precious", sample_.folder / "opt/tops/b.dpkg-tmp");
  EXPECT_THAT(paths(), ElementsAre("/", "/opt", "/opt/tops", "/opt/tops/a", "/opt/tops/a.dpkg-new",
                                   "/opt/tops/b", "/opt/tops/b.dpkg-tmp"));
}

TEST_F(MembersOfSets, KeepTheirContentAsPeopleMayHaveEditedIt) {
  write("opt/tops/a.dpkg-old", "edited");
  set_.replaced = {"/opt/tops/a"};
  const Snapshot snapshot = taken();
  const auto found = std::find_if(snapshot.paths.begin(), snapshot.paths.end(),
                                  [](const auto& k) { return k.path == "/opt/tops/a.dpkg-old"; });
  ASSERT_NE(found, snapshot.paths.end());
  EXPECT_EQ(found->keeping, Keeping::copy);
  EXPECT_FALSE(found->is_unpacked);
}

TEST_F(MembersOfSets, ThatDpkgLeavesAreNewcomersAndGoAtARestore) {
  write("opt/tops/a.dpkg-old", "there before");
  const Snapshot snapshot = taken();
  EXPECT_THAT(new_paths(sample_.host, snapshot), IsEmpty());
  write("opt/tops/a.dpkg-new", "1");
  write("opt/tops/a.dpkg-old", "written over");
  write("opt/tops/b.dpkg-tmp/deep", "a folder, which dpkg makes of none");
  write("opt/tops/c.dpkg-new", "of another package");
  EXPECT_THAT(
      new_paths(sample_.host, snapshot),
      ElementsAre("/opt/tops/a.dpkg-new", "/opt/tops/b.dpkg-tmp", "/opt/tops/b.dpkg-tmp/deep"));
  EXPECT_THAT(restore_snapshot(sample_.host, snapshot, store_.path()), IsEmpty());
  EXPECT_THAT(new_paths(sample_.host, snapshot), IsEmpty());
  EXPECT_EQ(sample_.folder.read("opt/tops/a.dpkg-old"), "there before");
  EXPECT_TRUE(fs::exists(sample_.folder / "opt/tops/c.dpkg-new"));
}

TEST_F(MembersOfSets, AreNewcomersOfARecordThatWasReadBack) {
  static_cast<void>(taken());
  write("opt/tops/b.dpkg-new", "1");
  EXPECT_THAT(new_paths(sample_.host, load_snapshot(store_.path())),
              ElementsAre("/opt/tops/b.dpkg-new"));
}

TEST_F(MembersOfSets, AreNoNewcomersBehindALinkThatTookTheFoldersPlace) {
  const Snapshot snapshot = taken();
  fs::rename(sample_.folder / "opt", sample_.folder / "moved");
  fs::create_directory_symlink("moved", sample_.folder / "opt");
  write("moved/tops/a.dpkg-new", "1");
  EXPECT_THAT(new_paths(sample_.host, snapshot), IsEmpty());
}

}  // namespace
}  // namespace topsctl
