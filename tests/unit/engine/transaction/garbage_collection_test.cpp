// What ended transactions have left, and that nothing else is taken for it.
#include "topsctl/engine/transaction/garbage_collection.hpp"

#include <gtest/gtest.h>

#include "support/sample_transaction.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using State = TransactionState;

class Leftovers : public testing::Test {
 protected:
  Leftovers() { sample_.folder.write("etc/config", "as it was"); }
  Transaction ended(State state, const Json& details) {
    Transaction transaction = cut_off_transaction(sample_, State::applying);
    const fs::path folder = sample_.host.resolve(transaction.folder);
    Journal(folder / "journal").append(state, details);
    transaction.records = read_journal(folder / "journal");
    return transaction;
  }
  bool exists(const Transaction& transaction, const char* name) const {
    return fs::exists(sample_.host.resolve(transaction.folder) / name);
  }

  SampleHost sample_;
  EventFan events_;
};

TEST_F(Leftovers, OfARestoredTransactionAreItsKeptCopiesToo) {
  const Transaction transaction = ended(State::restored, {{"differing", 0}});
  EXPECT_TRUE(has_garbage(sample_.host, transaction));
  remove_garbage(sample_.host, transaction);
  EXPECT_FALSE(exists(transaction, packages_folder) || exists(transaction, snapshot_folder));
  EXPECT_TRUE(exists(transaction, "journal"));
  EXPECT_FALSE(has_garbage(sample_.host, transaction));
}

TEST_F(Leftovers, OfACommittedTransactionAreNotWhatARollbackNeeds) {
  const Transaction transaction = ended(State::committed, Json::object());
  remove_garbage(sample_.host, transaction);
  EXPECT_FALSE(exists(transaction, packages_folder));
  EXPECT_TRUE(exists(transaction, snapshot_folder));
}

TEST_F(Leftovers, OfAPrunedTransactionAreItsKeptCopiesToo) {
  ended(State::committed, Json::object());
  Transaction transaction = list_transactions(sample_.host).back();
  const fs::path journal = sample_.host.resolve(transaction.folder) / "journal";
  Journal(journal).append(State::pruned, Json::object());
  transaction.records = read_journal(journal);
  remove_garbage(sample_.host, transaction);
  EXPECT_FALSE(exists(transaction, packages_folder) || exists(transaction, snapshot_folder));
}

TEST_F(Leftovers, AreNotTheCopiesOfATransactionThatWasGivenUp) {
  for (const int differing : {0, 1}) {
    const Transaction transaction =
        ended(State::restored, {{"differing", differing}, {"gave_up", true}});
    remove_garbage(sample_.host, transaction);
    EXPECT_TRUE(exists(transaction, snapshot_folder));
  }
}

TEST_F(Leftovers, AreNoneOfATransactionThatIsNotOver) {
  for (const State state : {State::verifying, State::restoring}) {
    const Transaction transaction = ended(state, Json::object());
    EXPECT_FALSE(has_garbage(sample_.host, transaction));
    remove_garbage(sample_.host, transaction);
    EXPECT_TRUE(exists(transaction, packages_folder) && exists(transaction, snapshot_folder));
  }
}

TEST_F(Leftovers, AreRemovedByTheNextRecovery) {
  const Transaction transaction = ended(State::restored, {{"differing", 0}});
  EXPECT_TRUE(recover_unfinished(sample_.host, events_).warnings.empty());
  EXPECT_FALSE(exists(transaction, snapshot_folder));
}

}  // namespace
}  // namespace topsctl
