// Which packages of two bundles belong together, and what else changed.
#include "topsctl/engine/reporting/bundle_diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/golden.hpp"
#include "support/sample_diff.hpp"
#include "support/sample_inspection.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/reporting/bundle_diff_json.hpp"
#include "topsctl/engine/reporting/package_diff.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Inspection bundle(std::vector<Package> packages) {
  Inspection inspection;
  inspection.inventory.packages = std::move(packages);
  return inspection;
}

TEST(BundleDiffs, OfTheSameBundleAreEmpty) {
  const BundleDiff diff = diff_of(sample_inspection(), sample_inspection());
  EXPECT_TRUE(diff.is_empty());
  EXPECT_EQ(diff.same, 4U);
  EXPECT_TRUE(diff_of({}, {}).is_empty());
}

TEST(BundleDiffs, TellUpgradesDowngradesAndRebuildsApart) {
  const BundleDiff diff =
      diff_of(bundle({inspected_deb("up", "2.9-1", 'a'), inspected_deb("down", "1:1-1", 'b'),
                      inspected_deb("again", "1-1", 'c'), inspected_deb("same", "1-1", 'd')}),
              bundle({inspected_deb("up", "2.10-1", 'e'), inspected_deb("down", "9-1", 'f'),
                      inspected_deb("again", "1-1", '0'), inspected_deb("same", "1-1", 'd')}));
  ASSERT_THAT(diff.changed, SizeIs(3));
  EXPECT_EQ(diff.changed[0].before.name, "again");
  EXPECT_EQ(diff.changed[0].change, VersionChange::rebuild);
  EXPECT_EQ(diff.changed[1].before.name, "down");
  EXPECT_EQ(diff.changed[1].change, VersionChange::downgrade);
  EXPECT_EQ(diff.changed[2].after.version, "2.10-1");
  EXPECT_EQ(diff.changed[2].change, VersionChange::upgrade);
  EXPECT_EQ(diff.same, 1U);
}

TEST(BundleDiffs, OrderWheelsAsPythonDoes) {
  Package before = inspected_torch("3.8", 'a');
  Package after = inspected_torch("3.8", 'b');
  before.version = "1.10.0rc1";
  after.version = "1.10.0";
  const BundleDiff diff = diff_of(bundle({before}), bundle({after}));
  ASSERT_THAT(diff.changed, SizeIs(1));
  EXPECT_EQ(diff.changed[0].change, VersionChange::upgrade);
}

TEST(BundleDiffs, MatchByKindNormalisedNameAndPython) {
  Package respelled = inspected_torch("3.8", 'f');
  respelled.name = "Torch-GCU";
  Package deb = inspected_deb("torch-gcu", "1", 'e');
  const BundleDiff diff = diff_of(
      bundle({inspected_torch("3.6", 'a'), inspected_torch("3.8", 'b')}), bundle({respelled, deb}));
  ASSERT_THAT(diff.changed, SizeIs(1));
  EXPECT_EQ(diff.changed[0].after.name, "Torch-GCU");
  ASSERT_THAT(diff.removed, SizeIs(1));
  EXPECT_EQ(diff.removed[0].python_minor, "3.6");
  ASSERT_THAT(diff.added, SizeIs(1));
  EXPECT_EQ(diff.added[0].kind, PackageKind::deb);
}

TEST(BundleDiffs, LeaveArchivedPackagesOut) {
  Inspection without = sample_inspection();
  without.inventory.packages[2].version = "1";
  without.inventory.packages[2].sha256 = sample_digest('0');
  EXPECT_TRUE(diff_of(sample_inspection(), without).is_empty());
}

TEST(BundleDiffs, PairTheSameVersionsOfSeveralAlikeThenTheNewest) {
  const BundleDiff diff =
      diff_of(bundle({inspected_deb("x", "1", 'a'), inspected_deb("x", "2", 'b'),
                      inspected_deb("x", "3", 'c')}),
              bundle({inspected_deb("x", "2", 'b'), inspected_deb("x", "4", 'd')}));
  EXPECT_EQ(diff.same, 1U);
  ASSERT_THAT(diff.changed, SizeIs(1));
  EXPECT_EQ(diff.changed[0].before.version, "3");
  EXPECT_EQ(diff.changed[0].after.version, "4");
  ASSERT_THAT(diff.removed, SizeIs(1));
  EXPECT_EQ(diff.removed[0].version, "1");
  EXPECT_THAT(diff.added, IsEmpty());
}

TEST(BundleDiffs, GoByClaimsWhereNoDigestWasRead) {
  Package before = inspected_deb("x", "1", 'a');
  Package after = before;
  before.sha256.clear();
  after.sha256.clear();
  EXPECT_TRUE(diff_of(bundle({before}), bundle({after})).is_empty());
  after.md5sums = "00  usr/lib/a\n";
  EXPECT_THAT(diff_of(bundle({before}), bundle({after})).changed, SizeIs(1));
}

