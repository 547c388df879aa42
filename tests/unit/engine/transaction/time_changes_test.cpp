// Transactions that have changed nothing but times.
#include "topsctl/engine/transaction/time_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "support/sample_host.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;

constexpr const char* linked = "usr/lib/linked";
constexpr const char* copied = "etc/copied";

class TimeChanges : public testing::Test {
 protected:
  TimeChanges() {
    for (const char* name :
         {linked, copied, "opt/first", "var/lib/dpkg/status-old", "var/lib/dpkg/status",
          "etc/ld.so.cache", "usr/lib/py/__pycache__/a.pyc"})
      sample_.folder.write(name, name);
    fs::create_hard_link(root() / "opt/first", root() / "opt/second");
    WriteSet set;
    set.paths = {"/usr/lib/linked",
                 "/etc/copied",
                 "/opt/first",
                 "/opt/second",
                 "/etc/missing",
                 "/etc/ld.so.cache",
                 "/usr/lib/py/__pycache__/a.pyc"};
    set.replaced = {"/usr/lib/linked", "/opt/first", "/opt/second"};
    set.families = {{"/var/lib/dpkg", ""}};
    WriteSetSummary summary;
    snapshot_ = take_snapshot(sample_.host, set, store_.path(), summary);
  }
  const fs::path& root() const { return sample_.folder.path(); }
  void replace(const std::string& name, const std::string& bytes) const {
    sample_.folder.write(name + ".new", bytes);
    fs::rename(root() / (name + ".new"), root() / name);
  }
  bool are_all() const {
    return differs_in_times_alone(sample_.host, snapshot_, new_paths(sample_.host, snapshot_),
                                  store_.path());
  }

  SampleHost sample_;
  TemporaryFolder store_;
  Snapshot snapshot_;
};

TEST_F(TimeChanges, AreAllWhereFilesWereReplacedByTheVerySame) {
  EXPECT_TRUE(are_all());
  for (const char* name : {linked, copied, "opt/first", "var/lib/dpkg/status"}) replace(name, name);
  fs::remove(root() / "opt/second");
  fs::create_hard_link(root() / "opt/first", root() / "opt/second");
  EXPECT_TRUE(are_all());
}

TEST_F(TimeChanges, AreNotAllWhereContentDiffers) {
  for (const char* name : {linked, copied, "var/lib/dpkg/status", "etc/ld.so.cache"}) {
    std::string other = name;
    other.back() = '!';
    replace(name, other);
    EXPECT_FALSE(are_all()) << name;
    replace(name, name);
    EXPECT_TRUE(are_all()) << name;
  }
}

TEST_F(TimeChanges, AreNotAllWhereALinkedFileWasWrittenInPlace) {
  sample_.folder.write(linked, "usr/lib/LINKED");
  EXPECT_FALSE(are_all());
}

TEST_F(TimeChanges, AreNotAllWhereSomethingCameOrWent) {
  sample_.folder.write("etc/missing", "");
  EXPECT_FALSE(are_all());
  fs::remove(root() / "etc/missing");
  sample_.folder.write("var/lib/dpkg/new", "");
  EXPECT_FALSE(are_all());
  fs::remove(root() / "var/lib/dpkg/new");
  EXPECT_TRUE(are_all());
  fs::remove(root() / copied);
  EXPECT_FALSE(are_all());
}

TEST_F(TimeChanges, AreNotAllWhereModesOrAttributesDiffer) {
  const std::string file = (root() / linked).string();
  struct stat before {};
  ASSERT_EQ(::stat(file.c_str(), &before), 0);
  ASSERT_EQ(::chmod(file.c_str(), 0700), 0);
  EXPECT_FALSE(are_all());
  ASSERT_EQ(::chmod(file.c_str(), before.st_mode & 07777U), 0);
  EXPECT_TRUE(are_all());
  if (::setxattr((root() / copied).c_str(), "user.note", "1", 1, 0) == 0) {
    EXPECT_FALSE(are_all());
  }
}

TEST_F(TimeChanges, AreNotAllWhereNamesAreNoLongerOneFile) {
  replace("opt/second", "opt/first");
  EXPECT_FALSE(are_all());
  replace("opt/first", "opt/first");
  EXPECT_FALSE(are_all());
  fs::create_hard_link(root() / copied, root() / "etc/other");
  EXPECT_FALSE(are_all());
}

TEST_F(TimeChanges, LeaveOutWhatDpkgAndPythonWriteForThemselves) {
  replace("var/lib/dpkg/status-old", "other");
  sample_.folder.write("var/lib/dpkg/diversions-old", "");
  fs::remove(root() / "usr/lib/py/__pycache__/a.pyc");
  EXPECT_TRUE(are_all());
}

TEST(PlansThatMayChangeNothing, InstallTheSameVersionsOnceMore) {
  Plan plan;
  EXPECT_FALSE(may_change_nothing(plan));
  plan.packages.resize(2);
  plan.packages[0].action = PackageAction::keep;
  plan.packages[1].action = PackageAction::reinstall;
  EXPECT_TRUE(may_change_nothing(plan));
  plan.packages[0].action = PackageAction::upgrade;
  EXPECT_FALSE(may_change_nothing(plan));
}

}  // namespace
}  // namespace topsctl
