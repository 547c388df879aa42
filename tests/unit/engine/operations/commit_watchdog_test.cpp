// The watch over a commit that must be confirmed.
#include "topsctl/engine/operations/commit_watchdog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "support/recording_sink.hpp"
#include "support/sample_transaction.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/operations/confirmation.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {
namespace {

using State = TransactionState;

class Watches : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root restores";
    watch_signals();
    clear_interrupt();
    sample_.folder.write("etc/config", "as it was");
    sample_.folder.write("var/lib/dpkg/status", "");
  }
  void TearDown() override { clear_interrupt(); }
  Transaction only() const { return list_transactions(sample_.host).at(0); }
  // `until` empty: needs no confirmation. The sample's clock stands still.
  void commit(const std::string& until) {
    const Transaction transaction = cut_off_transaction(sample_, State::verifying);
    const auto folder = sample_.host.resolve(transaction.folder);
    std::filesystem::create_directory(folder / after_folder);
    const Snapshot before = load_snapshot(folder / snapshot_folder);
    record_state_after(sample_.host, before, new_paths(sample_.host, before),
                       folder / after_folder);
    Json details = Json::object();
    if (!until.empty()) details = to_json(AwaitedConfirmation{until, {}, "", {}});
    Journal(folder / "journal").append(State::committed, details);
  }

  SampleHost sample_;
  EventFan events_;
};

TEST_F(Watches, RestoreWhenTheTimeIsOver) {
  commit(timestamp(sample_.clock.time));
  const Execution execution = watch(sample_.host, 1, events_);
  EXPECT_EQ(execution.report.outcome, Outcome::rolled_back);
  EXPECT_EQ(only().state(), State::restored);
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
}

TEST_F(Watches, RestoreAtOnceWhenTheyAreToEnd) {
  commit(timestamp(sample_.clock.time + std::chrono::hours(1)));
  ::raise(SIGTERM);
  EXPECT_EQ(watch(sample_.host, 1, events_).report.outcome, Outcome::rolled_back);
}

TEST_F(Watches, RestoreWhatAnInstallThatDiedLeft) {
  cut_off_transaction(sample_, State::verifying);
  EXPECT_EQ(watch(sample_.host, 1, events_).report.outcome, Outcome::rolled_back);
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
}

TEST_F(Watches, LeaveWhatNeedsNoConfirmation) {
  commit("");
  EXPECT_EQ(watch(sample_.host, 1, events_).report.outcome, Outcome::no_change);
  EXPECT_EQ(only().state(), State::committed);
}

TEST_F(Watches, NeedATransaction) {
  EXPECT_EQ(thrown_by([&] { watch(sample_.host, 1, events_); }).code(), ErrorCode::host_unfit);
}

}  // namespace
}  // namespace topsctl
