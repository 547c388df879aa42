// Files that are kept as links: what is linked and what is not, putting back, and letting go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/restore_lines.hpp"
#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/snapshot_release.hpp"
#include "topsctl/engine/transaction/snapshot_restore.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class LinkedSnapshots : public testing::Test {
 protected:
  LinkedSnapshots() {
    for (const char* name : {"usr/lib/a", "usr/lib/b", "usr/lib/c"}) write(name, name);
    set_.paths = set_.replaced = {"/usr/lib/a", "/usr/lib/b", "/usr/lib/c"};
  }

  const fs::path& root() const { return sample_.folder.path(); }
  void write(const std::string& name, const std::string& bytes) const {
    sample_.folder.write(name, bytes);
  }
  void replace(const std::string& name, const std::string& bytes) const {
    write(name + ".new", bytes);
    fs::rename(root() / (name + ".new"), root() / name);
  }
  void take() { snapshot_ = take_snapshot(sample_.host, set_, store_.path(), summary_); }
  KeptPath& kept(const std::string& path) {
    return *std::find_if(snapshot_.paths.begin(), snapshot_.paths.end(),
                         [&](const KeptPath& one) { return one.path == path; });
  }
  std::vector<std::string> restore() {
    return lines_of(restore_snapshot(sample_.host, snapshot_, store_.path()));
  }
  std::vector<std::string> differing() {
    return compare_with_snapshot(sample_.host, snapshot_, store_.path()).differing;
  }
  std::size_t contents_in_store() const {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(store_.path()))
      files += entry.is_regular_file() ? 1 : 0;
    return files - 1;  // the record
  }

  SampleHost sample_;
  TemporaryFolder store_;
  WriteSet set_;
  WriteSetSummary summary_;
  Snapshot snapshot_;
};

TEST_F(LinkedSnapshots, ShareTheFilesThatAreReplaced) {
  take();
  EXPECT_EQ(kept("/usr/lib/a").keeping, Keeping::link);
  EXPECT_EQ(kept("/usr/lib/a").state.sha256, "");
  EXPECT_THAT(snapshot_.unread, ElementsAre("/usr/lib/a", "/usr/lib/b", "/usr/lib/c"));
  EXPECT_EQ(file_identity(root() / "usr/lib/a"),
            file_identity(link_place(kept("/usr/lib/a"), store_.path())));
  EXPECT_EQ(summary_.linked, 3U);
  EXPECT_EQ(summary_.copied, 0U);
  EXPECT_EQ(summary_.bytes, 0U);
}

TEST_F(LinkedSnapshots, CopyWhatIsWrittenInPlace) {
  set_.replaced = {"/usr/lib/a"};
  take();
  EXPECT_EQ(kept("/usr/lib/b").keeping, Keeping::copy);
  EXPECT_EQ(summary_.linked, 1U);
  EXPECT_EQ(summary_.copied, 2U);
}

// dpkg takes the mode of such a file away before it removes it, and a link would lose it too.
TEST_F(LinkedSnapshots, CopyFilesWithSpecialModes) {
  fs::permissions(root() / "usr/lib/a", fs::perms(04755));
  fs::permissions(root() / "usr/lib/b", fs::perms(02755));
  fs::permissions(root() / "usr/lib/c", fs::perms(01755));
  take();
  EXPECT_EQ(summary_.linked, 0U);
  EXPECT_EQ(summary_.copied, 3U);
}

TEST_F(LinkedSnapshots, DoNotLetGoOfAFileThatItsOtherNamesHaveLost) {
  fs::create_hard_link(root() / "usr/lib/a", root() / "outside");
  take();
  fs::copy_file(root() / "usr/lib/a", root() / "copy");
  apply_attributes(root() / "copy", kept("/usr/lib/a").state);
  fs::rename(root() / "copy", root() / "usr/lib/a");
  release_unchanged(sample_.host, snapshot_, store_.path());
  EXPECT_EQ(kept("/usr/lib/a").keeping, Keeping::both);
}

TEST_F(LinkedSnapshots, CopyAFileOfSeveralNamesOnce) {
  fs::create_hard_link(root() / "usr/lib/a", root() / "usr/lib/z");
  set_.paths.push_back("/usr/lib/z");
  set_.replaced.push_back("/usr/lib/z");
  take();
  EXPECT_EQ(kept("/usr/lib/a").keeping, Keeping::both);
  EXPECT_EQ(kept("/usr/lib/z").keeping, Keeping::nothing);
  EXPECT_EQ(kept("/usr/lib/z").same_file, "/usr/lib/a");
  EXPECT_EQ(summary_.copied, 1U);
}

TEST_F(LinkedSnapshots, LinkTheMembersOfFamiliesThatAreReplaced) {
  write("info/x.list", "x");
  write("conf/x", "x");
  set_ = {{}, {{"/info", "", Writing::replaced}, {"/conf", ""}}};
  take();
  EXPECT_EQ(kept("/info/x.list").keeping, Keeping::link);
  EXPECT_EQ(kept("/conf/x").keeping, Keeping::copy);
}

TEST_F(LinkedSnapshots, ArePutBackAsTheVeryFile) {
  take();
  const FileIdentity before = file_identity(root() / "usr/lib/a");
  replace("usr/lib/a", "new");
  fs::remove(root() / "usr/lib/b");
  fs::permissions(root() / "usr/lib/c", fs::perms(0600));
  EXPECT_THAT(differing(), ElementsAre("/usr/lib", "/usr/lib/a", "/usr/lib/b", "/usr/lib/c"));
  for (int times = 0; times < 2; ++times) {
    EXPECT_THAT(restore(), IsEmpty());
    EXPECT_THAT(differing(), IsEmpty());
  }
  EXPECT_EQ(file_identity(root() / "usr/lib/a").inode, before.inode);
  fs::remove_all(store_.path());
  EXPECT_EQ(file_identity(root() / "usr/lib/a").links, 1U);
}

