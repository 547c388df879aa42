// Transactions as their folders and journals tell of them, and the locks of a change.
#include "topsctl/engine/transaction/transaction.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "support/recording_sink.hpp"
#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/transaction/soundness.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using State = TransactionState;

class Transactions : public testing::Test {
 protected:
  // Makes a transaction whose journal has these states.
  void make(int id, const std::vector<State>& states, const Json& last = Json::object()) {
    const std::string folder = "var/lib/topsctl/transactions/" + std::to_string(id);
    sample_.folder.make_folder(folder);
    Journal journal(sample_.folder / (folder + "/journal"));
    for (std::size_t i = 0; i < states.size(); ++i) {
      Json details = i + 1 == states.size() ? last : Json::object();
      if (states[i] == State::begun) {
        details = {{"started_at", "2026-11-20T10:15:00Z"},
                   {"user", "alice"},
                   {"command", "topsctl install"},
                   {"packages",
                    {{{"name", "tops-eccl"},
                      {"kind", "deb"},
                      {"before", nullptr},
                      {"after", "2"},
                      {"purl", "pkg:deb/tops-eccl@2"}},
                     {{"name", "torch_gcu"},
                      {"kind", "wheel"},
                      {"before", "1"},
                      {"after", "2"},
                      {"purl", "p"}}}}};
      }
      if (states[i] == State::prepared) {
        details = {{"kept_bytes", 4096}, {"paths", 12}, {"copied", 3}};
      }
      journal.append(states[i], details);
    }
  }
  Transaction only() const {
    const auto all = list_transactions(sample_.host);
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
  }
  std::string outcome_of(const std::vector<State>& states, const Json& last = Json::object()) {
    fs::remove_all(sample_.folder / "var/lib/topsctl");
    make(1, states, last);
    return summary_of(only()).outcome;
  }

  SampleHost sample_;
};

TEST_F(Transactions, AreNoneOnAFreshMachine) {
  EXPECT_THAT(list_transactions(sample_.host), IsEmpty());
}

// Its records could have anything written by the one who undoes them.
TEST_F(Transactions, OfAUserInAnothersDirectoryAreNotRead) {
  make(1, {State::begun, State::applying});
  const fs::path place = sample_.folder / "var/lib/topsctl";
  sample_.host.state = "/srv/state";
  fs::create_directories(sample_.folder / "srv");
  fs::rename(place, sample_.folder / "srv/state");
  const fs::path state = sample_.folder / "srv/state";
  fs::permissions(state, fs::perms(0700));
  EXPECT_EQ(find_transactions(sample_.host).size(), 1U);
  const auto refused = [&] {
    EXPECT_EQ(thrown_by([&] { find_transactions(sample_.host); }).code(), ErrorCode::permission);
    EXPECT_EQ(thrown_by([&] { take_own_lock(sample_.host, 0, {}); }).code(), ErrorCode::permission);
  };
  fs::permissions(state, fs::perms(0777));
  refused();
  fs::permissions(state, fs::perms(0700));
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(state.c_str(), 65534, 65534), 0);
  refused();
}

TEST_F(Transactions, AreListedOldestFirstByNumber) {
  for (const int id : {10, 2, 1}) make(id, {State::begun, State::committed});
  sample_.folder.make_folder("var/lib/topsctl/transactions/not-a-number");
  sample_.folder.make_folder("var/lib/topsctl/transactions/99999999999999999999");
  std::vector<std::int64_t> ids;
  for (const Transaction& t : list_transactions(sample_.host)) ids.push_back(t.id);
  EXPECT_THAT(ids, ElementsAre(1, 2, 10));
  EXPECT_EQ(list_transactions(sample_.host)[2].folder, "/var/lib/topsctl/transactions/10");
}

TEST_F(Transactions, WithADamagedJournalAreAnError) {
  make(1, {State::begun, State::prepared});
  const auto file = sample_.folder / "var/lib/topsctl/transactions/1/journal";
  std::string bytes = TemporaryFolder::read_bytes(file);
  bytes[30] ^= 1;
  sample_.folder.write("var/lib/topsctl/transactions/1/journal", bytes);
  EXPECT_EQ(thrown_by([&] { list_transactions(sample_.host); }).code(), ErrorCode::journal_damaged);
}

TEST_F(Transactions, KnowTheirState) {
  make(1, {State::begun, State::prepared, State::applying});
  EXPECT_EQ(only().state(), State::applying);
  EXPECT_EQ(Transaction{}.state(), std::nullopt);
}

TEST_F(Transactions, AreUnfinishedUnlessCommittedOrRestored) {
  const auto is_unfinished = [&](const std::vector<State>& states) {
    fs::remove_all(sample_.folder / "var/lib/topsctl");
    make(1, states);
    return only().is_unfinished();
  };
  EXPECT_TRUE(is_unfinished({State::begun}));
  EXPECT_TRUE(is_unfinished({State::begun, State::prepared}));
  EXPECT_TRUE(is_unfinished({State::begun, State::prepared, State::applying}));
  EXPECT_TRUE(is_unfinished({State::begun, State::applying, State::verifying}));
  EXPECT_TRUE(is_unfinished({State::begun, State::applying, State::restoring}));
  EXPECT_TRUE(is_unfinished({State::begun, State::committed, State::restoring}));
  EXPECT_FALSE(is_unfinished({State::begun, State::committed}));
  EXPECT_FALSE(is_unfinished({State::begun, State::restored}));
  EXPECT_FALSE(Transaction{}.is_unfinished()) << "not even begun";
}

