// How many committed transactions can be undone: what was kept for the oldest goes.
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

// What pruning shall leave; the latest committed transaction of each kind stays whatever it says.
struct Retention {
  std::size_t keep = usual_retention;            // installs, and so many patches for each
  std::optional<std::uint64_t> most_bytes = {};  // of what is kept for all of them
};

struct Pruned {
  std::int64_t transaction = 0;
  std::uint64_t bytes = 0;  // of what was kept for it, as far as that is gone now

  bool operator==(const Pruned&) const = default;
};

// Removes what was kept for the oldest committed transactions, which stay committed but cannot be
// undone any more, and what a crash has left of earlier ones; oldest first. The caller holds the
// ChangeLock. Throws Error; what was pruned before stays so.
std::vector<Pruned> prune(const Host& host, const Retention& generations);

// The usual retention, after a commit: that something could not be removed undoes nothing, and is a
// warning.
void keep_usual_retention(const Host& host, Execution& execution);

struct PruneRequest {
  Retention generations;
  bool dry_run = false;
  std::int64_t lock_timeout_ms = 120'000;
};

// The command `history prune`: takes the lock and does just that; a dry run takes none and tells
// what would go. Throws Error{host_unfit} while a transaction is unfinished, before anything goes.
std::vector<Pruned> prune_history(const Host& host, const PruneRequest& request, EventFan& events);

// The pure part of it: which of them go, oldest first.
std::vector<Transaction> expired(const std::vector<Transaction>& transactions,
                                 const Retention& generations);

}  // namespace topsctl
