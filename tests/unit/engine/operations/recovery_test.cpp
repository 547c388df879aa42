// Recovery from transactions that a crash cut off.
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/model/execution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "support/recording_sink.hpp"
#include "support/sample_transaction.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using State = TransactionState;

class Recoveries : public testing::Test {
 protected:
  Recoveries() { sample_.folder.write("etc/config", "as it was"); }
  std::vector<std::optional<State>> states() const {
    std::vector<std::optional<State>> states;
    for (const Transaction& t : list_transactions(sample_.host)) states.push_back(t.state());
    return states;
  }

  SampleHost sample_;
  EventFan events_;
};

TEST_F(Recoveries, HaveNothingToDoOnASoundMachine) {
  const Recovery recovery = recover_unfinished(sample_.host, events_);
  EXPECT_THAT(recovery.warnings, IsEmpty());
  EXPECT_FALSE(recovery.last.has_value());
  EXPECT_FALSE(recovery.has_failed());
  EXPECT_THAT(unfinished_warnings(sample_.host), IsEmpty());
}

TEST_F(Recoveries, RestoreFromEveryStateThatMayHaveChangedSomething) {
  for (const State state : {State::applying, State::verifying, State::restoring}) {
    cut_off_transaction(sample_, state);
    const Recovery recovery = recover_unfinished(sample_.host, events_);
    EXPECT_FALSE(recovery.has_failed()) << name(state);
    EXPECT_THAT(recovery.warnings,
                ElementsAre(HasSubstr("the host was rolled back to its state before it")));
    EXPECT_EQ(sample_.folder.read("etc/config"), "as it was") << name(state);
    EXPECT_EQ(states().back(), State::restored);
  }
}

TEST_F(Recoveries, EndATransactionThatChangedNothing) {
  for (const State state : {State::begun, State::prepared}) {
    cut_off_transaction(sample_, state);
    const Recovery recovery = recover_unfinished(sample_.host, events_);
    EXPECT_FALSE(recovery.last.has_value());
    EXPECT_THAT(recovery.warnings, ElementsAre(HasSubstr("before it changed anything")));
    EXPECT_EQ(states().back(), State::restored);
  }
}

// None is begun before every earlier one has ended.
TEST_F(Recoveries, RefuseAnUnfinishedTransactionThatALaterOneFollowed) {
  cut_off_transaction(sample_, State::applying);
  cut_off_transaction(sample_, State::applying);
  const Error error = thrown_by([&] { recover_unfinished(sample_.host, events_); });
  EXPECT_EQ(error.code(), ErrorCode::journal_damaged);
  EXPECT_THAT(error.message(), HasSubstr("transaction 1 is damaged: a later transaction"));
  EXPECT_THAT(states(), ElementsAre(State::applying, State::applying));
}

TEST_F(Recoveries, StayUnfinishedWhereTheyCannotRestoreCompletely) {
  cut_off_transaction(sample_, State::applying);
  put_in_the_way(sample_.folder, "etc/config");
  const Recovery recovery = recover_unfinished(sample_.host, events_);
  EXPECT_TRUE(recovery.has_failed());
  EXPECT_EQ(recovery.last->exit, ExitCode::rollback_incomplete);
  EXPECT_THAT(states(), ElementsAre(State::restoring));
}

// As if the record of the first change had been lost, with the disk or by somebody's hand.
TEST_F(Recoveries, RestoreWhereTheJournalSaysThatNothingWasChangedAndTheHostSaysOtherwise) {
  for (const State state : {State::begun, State::prepared}) {
    const Transaction transaction = cut_off_transaction(sample_, State::applying);
    const fs::path journal = sample_.host.resolve(transaction.folder) / "journal";
    fs::remove(journal);
    for (const JournalRecord& record : transaction.records) {
      if (record.state <= state) Journal(journal).append(record.state, record.details);
    }
    const Recovery recovery = recover_unfinished(sample_.host, events_);
    ASSERT_TRUE(recovery.last.has_value());
    EXPECT_EQ(recovery.last->exit, ExitCode::done);
    EXPECT_THAT(recovery.last->report.compared->differing,
                testing::IsSupersetOf({"/etc/config", "/etc/new"}));
    EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
    EXPECT_FALSE(fs::exists(sample_.folder / "etc/new"));
  }
}

