// How many committed transactions can be rolled back: prunes the backup of older ones.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

inline constexpr std::size_t usual_retention = 2;
// Patches are small.
inline constexpr std::size_t patches_for_an_install = 10;

// What pruning leaves; the latest committed transaction of each kind always stays.
struct Retention {
  std::size_t keep = usual_retention;            // installs, and patches_for_an_install patches per
                                                 // install
  std::optional<std::uint64_t> most_bytes = {};  // for all their backups together
};

struct Pruned {
  std::int64_t transaction = 0;
  std::uint64_t bytes = 0;  // of its backup that were removed

  bool operator==(const Pruned&) const = default;
};

// Removes the backups of the oldest committed transactions, which can then no longer be rolled
// back, and files that a crash left; oldest first. The caller holds the ChangeLock. Throws Error;
// earlier removals stay.
std::vector<Pruned> prune(const Host& host, const Retention& generations);

// Applies the usual retention after a commit; files that cannot be removed are a warning.
void keep_usual_retention(const Host& host, Execution& execution);

struct PruneRequest {
  Retention generations;
  bool dry_run = false;
  std::int64_t lock_timeout_ms = 120'000;
};

// The command `history prune`: takes the lock and prunes; a dry run takes no lock and returns what
// it would remove. Throws Error{host_unfit} while a transaction is unfinished, before any removal.
std::vector<Pruned> prune_history(const Host& host, const PruneRequest& request, EventFan& events);

// The transactions that `generations` does not keep, oldest first; pure.
std::vector<Transaction> expired(const std::vector<Transaction>& transactions,
                                 const Retention& generations);

}  // namespace topsctl
