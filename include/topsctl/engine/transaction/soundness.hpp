// Whether journals and stores can be believed: each by itself, with each other, and all in a row.
#pragma once

#include <optional>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

struct ExaminedTransaction {
  Transaction transaction;      // with no records where its journal cannot be read
  std::optional<Error> damage;  // why it cannot be believed
  bool is_past = false;         // a later one was begun and not undone: it had come to its end
  bool is_restorable = true;    // its damage leaves something that `recover --from-store` can use
};

// All transactions, oldest first. No crash leaves what counts as damage. The caller holds the
// ChangeLock: a transaction at work may look damaged.
std::vector<ExaminedTransaction> examine_transactions(const Host& host);

// The same for whoever changes something. Throws the first damage.
std::vector<Transaction> sound_transactions(const Host& host);

}  // namespace topsctl