// A power cut while everything is kept may leave the record of it and not the copies.
TEST_F(Recoveries, EndATransactionOfWhichNotAllWasKept) {
  const Transaction transaction = cut_off_transaction(sample_, State::prepared);
  const fs::path folder = sample_.host.resolve(transaction.folder);
  fs::remove(folder / "journal");
  Journal(folder / "journal").append(State::begun, Json::object());
  for (const auto& entry : fs::recursive_directory_iterator(folder / snapshot_folder)) {
    if (entry.path().filename().string().starts_with('c')) fs::remove(entry.path());
  }
  sample_.folder.write("etc/config", "by others since");
  EXPECT_FALSE(recover_unfinished(sample_.host, events_).last.has_value());
  EXPECT_EQ(states().back(), State::restored);
  EXPECT_EQ(sample_.folder.read("etc/config"), "by others since");
}

class DamagedTransactions : public Recoveries {
 protected:
  DamagedTransactions() : transaction_(cut_off_transaction(sample_, State::applying)) {
    sample_.folder.write("var/lib/dpkg/status", "");
  }
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root recovers";
  }
  fs::path file(const std::string& name) const {
    return sample_.host.resolve(transaction_.folder) / name;
  }
  Execution recovered(Persistence persistence) {
    return recover(sample_.host, persistence, 0, events_);
  }
  // Refused, and restored from the store.
  void expect_way_out() {
    const Error error = thrown_by([&] { recovered(Persistence::retry); });
    EXPECT_EQ(error.code(), ErrorCode::journal_damaged);
    EXPECT_THAT(error.hint(), HasSubstr("topsctl recover --from-store"));
    EXPECT_EQ(sample_.folder.read("etc/config"), "changed");
    const Execution execution = recovered(Persistence::from_store);
    EXPECT_EQ(execution.exit, ExitCode::done) << execution.report.message;
    EXPECT_EQ(execution.report.outcome, Outcome::rolled_back);
    EXPECT_THAT(execution.report.compared->differing,
                testing::IsSupersetOf({"/etc/config", "/etc/new"}));
    EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
    EXPECT_FALSE(fs::exists(sample_.folder / "etc/new"));
    EXPECT_EQ(recovered(Persistence::retry).report.outcome, Outcome::no_change);
  }

  Transaction transaction_;
};

TEST_F(DamagedTransactions, WithoutAJournalAreRestoredFromTheStore) {
  fs::remove(file("journal"));
  expect_way_out();
}

TEST_F(DamagedTransactions, WithAnEmptyJournalAreRestoredFromTheStore) {
  fs::resize_file(file("journal"), 0);
  expect_way_out();
}

TEST_F(DamagedTransactions, WithAFolderForAJournalAreRestoredFromTheStore) {
  fs::remove(file("journal"));
  fs::create_directory(file("journal"));
  expect_way_out();
}

TEST_F(DamagedTransactions, WithABrokenRecordAreRestoredFromTheStore) {
  std::string bytes = TemporaryFolder::read_bytes(file("journal"));
  bytes[40] ^= 1;
  sample_.folder.write(transaction_.folder.substr(1) + "/journal", bytes);
  expect_way_out();
}

TEST_F(DamagedTransactions, WithTheJournalOfAnotherAreRestoredFromTheStore) {
  fs::remove(file("journal"));
  Journal journal(file("journal"));
  journal.append(State::begun, {{"transaction", 7}});
  journal.append(State::committed, Json::object());
  expect_way_out();
}

