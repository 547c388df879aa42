// The text of differences between two bundles.
#include "cli/diff_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/finding_text.hpp"
#include "support/sample_inspection.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/reporting/package_diff.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Style plain_diff{false};

PackageDiff sample_change() {
  PackageDiff change;
  change.before = {PackageKind::deb, "tops-eccl", "2.5.136-1", std::nullopt, "a.deb", 1000};
  change.after = {PackageKind::deb, "tops-eccl", "2.6.0-1", std::nullopt, "b.deb", 2048};
  change.change = VersionChange::upgrade;
  return change;
}

BundleDiff with_change(const PackageDiff& change) {
  BundleDiff diff;
  diff.changed = {change};
  return diff;
}

TEST(DiffText, OfEqualBundlesIsOneLine) {
  BundleDiff diff;
  diff.same = 3;
  EXPECT_EQ(render_diff(diff, Detail::brief, plain_diff), "no differences: 3 packages identical\n");
}

TEST(DiffText, ListsPackagesAndCountsThem) {
  BundleDiff diff = with_change(sample_change());
  diff.added = {{PackageKind::wheel, "torch_gcu", "1.10", "3.8", "t.whl", 1}};
  diff.removed = {{PackageKind::runfile, "", "", std::nullopt, "old.run", 2}};
  diff.same = 4;
  EXPECT_EQ(render_diff(diff, Detail::brief, plain_diff),
            "  added  torch_gcu 1.10 (Python 3.8)  1 B\n"
            "  removed  old.run  2 B\n"
            "  upgrade  tops-eccl 2.5.136-1 -> 2.6.0-1  1000 B -> 2.0 KiB\n"
            "    no differences in scripts and relations\n"
            "  1 package changed, 1 added, 1 removed, 4 unchanged\n");
}

TEST(DiffText, SaysThatARebuildHasOtherContent) {
  PackageDiff change = sample_change();
  change.after.version = change.before.version;
  change.change = VersionChange::rebuild;
  change.before.size = change.after.size;
  change.files_compared = true;
  change.contents_compared = true;
  EXPECT_THAT(render_diff(with_change(change), Detail::brief, plain_diff),
              HasSubstr("  rebuild  tops-eccl 2.5.136-1, different content  2.0 KiB\n    no "
                        "differences in the file list, libraries, scripts and relations\n"));
}

TEST(DiffText, ShowsEveryKindOfChange) {
  PackageDiff change = sample_change();
  change.files_added.add("/new");
  change.files_removed.add("/old");
  change.files_changed.add({"/lib", 1024, 2048});
  change.files_changed.add({"/same", 10, 10});
  change.files_changed.add({"/claimed", std::nullopt, 10});
  change.modes_changed.add({"/bin", 0755, 04755});
  change.modes_changed.add({"/fresh", 0, 0644});
  change.conffiles_added.add("/etc/x");
  change.conffiles_removed.add("/etc/y");
  change.sonames_gained.add("libg.so.1");
  change.sonames_lost.add("libl.so.1");
  change.sonames_bumped.add({"libb.so.1", "libb.so.2"});
  change.needed_gained.add("libibverbs.so.1");
  change.glibc_before = "2.27";
  change.glibc_after = "2.31";
  change.scripts = {{"postinst", false, false, {1, 1, {"-a", "+b"}}}};
  change.relations = {{"depends", {"libc6 (>= 2.27)"}, {"libc6 (>= 2.31)"}}};
  const std::string text = render_diff(with_change(change), Detail::brief, plain_diff);
  EXPECT_EQ(
      text,
      "  upgrade  tops-eccl 2.5.136-1 -> 2.6.0-1  1000 B -> 2.0 KiB\n    files added: 1\n      "
      "/new\n    files removed: 1\n      /old\n    files changed: 3\n      /lib  1.0 KiB -> 2.0 "
      "KiB\n      /same  different content\n      /claimed  different content\n    modes changed: "
      "2\n      /bin  0755 -> 4755, gains setuid or setgid\n      /fresh  new -> 0644\n    "
      "configuration files added: 1\n      /etc/x\n    configuration files removed: 1\n      "
      "/etc/y\n    libraries added (SONAME): 1\n      libg.so.1\n    libraries removed (SONAME): "
      "1\n      libl.so.1\n    libraries with a new SONAME: 1\n      libb.so.1 -> libb.so.2\n    "
      "newly required libraries: 1\n      libibverbs.so.1\n    required glibc: 2.27 -> 2.31\n    "
      "postinst changed: 1 line added, 1 removed\n      -a\n      +b\n    depends:\n      - libc6 "
      "(>= 2.27)\n      + libc6 (>= 2.31)\n  1 package changed, 0 added, 0 removed, 0 unchanged\n");
  EXPECT_THAT(render_diff(with_change(change), Detail::brief, Style{true}),
              HasSubstr("\033[31m0755 -> 4755, gains setuid or setgid\033[0m"));
}

TEST(DiffText, ShowsTenItemsUnlessAllAreAskedFor) {
  PackageDiff change = sample_change();
  for (int i = 0; i < 300; ++i) change.files_added.add(concat("/f", i, "."));
  const std::string brief = render_diff(with_change(change), Detail::brief, plain_diff);
  EXPECT_THAT(brief, AllOf(HasSubstr("files added: 300\n"), HasSubstr("/f9.\n"),
                           HasSubstr("and 290 more\n"), Not(HasSubstr("/f10.\n"))));
  EXPECT_THAT(render_diff(with_change(change), Detail::full, plain_diff),
              AllOf(HasSubstr("/f199.\n"), HasSubstr("and 100 more\n")));
}

TEST(DiffText, ShowsArchivesAndVariables) {
  BundleDiff diff;
  diff.containers.add({"a.run", true, false, 0, 10});
  diff.containers.add({"b.run", false, true, 10, 0});
  diff.settings.add({"ECCL_TOPOLOGY", {}, {"1", "2"}});
  EXPECT_EQ(render_diff(diff, Detail::brief, plain_diff),
            "    archives: 2\n"
            "      a.run  new -> 10 B\n"
            "      b.run  10 B -> gone\n"
            "    variables set by scripts: 1\n"
            "      ECCL_TOPOLOGY: not set -> 1 or 2\n"
            "  0 packages changed, 0 added, 0 removed, 0 unchanged\n");
}

TEST(DiffText, KeepsPathsWhole) {
  PackageDiff change = sample_change();
  const std::string path = "/" + std::string(300, 'x') + "/end.so";
  change.files_added.add(path);
  EXPECT_THAT(render_diff(with_change(change), Detail::brief, plain_diff), HasSubstr(path));
}

}  // namespace
}  // namespace topsctl