TEST(BundleDiffs, CompareThePackagesOwnContents) {
  Inspection before = bundle({inspected_deb("x", "1", 'a')});
  Inspection after = bundle({inspected_deb("new", "1", 'c'), inspected_deb("x", "2", 'b')});
  before.contents[0].elf_files.resize(1);
  before.contents[0].elf_files[0].facts.glibc = "2.27";
  after.contents[0] = {};
  after.contents[1].elf_files.resize(1);
  after.contents[1].elf_files[0].facts.glibc = "2.35";
  const BundleDiff diff = diff_of(before, after);
  ASSERT_THAT(diff.changed, SizeIs(1));
  EXPECT_EQ(diff.changed[0].glibc_before, "2.27");
  EXPECT_EQ(diff.changed[0].glibc_after, "2.35");
}

TEST(BundleDiffs, CompareArchivesByPlace) {
  Inspection after = sample_inspection();
  after.containers[0].sha256 = sample_digest('1');
  EXPECT_THAT(diff_of(sample_inspection(), after).containers.first,
              ElementsAre(ContainerChange{"TopsRider.run", false, false, 20000, 20000}));
  after.containers[0].path = "TopsRider2.run";
  after.containers[0].sha256 = sample_digest('f');
  EXPECT_EQ(diff_of(sample_inspection(), after).containers.count, 0U);
  after.containers[0].sha256 = sample_digest('1');
  EXPECT_THAT(diff_of(sample_inspection(), after).containers.first,
              ElementsAre(ContainerChange{"TopsRider.run", false, true, 20000, 0},
                          ContainerChange{"TopsRider2.run", true, false, 0, 20000}));
}

TEST(BundleDiffs, CompareTheValuesOfVariablesWhenAllDataWasRead) {
  Inspection after = sample_inspection();
  after.settings = {{{"ECCL_MAX_NCHANNELS", "4"}, 1}, {{"ECCL_TOPOLOGY", "1"}, 3}};
  after.contents[0].settings = {{{"ECCL_MAX_NCHANNELS", "2"}, 1}};
  const BundleDiff diff = diff_of(sample_inspection(), after);
  EXPECT_TRUE(diff.settings_compared);
  EXPECT_THAT(diff.settings.first,
              ElementsAre(SettingChange{"ECCL_MAX_NCHANNELS", {"2"}, {"2", "4"}},
                          SettingChange{"ECCL_TOPOLOGY", {}, {"1"}},
                          SettingChange{"ENFLAME_LOG_DEBUG_MOD", {"ECCL,OPREG"}, {}}));
  after.depth = Depth::digest;
  EXPECT_FALSE(diff_of(sample_inspection(), after).settings_compared);
  EXPECT_EQ(diff_of(sample_inspection(), after).settings.count, 0U);
}

TEST(BundleDiffs, HaveAllFieldsInTheirJson) {
  Inspection before = bundle({inspected_deb("x", "1", 'a'), inspected_deb("gone", "1", 'c')});
  Inspection after = bundle({inspected_deb("x", "2", 'b'), inspected_deb("new", "1", 'd')});
  before.depth = after.depth = Depth::deep;
  before.inventory.packages[0].files = {{"/b", PayloadEntry::Type::file, 1, 0755}};
  after.inventory.packages[0].files = {{"/b", PayloadEntry::Type::file, 2, 04755}};
  after.inventory.packages[0].deb->depends = "libelf1";
  after.inventory.packages[0].deb->scripts = {{"postinst", "x\n"}};
  after.settings[{"ECCL_TOPOLOGY", "1"}] = 1;
  const Json json = to_json(diff_of(before, after));
  EXPECT_EQ(json["added"].dump(),
            R"([{"kind":"deb","name":"new","version":"1","python_minor":null,)"
            R"("place":"deb/new_1_amd64.deb","size":1000}])");
  EXPECT_EQ(json["removed"][0]["name"], "gone");
  EXPECT_EQ(json["same"], 0);
  EXPECT_EQ(json["containers"].dump(), R"({"count":0,"first":[]})");
  EXPECT_EQ(json["settings"]["first"].dump(),
            R"([{"name":"ECCL_TOPOLOGY","before":[],"after":[{"value":"1"}]}])");
  const Json& changed = json["changed"][0];
  EXPECT_EQ(changed["change"], "upgrade");
  EXPECT_EQ(changed["libraries"], nullptr);
  EXPECT_EQ(changed["files"]["changed"].dump(),
            R"({"count":1,"first":[{"path":"/b","before":1,"after":2}]})");
  EXPECT_EQ(changed["files"]["modes"]["first"].dump(),
            R"([{"path":"/b","before":"0755","after":"4755","gains_setuid":true}])");
  EXPECT_EQ(changed["scripts"].dump(),
            R"([{"name":"postinst","change":"added","lines_added":1,"lines_removed":0,)"
            R"("first_lines":[{"text":"+x"}]}])");
  EXPECT_EQ(changed["relations"].dump(),
            R"([{"field":"depends","lost":[],"gained":[{"clause":"libelf1"}]}])");
  EXPECT_EQ(changed["conffiles"]["added"]["count"], 0);
}

TEST(BundleDiffs, AreTheGoldenDocument) {
  expect_golden(to_text(to_json(every_change())), "diff/bundles.json");
}

}  // namespace
}  // namespace topsctl
