// What changed within one package.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_inspection.hpp"
#include "support/sample_stack.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/reporting/package_diff.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Type = PayloadEntry::Type;

struct Pair {
  Package before = inspected_deb("tops-eccl", "2.5.136-1", 'a');
  Package after = inspected_deb("tops-eccl", "2.6.0-1", 'b');
  Contents contents_before;
  Contents contents_after;

  PackageDiff diff() const {
    return package_diff(before, &contents_before, after, &contents_after);
  }
};

// The sample's list of digests differs in every line.
Pair without_digests() {
  Pair pair;
  pair.before.md5sums.clear();
  pair.after.md5sums.clear();
  return pair;
}

ElfFile library(const std::string& soname, const std::vector<std::string>& needed,
                const std::string& glibc) {
  ElfFile file;
  file.path = "/usr/lib/" + soname;
  file.facts.soname = soname;
  file.facts.needed = needed;
  file.facts.glibc = glibc;
  return file;
}

TEST(PackageDiffs, ListFilesThatCameWentAndChanged) {
  Pair pair = without_digests();
  pair.before.files = {{"/a", Type::file, 1}, {"/b", Type::file, 2}, {"/c", Type::file, 3}};
  pair.after.files = {{"/b", Type::file, 5}, {"/c", Type::file, 3}, {"/d", Type::file, 4}};
  const PackageDiff diff = pair.diff();
  EXPECT_TRUE(diff.files_compared);
  EXPECT_THAT(diff.files_added.first, ElementsAre("/d"));
  EXPECT_THAT(diff.files_removed.first, ElementsAre("/a"));
  EXPECT_THAT(diff.files_changed.first, ElementsAre(FileChange{"/b", 2, 5}));
  EXPECT_THAT(diff.modes_changed.first, IsEmpty());
}

TEST(PackageDiffs, SeeOtherContentOfTheSameSizeInTheDigests) {
  Pair pair;
  pair.before.files = {{"/a", Type::file, 1}, {"/b", Type::file, 1}};
  pair.after.files = pair.before.files;
  pair.before.md5sums = "11  a\n22  b\n";
  pair.after.md5sums = "11  a\n33  b\n";
  EXPECT_THAT(pair.diff().files_changed.first, ElementsAre(FileChange{"/b", 1, 1}));
}

TEST(PackageDiffs, SeeOtherContentOfWheelsInTheRecord) {
  Package before = inspected_torch("3.8", 'a');
  Package after = before;
  after.record = with(after.record, "init-3.8", "other");
  EXPECT_THAT(package_diff(before, nullptr, after, nullptr).files_changed.first,
              ElementsAre(FileChange{"torch_gcu/__init__.py", 1, 1}));
  after.record = "\"";
  EXPECT_EQ(package_diff(before, nullptr, after, nullptr).files_changed.count, 0U);
}

TEST(PackageDiffs, TakeNoSizeFromClaimsThatHaveNone) {
  Pair pair;
  pair.before.files = {{"/a", Type::file, 0}, {"/b", Type::file, 0}};
  pair.before.files_are_claims = true;
  pair.before.md5sums = "11  a\n22  b\n";
  pair.after.files = {{"/a", Type::file, 70}, {"/b", Type::file, 80}};
  pair.after.md5sums = "11  a\n33  b\n";
  EXPECT_THAT(pair.diff().files_changed.first, ElementsAre(FileChange{"/b", std::nullopt, 80}));
  Package before = inspected_torch("3.8", 'a');
  before.files_are_claims = true;
  Package after = before;
  after.files->front().size = 9;
  EXPECT_THAT(package_diff(before, nullptr, after, nullptr).files_changed.first,
              ElementsAre(FileChange{"torch_gcu/__init__.py", 1, 9}));
}

TEST(PackageDiffs, SeeAnotherLinkTargetAndType) {
  Pair pair = without_digests();
  pair.before.files = {{"/l", Type::symlink, 0, 0, "", 0, "x"}, {"/f", Type::file, 0}};
  pair.after.files = {{"/l", Type::symlink, 0, 0, "", 0, "y"}, {"/f", Type::directory, 0}};
  EXPECT_EQ(pair.diff().files_changed.count, 2U);
}