TEST_F(Transactions, RememberThatTheyWereCommitted) {
  make(1, {State::begun, State::committed, State::restoring, State::restored});
  EXPECT_TRUE(only().was_committed());
  make(1, {});
  fs::remove_all(sample_.folder / "var/lib/topsctl");
  make(1, {State::begun, State::restoring});
  EXPECT_FALSE(only().was_committed());
}

TEST_F(Transactions, AreSummedUpForTheHistory) {
  make(7, {State::begun, State::prepared, State::applying, State::verifying, State::committed});
  const TransactionSummary summary = summary_of(only());
  EXPECT_EQ(summary.id, 7);
  EXPECT_EQ(summary.origin.started_at, "2026-11-20T10:15:00Z");
  EXPECT_EQ(summary.origin.user, "alice");
  EXPECT_EQ(summary.command, "topsctl install");
  EXPECT_EQ(summary.outcome, "committed");
  EXPECT_EQ(summary.kept_bytes, 4096U);
  ASSERT_EQ(summary.packages.size(), 2U);
  EXPECT_EQ(summary.packages[0].before, std::nullopt);
  EXPECT_EQ(summary.packages[0].after, "2");
  EXPECT_EQ(summary.packages[1].kind, PackageKind::wheel);
}

TEST_F(Transactions, KnowWhatWasKeptForThem) {
  make(7, {State::begun, State::prepared});
  const WriteSetSummary kept = kept_summary(only());
  EXPECT_EQ(kept.paths, 12U);
  EXPECT_EQ(kept.bytes, 4096U);
  EXPECT_EQ(kept.copied, 3U);
}

TEST_F(Transactions, HaveTheOutcomeOfTheirLastState) {
  EXPECT_EQ(outcome_of({State::begun}), "unfinished");
  EXPECT_EQ(outcome_of({State::begun, State::prepared, State::applying}), "unfinished");
  EXPECT_EQ(outcome_of({State::begun, State::committed}), "committed");
  EXPECT_EQ(outcome_of({State::begun, State::committed, State::restoring}), "unfinished");
  EXPECT_EQ(outcome_of({State::begun, State::restored}, {{"differing", 0}, {"was_changed", true}}),
            "rolled_back");
  EXPECT_EQ(outcome_of({State::begun, State::restored},
                       {{"differing", 0}, {"was_changed", true}, {"only_times", true}}),
            "no_change");
  EXPECT_EQ(outcome_of({State::begun, State::restored}, {{"differing", 2}, {"was_changed", true}}),
            "rollback_incomplete");
  EXPECT_EQ(outcome_of({State::begun, State::restored}, {{"differing", 0}, {"was_changed", false}}),
            "failed_before_change");
}

TEST_F(Transactions, SummarisedFromAnEmptyJournalAreUnfinished) {
  Transaction transaction;
  transaction.id = 3;
  EXPECT_EQ(summary_of(transaction).outcome, "unfinished");
  EXPECT_EQ(summary_of(transaction).origin.started_at, "");
}

TEST_F(Transactions, GetTheNextNumberAndAFolderForRootAlone) {
  EXPECT_EQ(new_transaction(sample_.host).id, 1);
  make(41, {State::begun, State::committed});
  const Transaction transaction = new_transaction(sample_.host);
  EXPECT_EQ(transaction.id, 42);
  EXPECT_EQ(transaction.folder, "/var/lib/topsctl/transactions/42");
  struct stat status {};
  ASSERT_EQ(::stat(sample_.host.resolve(transaction.folder).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0700U);
  ASSERT_EQ(::stat((sample_.folder / "var/lib/topsctl/transactions").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0700U);
}

TEST_F(Transactions, ThatWereNotEvenBegunKeepTheirNumber) {
  new_transaction(sample_.host);
  EXPECT_EQ(new_transaction(sample_.host).id, 2);
}

TEST_F(Transactions, LockTheMachineWhileTheyChangeIt) {
  sample_.folder.make_folder("var/lib/dpkg");
  const ChangeLock lock(sample_.host, 0, [](const std::string&) { FAIL(); });
  ASSERT_EQ(lock.reports().size(), 1U);
  EXPECT_EQ(lock.reports()[0].path, "/var/lib/dpkg/lock-frontend");
  EXPECT_EQ(lock.reports()[0].holder, "");
  std::vector<std::string> told;
  const Error error = thrown_by([&] {
    const ChangeLock second(sample_.host, 0, [&](const std::string& who) { told.push_back(who); });
  });
  EXPECT_EQ(error.code(), ErrorCode::busy);
  EXPECT_THAT(error.hint(), HasSubstr("--lock-timeout"));
  EXPECT_THAT(told, ElementsAre("another topsctl process"));
}

TEST_F(Transactions, SayWhoHoldsTheLock) {
  RecordingSink sink;
  told_to(sink)("apt");
  EXPECT_THAT(sink.lines, ElementsAre("note waiting for a lock held by apt"));
}

TEST_F(Transactions, ThatAreOpenBelowALaterOneAreDamaged) {
  make(1, {State::begun});
  EXPECT_FALSE(examine_transactions(sample_.host).at(0).damage);
  make(2, {State::begun, State::restored});
  const auto damage = examine_transactions(sample_.host).at(0).damage;
  ASSERT_TRUE(damage);
  EXPECT_THAT(damage->message(), HasSubstr("a later transaction was started"));
}

TEST_F(Transactions, UnlockTheMachineAfterwards) {
  sample_.folder.make_folder("var/lib/dpkg");
  {
    const ChangeLock lock(sample_.host, 0, [](const std::string&) {});
  }
  EXPECT_NO_THROW(ChangeLock(sample_.host, 0, [](const std::string&) {}));
}

}  // namespace
}  // namespace topsctl
