// Taking one transaction's changes out of dpkg's database files.
#include "engine/transaction/dpkg_merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string stanza(const std::string& name, const std::string& version,
                   const std::string& architecture = "amd64") {
  return "Package: " + name + "\nStatus: install ok installed\nArchitecture: " + architecture +
         "\nVersion: " + version + "\nDescription: a\n b\n";
}

TEST(MergedStatus, TakesOnlyTheTransactionsPackagesBack) {
  const std::string before = stanza("a", "1") + "\n" + stanza("eccl", "2.4") + "\n";
  const std::string after =
      stanza("a", "1") + "\n" + stanza("eccl", "2.5") + "\n" + stanza("sdk", "2.5") + "\n";
  const std::string now = stanza("a", "2") + "\n" + stanza("eccl", "2.5") + "\n" +
                          stanza("later", "1") + "\n" + stanza("sdk", "2.5") + "\n";
  const DpkgMerge merge = merged_status(before, after, now);
  EXPECT_EQ(merge.text,
            stanza("a", "2") + "\n" + stanza("eccl", "2.4") + "\n" + stanza("later", "1") + "\n");
  EXPECT_THAT(merge.packages, ElementsAre("eccl:amd64", "sdk:amd64"));
  EXPECT_THAT(merge.conflicts, IsEmpty());
}

TEST(MergedStatus, BringsBackWhatTheTransactionRemoved) {
  const std::string before = stanza("a", "1") + "\n" + stanza("old", "1") + "\n";
  const std::string after = stanza("a", "1") + "\n";
  const std::string now = stanza("a", "1") + "\n" + stanza("b", "1");
  EXPECT_EQ(merged_status(before, after, now).text,
            stanza("a", "1") + "\n" + stanza("b", "1") + "\n" + stanza("old", "1") + "\n");
}

TEST(MergedStatus, TellsOfPackagesThatSomebodyElseHasChangedSince) {
  const std::string before = stanza("sdk", "2.4") + "\n";
  const std::string after = stanza("eccl", "2.5") + "\n" + stanza("sdk", "2.5") + "\n";
  const std::string now = stanza("eccl", "2.6") + "\n" + stanza("sdk", "2.4") + "\n";
  const DpkgMerge merge = merged_status(before, after, now);
  EXPECT_THAT(merge.conflicts, ElementsAre("eccl:amd64")) << "sdk is back where it was";
  EXPECT_EQ(merge.text, before);
}

TEST(MergedStatus, KeepsArchitecturesOfOnePackageApart) {
  const std::string before = stanza("x", "1", "i386") + "\n";
  const std::string after = stanza("x", "1", "i386") + "\n" + stanza("x", "2", "amd64") + "\n";
  EXPECT_EQ(merged_status(before, after, after + stanza("y", "1") + "\n").text,
            before + stanza("y", "1") + "\n");
}

std::string with_status(std::string stanza, const std::string& status) {
  const std::string usual = "install ok installed";
  return stanza.replace(stanza.find(usual), usual.size(), status);
}

const OwnDebs sdk_to_2_5 = {{"sdk", "2.5"}, {"gone", ""}};

TEST(StatusWithout, IsTheTextBeforeWhereNobodyElseChangedAnything) {
  const std::string before = stanza("a", "1") + "\n" + stanza("sdk", "2.4") + "\n";
  const std::string now = with_status(stanza("sdk", "2.5"), "install ok unpacked") + "\n" +
                          with_status(stanza("a", "1"), "install ok triggers-pending") + "\n";
  const DpkgMerge merge = status_without(sdk_to_2_5, before, now);
  EXPECT_EQ(merge.text, before);
  EXPECT_THAT(merge.conflicts, IsEmpty());
}

TEST(StatusWithout, PutsBackAPackageWhoseTriggerWasCutOffBesideWhatOthersInstalled) {
  const std::string before = stanza("libc-bin", "1") + "\n";
  const std::string other = stanza("other", "1") + "\n";
  for (const char* status : {"install ok half-configured", "install ok triggers-awaited"}) {
    const std::string now = with_status(stanza("libc-bin", "1"), status) + "\n" + other;
    EXPECT_EQ(status_without(sdk_to_2_5, before, now).text, before + other) << status;
  }
  const std::string newer =
      with_status(stanza("libc-bin", "2"), "install ok half-configured") + "\n";
  EXPECT_EQ(status_without(sdk_to_2_5, before, newer).text, newer) << "another version is theirs";
}

TEST(StatusWithout, LeavesThePackagesOfOthersAsTheyAre) {
  const std::string before =
      stanza("a", "1") + "\n" + stanza("gone", "1") + "\n" + stanza("old", "1") + "\n";
  const std::string now =
      stanza("a", "2") + "\n" + stanza("other", "1") + "\n" + stanza("sdk", "2.5") + "\n";
  const DpkgMerge merge = status_without(sdk_to_2_5, before, now);
  EXPECT_EQ(merge.text,
            stanza("a", "2") + "\n" + stanza("other", "1") + "\n" + stanza("gone", "1") + "\n");
  EXPECT_THAT(merge.conflicts, IsEmpty());
}

TEST(StatusWithout, TellsOfOwnPackagesThatSomebodyElseTookElsewhere) {
  const std::string before = stanza("sdk", "2.4") + "\n";
  EXPECT_THAT(status_without(sdk_to_2_5, before, stanza("sdk", "2.6") + "\n").conflicts,
              ElementsAre("sdk:amd64"));
  EXPECT_THAT(status_without(sdk_to_2_5, before, "").conflicts, ElementsAre("sdk:amd64"));
  EXPECT_THAT(status_without(sdk_to_2_5, before,
                             with_status(stanza("sdk", "2.5"), "deinstall ok config-files") + "\n")
                  .conflicts,
              ElementsAre("sdk:amd64"));
  EXPECT_THAT(status_without(sdk_to_2_5, before,
                             with_status(stanza("sdk", "2.5"), "install ok half-configured") + "\n")
                  .conflicts,
              IsEmpty());
}

TEST(RecordsWithout, LoseOurRecordsAndKeepThoseOfOthers) {
  const auto is_own = [](std::string_view record) { return record.starts_with("our"); };
  EXPECT_EQ(records_without(is_own, "our old\nx\ny\n", "our new\ny\ntheirs\n", 1),
            "our old\ny\ntheirs\n");
  EXPECT_EQ(records_without(is_own, "x\nour old\n", "our new\nx\n", 1), "x\nour old\n");
}

TEST(MergedRecords, LoseWhatTheTransactionAddedAndGetBackWhatItTook) {
  EXPECT_EQ(merged_records("a\nb\n", "a\nc\n", "a\nc\nd\n", 1), "a\nd\nb\n");
}

TEST(MergedRecords, MayHaveSeveralLines) {
  const std::string mine = "/bin/x\n/bin/x.real\ntops-sdk\n";
  const std::string theirs = "/bin/y\n/bin/y.real\n:\n";
  EXPECT_EQ(merged_records("", mine, mine + theirs, 3), theirs);
  EXPECT_EQ(merged_records(mine, theirs, theirs, 3), mine);
}

}  // namespace
}  // namespace topsctl