TEST_F(DamagedTransactions, OfWhichNothingCanBeReadAreGivenUpOrLeft) {
  fs::remove(file("snapshot/manifest"));
  const Error refused = thrown_by([&] { recovered(Persistence::retry); });
  EXPECT_EQ(refused.code(), ErrorCode::journal_damaged);
  EXPECT_THAT(refused.hint(), Not(HasSubstr("--from-store")));
  const Error error = thrown_by([&] { recovered(Persistence::from_store); });
  EXPECT_THAT(error.message(), HasSubstr("is damaged, and its backup cannot be read"));
  EXPECT_THAT(error.hint(), HasSubstr("--give-up"));
  const Execution execution = recovered(Persistence::give_up);
  EXPECT_EQ(execution.exit, ExitCode::done);
  EXPECT_THAT(execution.warnings, ElementsAre(HasSubstr("given up; the host stays as it is")));
  EXPECT_EQ(sample_.folder.read("etc/config"), "changed");
  EXPECT_EQ(recovered(Persistence::retry).report.outcome, Outcome::no_change);
}

TEST_F(DamagedTransactions, LackingAKeptCopyAreRestoredButForThat) {
  sample_.folder.write("etc/other", "x");
  for (const auto& entry : fs::directory_iterator(file("snapshot"))) {
    if (entry.path().filename().string().starts_with('c')) fs::remove(entry.path());
  }
  const Execution refused = recovered(Persistence::retry);
  EXPECT_EQ(refused.exit, ExitCode::rollback_incomplete);
  EXPECT_THAT(refused.error->message(), HasSubstr("/etc/config is missing or damaged"));
  EXPECT_TRUE(fs::exists(sample_.folder / "etc/new"));
  const Execution execution = recovered(Persistence::from_store);
  EXPECT_EQ(execution.exit, ExitCode::rollback_incomplete);
  EXPECT_THAT(execution.report.rollback->differing, testing::Contains("/etc/config"));
  EXPECT_FALSE(fs::exists(sample_.folder / "etc/new")) << "the rest was restored";
}

TEST_F(DamagedTransactions, ThatALaterOneFollowedHadEnded) {
  cut_off_transaction(sample_, State::applying);
  fs::remove(file("journal"));
  const Execution execution = recovered(Persistence::from_store);
  EXPECT_EQ(execution.exit, ExitCode::done);
  EXPECT_THAT(execution.warnings,
              ElementsAre(HasSubstr("transaction 2 was interrupted"), HasSubstr("transaction 1")));
  EXPECT_EQ(sample_.folder.read("etc/config"), "changed") << "as the first left it";
  EXPECT_THAT(states(), ElementsAre(State::pruned, State::restored)) << "it lacks what it made";
}

TEST_F(Recoveries, AddTheirWarningsToWhatComesAfterThem) {
  cut_off_transaction(sample_, State::applying);
  const Recovery recovery = recover_unfinished(sample_.host, events_);
  const Execution after = with_recovery(recovery, [] {
    Execution execution;
    execution.warnings = {"its own"};
    return execution;
  });
  EXPECT_THAT(after.warnings, ElementsAre(HasSubstr("transaction 1 was interrupted"), "its own"));
}

TEST_F(Recoveries, AreReportedEvenWhenWhatComesAfterThemFails) {
  cut_off_transaction(sample_, State::applying);
  const Recovery recovery = recover_unfinished(sample_.host, events_);
  const auto failing = []() -> Execution { throw Error(ErrorCode::bad_bundle, "no bundle"); };
  const Execution after = with_recovery(recovery, failing);
  EXPECT_EQ(after.exit, ExitCode::bad_input);
  EXPECT_EQ(after.error->message(), "no bundle");
  EXPECT_EQ(after.report.transaction, 1);
  EXPECT_TRUE(after.report.changed && after.report.failed);
  EXPECT_EQ(thrown_by([&] { with_recovery(Recovery{}, failing); }).code(), ErrorCode::bad_bundle)
      << "nothing was changed";
}

TEST_F(Recoveries, AreAnnouncedByCommandsThatOnlyLook) {
  cut_off_transaction(sample_, State::applying);
  EXPECT_THAT(unfinished_warnings(sample_.host),
              ElementsAre(testing::AllOf(HasSubstr("transaction 1 is unfinished"),
                                         HasSubstr("`topsctl recover`"))));
  EXPECT_EQ(sample_.folder.read("etc/config"), "changed");
}

}  // namespace
}  // namespace topsctl
