// Whether journals and stores are intact: each alone, against each other, and as a sequence.
#pragma once

#include <optional>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

struct ExaminedTransaction {
  Transaction transaction;      // without records if its journal cannot be read
  std::optional<Error> damage;  // why it cannot be trusted
  bool is_superseded = false;   // a later one was begun and not undone, so this one had ended
  bool is_restorable = true;    // `recover --from-store` can still use some of its backup
};

// All transactions, oldest first. No crash leaves a state that counts as damage. The caller holds
// the ChangeLock: an active transaction may look damaged.
std::vector<ExaminedTransaction> examine_transactions(const Host& host);

// The same for commands that change the host. Throws the first damage.
std::vector<Transaction> sound_transactions(const Host& host);

}  // namespace topsctl
