// Ending transactions by putting back what was kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_sink.hpp"
#include "support/sample_transaction.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/engine/execution/transaction_rollback.hpp"
#include "topsctl/engine/transaction/manifest.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using State = TransactionState;

class Restorations : public testing::Test {
 protected:
  Restorations() {
    sample_.folder.write("etc/config", "as it was");
    events_.add(&sink_);
  }
  Transaction latest() const { return list_transactions(sample_.host).back(); }
  bool exists(const Transaction& transaction, const char* name) const {
    return fs::exists(sample_.host.resolve(transaction.folder) / name);
  }
  void put_something_in_the_way() const { put_in_the_way(sample_.folder, "etc/config"); }

  SampleHost sample_;
  RecordingSink sink_;
  EventFan events_;
};

TEST_F(Restorations, PutEverythingBackAndProveIt) {
  const Transaction transaction = cut_off_transaction(sample_, State::applying);
  const RollbackResult restoration = roll_back_transaction(sample_.host, transaction, events_);
  EXPECT_TRUE(restoration.complete());
  EXPECT_EQ(restoration.proof.paths_checked, 4U);
  EXPECT_THAT(restoration.synced_mounts, ElementsAre("/"));
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
  EXPECT_FALSE(fs::exists(sample_.folder / "etc/new"));
  EXPECT_EQ(latest().state(), State::restored);
  EXPECT_FALSE(exists(transaction, packages_folder));
  EXPECT_FALSE(exists(transaction, snapshot_folder));
  EXPECT_THAT(sink_.lines, IsEmpty());
}

// A disk that became full between the script and the record.
TEST_F(Restorations, UndoWhatWasObservedAndIsNotOnRecordYet) {
  const Transaction transaction = cut_off_transaction(sample_, State::applying);
  const std::string observed =
      concat(transaction.folder.substr(1), "/", snapshot_folder, "/observed");
  sample_.folder.write(observed + "/lock", "");
  KeptPath made{"/srv/made", {}};
  made.is_found = true;
  fs::create_symlink(kept_path_line(made), sample_.folder / (observed + "/0000000000"));
  sample_.folder.write("srv/made", "by a script");
  const RollbackResult restoration =
      restore_at_work(sample_.host, transaction, events_, "no space left");
  EXPECT_TRUE(restoration.complete());
  EXPECT_FALSE(fs::exists(sample_.folder / "srv/made"));
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
}

TEST_F(Restorations, AreNotAnnouncedWhereNothingCanBePutBack) {
  const Transaction transaction = cut_off_transaction(sample_, State::applying);
  fs::remove(sample_.host.resolve(transaction.folder) / snapshot_folder / "manifest");
  const RollbackResult restoration = roll_back_transaction(sample_.host, transaction, events_);
  EXPECT_FALSE(restoration.complete());
  EXPECT_FALSE(restoration.has_begun);
  EXPECT_EQ(latest().state(), State::applying);
  EXPECT_EQ(sample_.folder.read("etc/config"), "changed") << "nothing was touched";
  EXPECT_THAT(sink_.lines, Contains("warning the snapshot has no record"));
}

TEST_F(Restorations, ThatAreIncompleteLeaveTheTransactionUnfinished) {
  const Transaction transaction = cut_off_transaction(sample_, State::applying);
  put_something_in_the_way();
  const RollbackResult first = roll_back_transaction(sample_.host, transaction, events_);
  EXPECT_FALSE(first.complete());
  EXPECT_THAT(first.proof.differing, Contains("/etc/config"));
  EXPECT_TRUE(latest().is_unfinished());
  fs::remove_all(sample_.folder / "etc/config/lib");
  EXPECT_TRUE(roll_back_transaction(sample_.host, transaction, events_).complete());
  EXPECT_FALSE(latest().is_unfinished());
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
}

TEST_F(Restorations, AreReported) {
  const Transaction transaction = cut_off_transaction(sample_, State::applying);
  const Plan plan = rollback_plan(transaction, "rollback");
  EXPECT_EQ(plan.command, "rollback");
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_EQ(plan.steps[0].description, "roll back to the state before transaction 1");
  const Execution planned = planned_undo(sample_.host, transaction, plan);
  EXPECT_EQ(planned.report.outcome, Outcome::planned);
  EXPECT_EQ(planned.report.packages.at(0).before, "2");
  EXPECT_EQ(planned.report.packages.at(0).after, "1");
  EXPECT_EQ(sample_.folder.read("etc/config"), "changed");
  const Execution execution = undo_transaction(sample_.host, transaction, plan, events_);
  EXPECT_EQ(execution.exit, ExitCode::done);
  EXPECT_EQ(execution.report.outcome, Outcome::rolled_back);
  EXPECT_TRUE(execution.report.changed);
  EXPECT_EQ(execution.report.steps.at(0).status, StepStatus::done);
  EXPECT_EQ(execution.report.steps.at(0).detail, "4 paths checked, 0 differ");
  EXPECT_EQ(execution.report.log, "/var/log/topsctl/1.log");
  EXPECT_THAT(sink_.lines, Contains("start 1/1 roll back to the state before transaction 1"));
}

TEST_F(Restorations, ReportWhatIsInTheWay) {
  const Transaction transaction = cut_off_transaction(sample_, State::applying);
  put_something_in_the_way();
  const Execution execution =
      undo_transaction(sample_.host, transaction, rollback_plan(transaction, "recover"), events_);
  EXPECT_EQ(execution.exit, ExitCode::rollback_incomplete);
  EXPECT_EQ(execution.report.outcome, Outcome::rollback_incomplete);
  EXPECT_TRUE(execution.report.failed);
  ASSERT_TRUE(execution.error.has_value());
  EXPECT_EQ(execution.error->code(), ErrorCode::rollback_incomplete);
  EXPECT_THAT(execution.error->message(), HasSubstr("/etc/config"));
  EXPECT_THAT(execution.error->hint(), HasSubstr("topsctl recover"));
  EXPECT_THAT(execution.report.not_restored, Contains(HasSubstr("/etc/config")));
}

TEST_F(Restorations, OfATransactionThatChangedNothingJustEndIt) {
  const Transaction transaction = cut_off_transaction(sample_, State::prepared);
  abandon_transaction(sample_.host, transaction, "cut off");
  EXPECT_EQ(summary_of(list_transactions(sample_.host).back()).reason, "cut off");
  EXPECT_EQ(latest().state(), State::restored);
  EXPECT_EQ(summary_of(latest()).outcome, "failed_before_change");
  EXPECT_FALSE(exists(transaction, snapshot_folder));
  EXPECT_FALSE(exists(transaction, packages_folder));
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
}

TEST_F(Restorations, MayBeGivenUpByAPerson) {
  const Transaction transaction = cut_off_transaction(sample_, State::applying);
  put_something_in_the_way();
  give_up_transaction(sample_.host, transaction);
  EXPECT_FALSE(latest().is_unfinished());
  EXPECT_EQ(summary_of(latest()).outcome, "rollback_incomplete");
  EXPECT_TRUE(exists(transaction, snapshot_folder)) << "the kept copies stay";
  EXPECT_EQ(sample_.folder.read("etc/config/lib/dpkg/lock"), "in the way");
}

}  // namespace
}  // namespace topsctl
