// Commits that await a confirmation, and who may give it.
#include "topsctl/engine/operations/confirmation.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "support/recording_sink.hpp"
#include "support/sample_transaction.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/operations/commit_watchdog.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using State = TransactionState;

const Connection installer = {"192.0.2.1 50001 192.0.2.2 22", "", "100 5"};
const Connection other = {"192.0.2.1 50002 192.0.2.2 22", "", "100 5"};

class Confirmations : public testing::Test {
 protected:
  Confirmations() {
    sample_.folder.write("etc/config", "as it was");
    sample_.folder.write("var/lib/dpkg/status", "");
  }
  Transaction only() const { return list_transactions(sample_.host).at(0); }
  // A commit that must be confirmed, and that nobody watches.
  void commit(const std::string& until = "2026-11-24T10:20:00Z") {
    commit(AwaitedConfirmation{until, installer, "", {}});
  }
  void commit(const AwaitedConfirmation& awaited) {
    const Transaction transaction = cut_off_transaction(sample_, State::verifying);
    const auto folder = sample_.host.resolve(transaction.folder);
    std::filesystem::create_directory(folder / after_folder);
    const Snapshot before = load_snapshot(folder / snapshot_folder);
    record_state_after(sample_.host, before, new_paths(sample_.host, before),
                       folder / after_folder);
    Json details = {{"at", "2026-11-24T10:15:00Z"}};
    if (!awaited.until.empty()) details.update(to_json(awaited));
    Journal(folder / "journal").append(State::committed, details);
  }
  Descriptor watched() const {
    const auto file = sample_.host.resolve(only().folder) / watchdog_file;
    Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    EXPECT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
    return lock;
  }
  Confirmed confirm_from(const Connection& connection) {
    return confirm(sample_.host, 1, connection, {"alice", "topsctl confirm 1", 0, {}}, 0, events_);
  }
  void require_root() const {
    if (::geteuid() != 0) GTEST_SKIP() << "only root confirms";
  }

  SampleHost sample_;
  EventFan events_;
};

TEST_F(Confirmations, AreAwaitedByTheRecordOfTheCommit) {
  commit();
  const auto awaited = awaited_confirmation(only());
  ASSERT_TRUE(awaited.has_value());
  EXPECT_EQ(awaited->until, "2026-11-24T10:20:00Z");
  EXPECT_EQ(awaited->installed_by, installer);
  EXPECT_EQ(summary_of(only()).outcome, "committed");
  EXPECT_EQ(summary_of(only()).confirm_until, "2026-11-24T10:20:00Z");
}

TEST_F(Confirmations, AreAwaitedByNoOtherCommit) {
  commit("");
  EXPECT_FALSE(awaited_confirmation(only()).has_value());
  EXPECT_FALSE(is_abandoned(sample_.host, only()));
  EXPECT_EQ(summary_of(only()).confirm_until, std::nullopt);
  EXPECT_NO_THROW(refuse_unconfirmed(sample_.host));
}

TEST_F(Confirmations, EndTheWaitForGood) {
  require_root();
  commit();
  EXPECT_TRUE(confirm_from(other).now);
  EXPECT_FALSE(awaited_confirmation(only()).has_value());
  EXPECT_EQ(summary_of(only()).outcome, "committed");
  EXPECT_EQ(summary_of(only()).confirm_until, std::nullopt);
  EXPECT_FALSE(confirm_from(installer).now) << "nothing is awaited any more";
}

TEST_F(Confirmations, DoNotComeFromTheConnectionThatInstalled) {
  require_root();
  commit();
  const Error error = thrown_by([&] { confirm_from(installer); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.hint(), HasSubstr("open a new SSH connection"));
  EXPECT_TRUE(awaited_confirmation(only()).has_value());
}

TEST_F(Confirmations, ComeTooLateForWhatIsRestored) {
  require_root();
  commit();
  Journal journal(sample_.host.resolve(only().folder) / "journal");
  journal.append(State::restoring, Json::object());
  EXPECT_EQ(thrown_by([&] { confirm_from(other); }).code(), ErrorCode::unconfirmed);
  journal.append(State::restored, {{"differing", 0}, {"was_changed", true}});
  EXPECT_THAT(thrown_by([&] { confirm_from(other); }).message(), HasSubstr("it is restored"));
  EXPECT_EQ(exit_code(ErrorCode::unconfirmed), ExitCode::rolled_back);
}

// Whether the watcher has come to it or not: it may be stopped.
TEST_F(Confirmations, ComeTooLateOnceTheTimeIsOver) {
  require_root();
  commit(timestamp(sample_.clock.time));
  const Descriptor watching = watched();
  const Error late = thrown_by([&] { confirm_from(other); });
  EXPECT_EQ(late.code(), ErrorCode::unconfirmed);
  EXPECT_THAT(late.message(), HasSubstr("too late"));
  EXPECT_TRUE(awaited_confirmation(only()).has_value()) << "nobody restores it any more";
}

TEST_F(Confirmations, GoByAClockThatNobodySets) {
  const AwaitedConfirmation asked =
      confirmation_within(sample_.host, std::chrono::seconds(30), installer);
  sample_.clock.time += std::chrono::hours(1);
  EXPECT_EQ(time_left(sample_.host, asked), std::chrono::seconds(30));
  commit(asked);
  EXPECT_EQ(time_left(sample_.host, *awaited_confirmation(only())), std::chrono::seconds(30));
}

TEST_F(Confirmations, GoByTheTimeOfDayAfterARestart) {
  AwaitedConfirmation asked =
      confirmation_within(sample_.host, std::chrono::seconds(30), installer);
  asked.start = "another";
  sample_.clock.time += std::chrono::seconds(31);
  EXPECT_LT(time_left(sample_.host, asked).count(), 0);
}

TEST_F(Confirmations, NeedACommit) {
  require_root();
  EXPECT_THAT(thrown_by([&] { confirm_from(other); }).message(), HasSubstr("no transaction 1"));
  cut_off_transaction(sample_, State::applying);
  EXPECT_EQ(thrown_by([&] { confirm_from(other); }).code(), ErrorCode::host_unfit);
}

TEST_F(Confirmations, ThatNobodyWatchesForAreRestoredByTheNextRecovery) {
  commit();
  EXPECT_TRUE(is_abandoned(sample_.host, only()));
  EXPECT_THAT(unfinished_warnings(sample_.host), ElementsAre(HasSubstr("has no watchdog")));
  const Recovery recovery = recover_unfinished(sample_.host, events_);
  EXPECT_THAT(recovery.warnings, ElementsAre(HasSubstr("transaction 1 was not confirmed")));
  EXPECT_EQ(only().state(), State::restored) << recovery.warnings.at(0);
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
}

TEST_F(Confirmations, ThatAreWatchedForAreLeftAlone) {
  commit();
  const Descriptor watching = watched();
  EXPECT_FALSE(is_abandoned(sample_.host, only()));
  EXPECT_THAT(unfinished_warnings(sample_.host),
              ElementsAre(HasSubstr("will be rolled back at 2026-11-24T10:20:00Z")));
  EXPECT_THAT(recover_unfinished(sample_.host, events_).warnings, IsEmpty());
  EXPECT_EQ(sample_.folder.read("etc/config"), "changed");
  EXPECT_EQ(thrown_by([&] { refuse_unconfirmed(sample_.host); }).code(), ErrorCode::busy);
}

}  // namespace
}  // namespace topsctl