TEST(PackageDiffs, DoNotCountTheRenamedMetadataFolderOfAWheel) {
  Package before = inspected_torch("3.8", 'a');
  Package after = before;
  before.files = {{"torch_gcu-1.dist-info/RECORD", Type::file, 1}};
  after.files = {{"torch_gcu-2.dist-info/RECORD", Type::file, 1}};
  const PackageDiff diff = package_diff(before, nullptr, after, nullptr);
  EXPECT_EQ(diff.files_added.count + diff.files_removed.count, 0U);
}

TEST(PackageDiffs, ShowModesAndWhatGainsSetuid) {
  Pair pair = without_digests();
  pair.before.files = {{"/a", Type::file, 1, 0644},
                       {"/b", Type::file, 1, 0755},
                       {"/c", Type::file, 1, 04755},
                       {"/unknown", Type::file, 1, 0}};
  pair.after.files = {{"/a", Type::file, 1, 0755},
                      {"/b", Type::file, 1, 04755},
                      {"/c", Type::file, 1, 0755},
                      {"/new", Type::file, 1, 02755},
                      {"/unknown", Type::file, 1, 0644}};
  const PackageDiff diff = pair.diff();
  ASSERT_THAT(diff.modes_changed.first,
              ElementsAre(ModeChange{"/a", 0644, 0755}, ModeChange{"/b", 0755, 04755},
                          ModeChange{"/c", 04755, 0755}, ModeChange{"/new", 0, 02755}));
  EXPECT_FALSE(diff.modes_changed.first[0].gains_setuid());
  EXPECT_TRUE(diff.modes_changed.first[1].gains_setuid());
  EXPECT_FALSE(diff.modes_changed.first[2].gains_setuid());
  EXPECT_TRUE(diff.modes_changed.first[3].gains_setuid());
}

TEST(PackageDiffs, KnowWhenFilesWereNotRead) {
  Pair pair;
  pair.after.files.reset();
  EXPECT_FALSE(pair.diff().files_compared);
  EXPECT_FALSE(
      package_diff(pair.before, nullptr, pair.after, &pair.contents_after).contents_compared);
}

TEST(PackageDiffs, CompareSonames) {
  Pair pair;
  pair.contents_before.elf_files = {library("libtops.so.2", {}, ""), library("libold.so.1", {}, ""),
                                    library("libsame.so.1", {}, "")};
  pair.contents_after.elf_files = {library("libtops.so.3", {}, ""), library("libnew.so.1", {}, ""),
                                   library("libsame.so.1", {}, "")};
  const PackageDiff diff = pair.diff();
  EXPECT_TRUE(diff.contents_compared);
  EXPECT_THAT(diff.sonames_bumped.first, ElementsAre(SonameChange{"libtops.so.2", "libtops.so.3"}));
  EXPECT_THAT(diff.sonames_lost.first, ElementsAre("libold.so.1"));
  EXPECT_THAT(diff.sonames_gained.first, ElementsAre("libnew.so.1"));
}

TEST(PackageDiffs, CompareNeededLibrariesAndTheGlibcFloor) {
  Pair pair;
  pair.contents_before.elf_files = {library("a.so", {"libc.so.6", "libgone.so"}, "2.9"),
                                    library("b.so", {}, "2.27")};
  pair.contents_after.elf_files = {library("a.so", {"libc.so.6", "libibverbs.so.1"}, "2.31"),
                                   library("b.so", {}, "2.4")};
  const PackageDiff diff = pair.diff();
  EXPECT_THAT(diff.needed_gained.first, ElementsAre("libibverbs.so.1"));
  EXPECT_EQ(diff.glibc_before, "2.27");
  EXPECT_EQ(diff.glibc_after, "2.31");
}

TEST(PackageDiffs, CompareScriptsLineByLine) {
  Pair pair;
  pair.before.deb->scripts = {{"postinst", "#!/bin/sh\nldconfig\n"}, {"prerm", "x\n"}};
  pair.after.deb->scripts = {{"postinst", "#!/bin/sh\nldconfig\nrm -rf /opt\n"},
                             {"preinst", "y\n"}};
  const std::vector<ScriptChange> scripts = pair.diff().scripts;
  ASSERT_THAT(scripts, SizeIs(3));
  EXPECT_EQ(scripts[0], (ScriptChange{"postinst", false, false, {1, 0, {"+rm -rf /opt"}}}));
  EXPECT_EQ(scripts[1], (ScriptChange{"preinst", true, false, {1, 0, {"+y"}}}));
  EXPECT_EQ(scripts[2], (ScriptChange{"prerm", false, true, {0, 1, {"-x"}}}));
  pair.after.deb->scripts = pair.before.deb->scripts;
  EXPECT_THAT(pair.diff().scripts, IsEmpty());
}

