// `history prune`: what goes, what it says, and when it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/sample_host.hpp"
#include "support/whole_program.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using State = TransactionState;

// Of what is kept of a transaction, in the records of an empty snapshot before and after it.
const std::size_t record_size = [] {
  const TemporaryFolder folder;
  write_snapshot_record({}, folder.path());
  return 2 * folder.read("manifest").size();
}();

class HistoryPrune : public testing::Test {
 protected:
  HistoryPrune() { sample_.folder.write("var/lib/dpkg/status", ""); }

  void add(State last, std::uint64_t bytes) {
    const Transaction transaction = new_transaction(sample_.host);
    Journal journal(sample_.host.resolve(transaction.folder) / "journal");
    journal.append(State::begun, {{"started_at", "2026-11-22T00:00:00Z"},
                                  {"user", "root"},
                                  {"command", "topsctl install x"}});
    if (last == State::pruned) journal.append(State::committed, Json::object());
    journal.append(last, {{"kept_bytes", bytes}});
    const std::string kept = transaction.folder.substr(1) + "/snapshot";
    for (const std::string& store : {kept, transaction.folder.substr(1) + "/after"}) {
      std::filesystem::create_directory(sample_.folder / store);
      write_snapshot_record({}, sample_.folder / store);
    }
    sample_.folder.write(kept + "/c1", std::string(bytes - record_size, 'x'));
  }
  ProgramResult prune(std::vector<std::string> options) {
    options.insert(options.begin(), {"history", "prune", "--root", sample_.folder.path().string()});
    return run_topsctl(options);
  }
  bool has_kept(std::int64_t id) const {
    return std::filesystem::exists(sample_.folder /
                                   concat("var/lib/topsctl/transactions/", id, "/snapshot"));
  }

  SampleHost sample_;
};

TEST_F(HistoryPrune, FreesTheOldestAndSaysWhatStays) {
  for (const std::uint64_t bytes : {1024U, 2048U, 4096U}) add(State::committed, bytes);
  const ProgramResult result = prune({"--keep", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("1   1.0 KiB"), HasSubstr("2   2.0 KiB"),
                    HasSubstr("3.0 KiB freed; 4.0 KiB kept to roll back transaction 3")));
  EXPECT_FALSE(has_kept(1) || has_kept(2));
  EXPECT_TRUE(has_kept(3));
}

TEST_F(HistoryPrune, KeepsTwoUnlessToldOtherwise) {
  for (int i = 0; i < 3; ++i) add(State::committed, 1024);
  const Json document = Json::parse(prune({"--json"}).out);
  EXPECT_EQ(document["pruned"], Json::parse(R"([{"id": 1, "bytes": 1024}])"));
  EXPECT_EQ(document["reports"], nullptr);
  ASSERT_EQ(document["transactions"].size(), 3U);
  EXPECT_EQ(document["transactions"][0]["can_be_undone"], false);
  EXPECT_EQ(document["transactions"][1]["can_be_undone"], true);
  EXPECT_THAT(prune({}).out, HasSubstr("nothing to remove; 2.0 KiB kept to roll back transaction "
                                       "2, 3"));
}

TEST_F(HistoryPrune, HoldsTheSizeDown) {
  for (int i = 0; i < 3; ++i) add(State::committed, 1024);
  EXPECT_EQ(prune({"--keep", "9", "--max-size", "2K"}).status, 0);
  EXPECT_TRUE(!has_kept(1) && has_kept(2) && has_kept(3));
  EXPECT_EQ(prune({"--max-size", "0"}).status, 0);
  EXPECT_TRUE(!has_kept(2) && has_kept(3)) << "the latest stays whatever it takes";
}

TEST_F(HistoryPrune, OnlyTellsInADryRun) {
  for (int i = 0; i < 3; ++i) add(State::committed, 1024);
  const ProgramResult result = prune({"--dry-run"});
  EXPECT_THAT(result.out, AllOf(HasSubstr("would free"), HasSubstr("1.0 KiB would be freed; 2.0 "
                                                                   "KiB kept to roll back")));
  EXPECT_TRUE(has_kept(1));
  EXPECT_FALSE(std::filesystem::exists(sample_.folder / "var/lib/topsctl/lock"));
  EXPECT_EQ(list_transactions(sample_.host).front().state(), State::committed);
}

TEST_F(HistoryPrune, RefusesWhileATransactionIsUnfinished) {
  for (int i = 0; i < 3; ++i) add(State::committed, 1024);
  add(State::applying, 1024);
  for (const char* option : {"--quiet", "--dry-run"}) {
    const ProgramResult result = prune({option});
    EXPECT_EQ(result.status, 4);
    EXPECT_THAT(result.err, AllOf(HasSubstr("transaction 4 is unfinished"),
                                  HasSubstr("hint:  roll it back"), HasSubstr("topsctl recover")));
    EXPECT_TRUE(has_kept(1) && has_kept(4));
  }
  EXPECT_EQ(list_transactions(sample_.host).back().state(), State::applying) << "nor recovered";
}

TEST_F(HistoryPrune, RemovesWhatACrashHasLeftOfAnEarlierOne) {
  add(State::pruned, 512);
  add(State::committed, 1024);
  EXPECT_THAT(prune({"--dry-run"}).out, HasSubstr("512 B would be freed"));
  EXPECT_THAT(prune({}).out, HasSubstr("512 B freed; 1.0 KiB kept to roll back transaction 2"));
  EXPECT_FALSE(has_kept(1));
}

TEST_F(HistoryPrune, MakesNothingWhereNothingWasInstalled) {
  const ProgramResult result = prune({});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("nothing to remove; no transaction can be rolled back"));
  EXPECT_FALSE(std::filesystem::exists(sample_.folder / "var/lib/topsctl"));
}

TEST_F(HistoryPrune, RefusesToKeepNothingAndSizesThatAreNone) {
  EXPECT_EQ(prune({"--keep", "0"}).status, 2);
  const ProgramResult result = prune({"--max-size", "much"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("expected a size such as 500M or 2G; got 'much'"));
  EXPECT_EQ(run_topsctl({"history", "show", "1", "prune"}).status, 2);
}

TEST_F(HistoryPrune, IsNullInTheOtherForms) {
  const ProgramResult result =
      run_topsctl({"history", "--json", "--root", sample_.folder.path().string()});
  EXPECT_EQ(Json::parse(result.out)["pruned"], nullptr);
}

}  // namespace
}  // namespace topsctl