TEST_F(LinkedSnapshots, TellTheVeryFileFromOneThatOnlyLooksLikeIt) {
  take();
  write("usr/lib/a.new", "USR/LIB/A");
  apply_attributes(root() / "usr/lib/a.new", kept("/usr/lib/a").state);
  fs::rename(root() / "usr/lib/a.new", root() / "usr/lib/a");
  EXPECT_THAT(differing(), ElementsAre("/usr/lib", "/usr/lib/a"));
  EXPECT_THAT(restore(), IsEmpty());
  EXPECT_EQ(sample_.folder.read("usr/lib/a"), "usr/lib/a");
  EXPECT_THAT(differing(), IsEmpty());
}

TEST_F(LinkedSnapshots, LetGoOfAFileThatWasReplacedByTheSame) {
  take();
  for (const auto& [name, bytes] :
       {std::pair("usr/lib/a", "usr/lib/a"), {"usr/lib/b", "USR/LIB/B"}}) {
    write("other", bytes);
    apply_attributes(root() / "other", kept(std::string("/") + name).state);
    fs::rename(root() / "other", root() / name);
  }
  release_unchanged(sample_.host, snapshot_, store_.path());
  EXPECT_EQ(kept("/usr/lib/a").keeping, Keeping::released);
  EXPECT_EQ(kept("/usr/lib/b").keeping, Keeping::link);
}

TEST_F(LinkedSnapshots, CanBeLoadedAgain) {
  take();
  snapshot_ = load_snapshot(store_.path());
  replace("usr/lib/a", "new");
  EXPECT_THAT(restore(), IsEmpty());
  EXPECT_EQ(sample_.folder.read("usr/lib/a"), "usr/lib/a");
}

TEST_F(LinkedSnapshots, LoseOnlyTheFileThatWasWrittenInPlaceAllTheSame) {
  take();
  write("usr/lib/a", "written over");
  replace("usr/lib/b", "new");
  EXPECT_THAT(restore(), ElementsAre(HasSubstr("/usr/lib/a: it was overwritten in place")));
  EXPECT_EQ(sample_.folder.read("usr/lib/b"), "usr/lib/b");
  EXPECT_THAT(differing(), ElementsAre("/usr/lib/a"));
}

TEST_F(LinkedSnapshots, NameEveryPathOfWhichTheKeptFileIsGone) {
  take();
  for (const char* name : {"usr/lib/a", "usr/lib/b"}) replace(name, "new");
  for (const char* path : {"/usr/lib/a", "/usr/lib/b"})
    fs::remove(link_place(kept(path), store_.path()));
  const KeptContents contents = check_contents(sample_.host, snapshot_, store_.path());
  EXPECT_THAT(contents.missing, ElementsAre("/usr/lib/a", "/usr/lib/b"));
  EXPECT_THAT(thrown_by([&] { restore(); }).message(), HasSubstr("/usr/lib/a, /usr/lib/b is miss"));
  EXPECT_EQ(sample_.folder.read("usr/lib/a"), "new") << "nothing was restored";
  EXPECT_THAT(lines_of(restore_snapshot(sample_.host, snapshot_, store_.path(), contents)),
              ElementsAre(HasSubstr("/usr/lib/a: its backup is missing"),
                          HasSubstr("/usr/lib/b: its backup is missing")));
}

TEST_F(LinkedSnapshots, MissTheFileThatOtherNamesHave) {
  fs::create_hard_link(root() / "usr/lib/a", root() / "outside");
  take();
  replace("usr/lib/a", "new");
  fs::remove(link_place(kept("/usr/lib/a"), store_.path()));
  EXPECT_THAT(thrown_by([&] { restore(); }).message(), HasSubstr("/usr/lib/a is missing"));
}

TEST_F(LinkedSnapshots, LetGoOfWhatTheTransactionLeftAsItWas) {
  write("etc/copied", "copied");
  set_.paths.insert(set_.paths.begin(), "/etc/copied");
  take();
  replace("usr/lib/b", "new");
  release_unchanged(sample_.host, snapshot_, store_.path());
  EXPECT_EQ(contents_in_store(), 1U);
  EXPECT_EQ(kept("/usr/lib/a").keeping, Keeping::released);
  EXPECT_EQ(kept("/etc/copied").keeping, Keeping::released);
  EXPECT_EQ(kept("/usr/lib/b").keeping, Keeping::link);
  EXPECT_EQ(file_identity(root() / "usr/lib/a").links, 1U);
}

TEST_F(LinkedSnapshots, LeaveWhatTheyLetGoToOthers) {
  write("info/old", "old");
  set_.families = {{"/info", "", Writing::replaced}};
  take();
  replace("usr/lib/b", "new");
  release_unchanged(sample_.host, snapshot_, store_.path());
  snapshot_ = load_snapshot(store_.path());
  write("usr/lib/a", "edited later");
  write("info/old", "edited later");
  EXPECT_THAT(restore(), IsEmpty());
  EXPECT_THAT(differing(), IsEmpty());
  EXPECT_EQ(sample_.folder.read("usr/lib/a"), "edited later");
  EXPECT_EQ(sample_.folder.read("info/old"), "edited later");
  EXPECT_EQ(sample_.folder.read("usr/lib/b"), "usr/lib/b");
}

}  // namespace
}  // namespace topsctl
