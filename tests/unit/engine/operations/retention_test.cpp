// Which committed transactions stay undoable.
#include "topsctl/engine/operations/retention.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/sample_host.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using State = TransactionState;

class Pruning : public testing::Test {
 protected:
  Transaction add(State last, std::uint64_t bytes = 100) {
    Transaction transaction = new_transaction(sample_.host);
    const fs::path folder = sample_.host.resolve(transaction.folder);
    Journal journal(folder / "journal");
    journal.append(State::begun, Json::object());
    journal.append(last, {{"kept_bytes", bytes}});
    for (const char* name : {"snapshot", "after"}) fs::create_directory(folder / name);
    sample_.folder.write(transaction.folder.substr(1) + "/snapshot/c1", std::string(bytes, 'x'));
    return transaction;
  }
  std::vector<std::int64_t> undoable() const {
    std::vector<std::int64_t> ids;
    for (const Transaction& transaction : list_transactions(sample_.host)) {
      if (summary_of(transaction).can_be_undone) ids.push_back(transaction.id);
    }
    return ids;
  }
  bool has_kept(std::int64_t id) const {
    return fs::exists(sample_.folder /
                      ("var/lib/topsctl/transactions/" + std::to_string(id) + "/snapshot"));
  }

  SampleHost sample_;
};

TEST_F(Pruning, KeepsTheLatestCommittedOnes) {
  add(State::committed);
  add(State::restored);
  add(State::committed, 50);
  add(State::committed);
  const std::vector<Pruned> pruned = prune(sample_.host, {2, {}});
  ASSERT_EQ(pruned.size(), 1U);
  EXPECT_EQ(pruned[0].transaction, 1);
  EXPECT_EQ(pruned[0].bytes, 100U);
  EXPECT_THAT(undoable(), ElementsAre(3, 4));
  EXPECT_FALSE(has_kept(1));
  EXPECT_TRUE(has_kept(3));
  EXPECT_THAT(prune(sample_.host, {2, {}}), IsEmpty());
}

TEST_F(Pruning, LeavesAPrunedTransactionCommitted) {
  add(State::committed);
  add(State::committed);
  prune(sample_.host, {1, {}});
  const Transaction first = list_transactions(sample_.host).front();
  EXPECT_FALSE(first.is_unfinished());
  EXPECT_EQ(summary_of(first).outcome, "committed");
  EXPECT_EQ(summary_of(first).kept_bytes, 0U);
}

TEST_F(Pruning, HoldsTheSizeDown) {
  for (const std::uint64_t bytes : {10U, 60U, 50U}) add(State::committed, bytes);
  prune(sample_.host, {9, 115});
  EXPECT_THAT(undoable(), ElementsAre(2, 3));
  prune(sample_.host, {9, 20});
  EXPECT_THAT(undoable(), ElementsAre(3)) << "the latest stays, whatever its size";
  prune(sample_.host, {0, {}});
  EXPECT_THAT(undoable(), ElementsAre(3));
}

TEST_F(Pruning, LeavesUnfinishedOnesAlone) {
  add(State::applying);
  add(State::committed);
  add(State::committed);
  prune(sample_.host, {1, {}});
  EXPECT_TRUE(has_kept(1));
  EXPECT_FALSE(has_kept(2));
}

}  // namespace
}  // namespace topsctl
