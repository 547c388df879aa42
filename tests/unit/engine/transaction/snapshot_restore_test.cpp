// Putting snapshots back: whatever was done to the write set, the comparison then finds nothing.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <functional>

#include "support/restore_lines.hpp"
#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/snapshot_restore.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Restores : public testing::Test {
 protected:
  Restores() {
    write("etc/plain", "plain");
    write("etc/script", "#!/bin/sh\n");
    fs::permissions(root() / "etc/script", fs::perms(04755));
    write("etc/attributes", "x");
    ::lsetxattr((root() / "etc/attributes").c_str(), "user.one", "1", 1, 0);
    fs::create_symlink("plain", root() / "etc/link");
    fs::create_directories(root() / "etc/folder/inner");
    write("etc/folder/file", "in a folder");
    write("lib/one", "one file");
    fs::create_hard_link(root() / "lib/one", root() / "lib/two");
    write("site/torch_gcu-1/RECORD", "record");
    write("info/old.list", "old");
    for (const char* path : {"etc/plain", "etc/link", "etc/folder/inner", "etc/folder", "etc"}) {
      const timespec times[2] = {{0, UTIME_OMIT}, {1'600'000'000, 42}};
      ::utimensat(AT_FDCWD, (root() / path).c_str(), times, AT_SYMLINK_NOFOLLOW);
    }
    write_set_.paths = {"/etc/plain",       "/etc/script", "/etc/attributes",
                        "/etc/link",        "/etc/folder", "/etc/folder/inner",
                        "/etc/folder/file", "/etc/new",    "/etc/new-folder",
                        "/lib/one",         "/lib/two",    "/opt/tops/lib/x.so"};
    write_set_.families = {{"/site", "torch_gcu-"}, {"/info", ""}};
    WriteSetSummary summary;
    snapshot_ = take_snapshot(sample_.host, write_set_, store_.path(), summary);
  }

  const fs::path& root() const { return sample_.folder.path(); }
  void write(const std::string& name, const std::string& bytes) const {
    sample_.folder.write(name, bytes);
  }
  std::vector<std::string> restore() {
    return lines_of(restore_snapshot(sample_.host, snapshot_, store_.path()));
  }
  std::vector<std::string> differing() const {
    return compare_with_snapshot(sample_.host, snapshot_, store_.path()).differing;
  }
  void expect_restored() {
    EXPECT_THAT(restore(), IsEmpty());
    EXPECT_THAT(differing(), IsEmpty());
    EXPECT_THAT(restore(), IsEmpty()) << "once more";
    EXPECT_THAT(differing(), IsEmpty()) << "once more";
  }

  SampleHost sample_;
  TemporaryFolder store_;
  WriteSet write_set_;
  Snapshot snapshot_;
};

TEST_F(Restores, ChangeNothingWhenNothingWasChanged) {
  EXPECT_THAT(differing(), IsEmpty());
  expect_restored();
}

TEST_F(Restores, CountThePathsTheyCompare) {
  const RollbackProof proof = compare_with_snapshot(sample_.host, snapshot_, store_.path());
  EXPECT_EQ(proof.paths_checked, snapshot_.paths.size());
  write("info/newcomer", "x");
  EXPECT_EQ(compare_with_snapshot(sample_.host, snapshot_, store_.path()).paths_checked,
            snapshot_.paths.size() + 1);
}

struct Change {
  const char* what;
  std::function<void(const fs::path& root)> make;
};

void overwrite(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << bytes;
}

const std::vector<Change>& changes() {
  static const std::vector<Change> table = {
      {"a_file_overwritten", [](const fs::path& r) { overwrite(r / "etc/plain", "other"); }},
      {"a_file_of_the_same_size_and_time",
       [](const fs::path& r) {
         const auto time = fs::last_write_time(r / "etc/plain");
         overwrite(r / "etc/plain", "PLAIN");
         fs::last_write_time(r / "etc/plain", time);
       }},
      {"a_file_removed", [](const fs::path& r) { fs::remove(r / "etc/plain"); }},
      {"a_file_made", [](const fs::path& r) { overwrite(r / "etc/new", "x"); }},
      {"folders_made", [](const fs::path& r) { overwrite(r / "opt/tops/lib/x.so", "x"); }},
      {"files_of_scripts_in_a_new_folder",
       [](const fs::path& r) {
         overwrite(r / "opt/tops/lib/x.so", "x");
         overwrite(r / "opt/tops/var/cache/y", "y");
         fs::create_symlink("/etc", r / "opt/tops/var/link");
       }},
      {"a_mode_changed",
       [](const fs::path& r) { fs::permissions(r / "etc/script", fs::perms(0600)); }},
      {"the_mode_of_a_folder_changed",
       [](const fs::path& r) { fs::permissions(r / "etc/folder", fs::perms(01777)); }},
      {"an_attribute_changed",
       [](const fs::path& r) {
         ::lsetxattr((r / "etc/attributes").c_str(), "user.one", "2", 1, 0);
         ::lsetxattr((r / "etc/attributes").c_str(), "user.two", "2", 1, 0);
       }},
      {"a_time_changed",
       [](const fs::path& r) {
         ::utimensat(AT_FDCWD, (r / "etc/plain").c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
         ::utimensat(AT_FDCWD, (r / "etc/link").c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
         ::utimensat(AT_FDCWD, (r / "etc").c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
       }},
      {"a_file_to_a_folder",
       [](const fs::path& r) {
         fs::remove(r / "etc/plain");
         fs::create_directory(r / "etc/plain");
       }},
      {"a_file_to_a_folder_with_files",
       [](const fs::path& r) {
         fs::remove(r / "etc/plain");
         overwrite(r / "etc/plain/made/by-a-script", "x");
       }},
      {"a_file_to_a_link",
       [](const fs::path& r) {
         fs::remove(r / "etc/plain");
         fs::create_symlink("/etc/script", r / "etc/plain");
       }},
      {"a_file_to_a_fifo",
       [](const fs::path& r) {
         fs::remove(r / "etc/plain");
         ::mkfifo((r / "etc/plain").c_str(), 0600);
       }},
      {"a_link_to_a_file",
       [](const fs::path& r) {
         fs::remove(r / "etc/link");
         overwrite(r / "etc/link", "x");
       }},
      {"a_link_elsewhere",
       [](const fs::path& r) {
         fs::remove(r / "etc/link");
         fs::create_symlink("elsewhere", r / "etc/link");
       }},
      {"a_folder_removed", [](const fs::path& r) { fs::remove_all(r / "etc/folder"); }},
      {"a_folder_to_a_file",
       [](const fs::path& r) {
         fs::remove_all(r / "etc/folder");
         overwrite(r / "etc/folder", "x");
       }},
      {"a_folder_to_a_link",
       [](const fs::path& r) {
         fs::remove_all(r / "etc/folder");
         fs::create_symlink("nowhere", r / "etc/folder");
       }},
      {"one_name_of_a_file_overwritten",
       [](const fs::path& r) { overwrite(r / "lib/one", "both change"); }},
      {"the_first_name_replaced",
       [](const fs::path& r) {
         fs::remove(r / "lib/one");
         overwrite(r / "lib/one", "one file");
       }},
      {"the_second_name_replaced",
       [](const fs::path& r) {
         fs::remove(r / "lib/two");
         overwrite(r / "lib/two", "one file");
       }},
      {"both_names_removed", [](const fs::path& r) { fs::remove_all(r / "lib"); }},
      {"newcomers_of_families",
       [](const fs::path& r) {
         overwrite(r / "site/torch_gcu-2/deep/er/file", "x");
         fs::create_symlink("/etc", r / "site/torch_gcu-link");
         overwrite(r / "site/torch_gcu-1/INSTALLER", "pip");
         overwrite(r / "info/x.list", "x");
       }},
      {"a_member_of_a_family_removed",
       [](const fs::path& r) { fs::remove_all(r / "site/torch_gcu-1"); }},
      {"everything_removed",
       [](const fs::path& r) {
         for (const char* name : {"etc", "lib", "site"}) fs::remove_all(r / name);
       }},
  };
  return table;
}

TEST_F(Restores, UndoEveryKindOfChange) {
  for (const Change& change : changes()) {
    SCOPED_TRACE(change.what);
    change.make(root());
    expect_restored();
  }
}

TEST_F(Restores, SeeEveryKindOfChange) {
  for (const Change& change : changes()) {
    SCOPED_TRACE(change.what);
    change.make(root());
    EXPECT_FALSE(differing().empty());
    restore();
  }
}

TEST_F(Restores, UndoEveryChangeAtOnce) {
  for (const Change& change : changes()) {
    try {
      change.make(root());
    } catch (const fs::filesystem_error&) {  // an earlier change took its place away
    }
  }
  expect_restored();
}

// A restore may be cut off at any point, for example with its temporary file made and not yet
// moved.
TEST_F(Restores, TakeTheLeftoversOfACutOffRestoreAway) {
  for (std::size_t i = 0; i < snapshot_.paths.size(); ++i) {
    const KeptPath& kept = snapshot_.paths[i];
    if (kept.content.empty()) continue;
    const fs::path folder = (root() / kept.path.substr(1)).parent_path();
    overwrite(root() / kept.path.substr(1), "changed");
    overwrite(folder / (".topsctl-restore-" + std::to_string(i)), "half");
  }
  expect_restored();
  for (const auto& entry : fs::recursive_directory_iterator(root())) {
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr(".topsctl-restore")));
  }
}

TEST_F(Restores, JoinNamesOfOneFileAgain) {
  fs::remove(root() / "lib/two");
  write("lib/two", "one file");
  expect_restored();
  EXPECT_TRUE(fs::equivalent(root() / "lib/one", root() / "lib/two"));
}

TEST_F(Restores, LeaveAloneWhatIsNotInTheWriteSet) {
  write("etc/foreign", "x");
  write("site/numpy-1/x", "x");
  write("info/folder/x", "x");
  restore();
  EXPECT_TRUE(fs::exists(root() / "etc/foreign"));
  EXPECT_TRUE(fs::exists(root() / "site/numpy-1/x"));
  EXPECT_TRUE(fs::exists(root() / "info/folder/x")) << "a folder of a family without prefix";
}

TEST_F(Restores, ListWhatCannotBePutBackAndPutTheRestBack) {
  put_in_the_way(sample_.folder, "etc/plain");
  write("etc/script", "changed");
  EXPECT_THAT(restore(), Contains(HasSubstr("/etc/plain: ")));
  EXPECT_THAT(differing(), ElementsAre("/etc/plain", "/etc/plain/lib", "/etc/plain/lib/dpkg"));
  EXPECT_EQ(sample_.folder.read("etc/script"), "#!/bin/sh\n");
}

TEST_F(Restores, TouchNothingWhenAKeptCopyIsMissingOrDamaged) {
  for (const bool missing : {false, true}) {
    write("etc/new", "new");
    write("etc/script", "changed");
    write("etc/plain", "changed");
    FileState before;
    for (const KeptPath& kept : snapshot_.paths) {
      if (kept.path != "/etc/plain") continue;
      before = kept.state;
      if (missing) fs::remove(store_ / kept.content);
      if (!missing) store_.write(kept.content, "PLAIN");
    }
    const Error error = thrown_by([&] { restore(); });
    EXPECT_EQ(error.code(), ErrorCode::rollback_incomplete);
    EXPECT_THAT(error.message(), HasSubstr("the backup of /etc/plain is missing or damaged"));
    EXPECT_EQ(sample_.folder.read("etc/new"), "new");
    EXPECT_EQ(sample_.folder.read("etc/script"), "changed");
    write("etc/plain", "plain");
    apply_attributes(root() / "etc/plain", before);
    EXPECT_THAT(restore(), IsEmpty()) << "the machine has it still";
  }
}

// A script of a package may move a folder away and leave a link: what the link leads to is not
// ours.
TEST_F(Restores, RemoveNothingThroughALinkThatTookTheFoldersPlace) {
  write("precious/inner/x", "precious");
  write("precious/file", "precious");
  WriteSetSummary summary;
  TemporaryFolder store;
  const WriteSet write_set = {{"/etc/folder/x", "/etc/folder/inner/x", "/etc/folder/file"}, {}};
  const Snapshot snapshot = take_snapshot(sample_.host, write_set, store.path(), summary);
  fs::remove_all(root() / "etc/folder");
  fs::create_symlink(root() / "precious", root() / "etc/folder");
  EXPECT_THAT(restore_snapshot(sample_.host, snapshot, store.path()), IsEmpty());
  EXPECT_TRUE(fs::exists(root() / "precious/inner/x"));
  EXPECT_EQ(sample_.folder.read("precious/file"), "precious");
  EXPECT_EQ(sample_.folder.read("etc/folder/file"), "in a folder");
  EXPECT_THAT(compare_with_snapshot(sample_.host, snapshot, store.path()).differing, IsEmpty());
}

TEST_F(Restores, RemoveNoNewcomersThroughALinkThatTookTheFamilysPlace) {
  write("precious/torch_gcu-3/file", "precious");
  fs::rename(root() / "site", root() / "moved");
  fs::create_symlink("/precious", root() / "site");
  restore();
  EXPECT_TRUE(fs::exists(root() / "precious/torch_gcu-3/file"));
}

TEST_F(Restores, ShowStrangeNamesHarmless) {
  write("info/a\x1b[31m", "x");
  EXPECT_THAT(differing(), Contains("/info/a?[31m"));
}

}  // namespace
}  // namespace topsctl