TEST(PackageDiffs, CompareRelationsClauseByClause) {
  Pair pair;
  pair.before.deb->depends = "libc6 (>= 2.27),  libelf1, a|b";
  pair.after.deb->depends = "a | b, libc6 (>= 2.31), libelf1";
  pair.after.deb->conflicts = "eccl";
  const std::vector<RelationChange> relations = pair.diff().relations;
  ASSERT_THAT(relations, SizeIs(2));
  EXPECT_EQ(relations[0], (RelationChange{"depends", {"libc6 (>= 2.27)"}, {"libc6 (>= 2.31)"}}));
  EXPECT_EQ(relations[1], (RelationChange{"conflicts", {}, {"eccl"}}));
}

TEST(PackageDiffs, CompareMalformedRelationsAsTheyAreWritten) {
  Pair pair;
  pair.before.deb->depends = "((x, y";
  pair.after.deb->depends = "((x, z";
  EXPECT_THAT(pair.diff().relations, ElementsAre(RelationChange{"depends", {"y"}, {"z"}}));
}

TEST(PackageDiffs, CompareWhatWheelsRequire) {
  Package before = inspected_torch("3.8", 'a');
  Package after = before;
  before.depends = {"numpy (>=1.13)", "torch"};
  after.depends = {"numpy (>=1.19)", "torch"};
  after.python->requires_python = ">=3.8";
  EXPECT_THAT(package_diff(before, nullptr, after, nullptr).relations,
              ElementsAre(RelationChange{"requires_dist", {"numpy (>=1.13)"}, {"numpy (>=1.19)"}},
                          RelationChange{"requires_python", {}, {">=3.8"}}));
}

TEST(PackageDiffs, CompareConfigurationFiles) {
  Pair pair;
  pair.before.deb->conffiles = {"/etc/a", "/etc/b"};
  pair.after.deb->conffiles = {"/etc/c", "/etc/b"};
  EXPECT_THAT(pair.diff().conffiles_removed.first, ElementsAre("/etc/a"));
  EXPECT_THAT(pair.diff().conffiles_added.first, ElementsAre("/etc/c"));
}

TEST(PackageDiffs, AreBounded) {
  Pair pair = without_digests();
  pair.before.files.emplace();
  pair.after.files.emplace();
  for (int i = 0; i < 1000; ++i)
    pair.after.files->push_back({concat("/f", i), Type::file, 1, 04755});
  for (int i = 0; i < 1000; ++i) {
    const std::string separator = i == 0 ? "" : ", ";
    pair.after.deb->depends += concat(separator, "x", i);
    pair.contents_after.elf_files.push_back(library(concat("lib", i, ".so.1"), {}, ""));
  }
  const PackageDiff diff = pair.diff();
  EXPECT_EQ(diff.files_added.count, 1000U);
  EXPECT_THAT(diff.files_added.first, SizeIs(200));
  EXPECT_THAT(diff.modes_changed.first, SizeIs(200));
  EXPECT_EQ(diff.sonames_gained.count, 1000U);
  EXPECT_THAT(diff.sonames_gained.first, SizeIs(200));
  ASSERT_THAT(diff.relations, SizeIs(1));
  EXPECT_THAT(diff.relations[0].gained, SizeIs(200));
}

TEST(PackageDiffs, ArePrintable) {
  Pair pair = without_digests();
  pair.after.files = {{"/a\n\033[31m", Type::file, 1}};
  pair.after.deb->conffiles = {"/etc/\r"};
  const PackageDiff diff = pair.diff();
  EXPECT_THAT(diff.files_added.first, ElementsAre("/a??[31m"));
  EXPECT_THAT(diff.conffiles_added.first, ElementsAre("/etc/?"));
}

}  // namespace
}  // namespace topsctl
