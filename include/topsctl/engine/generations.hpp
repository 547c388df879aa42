// How many committed transactions can be undone: what was kept for the oldest goes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topsctl/engine/transaction.hpp"

namespace topsctl {

inline constexpr std::size_t usual_generations = 2;

// What pruning shall leave; the latest committed transaction stays whatever it says.
struct Generations {
  std::size_t keep = usual_generations;
  std::optional<std::uint64_t> most_bytes = {};  // of what is kept for all of them
};

struct Pruned {
  std::int64_t transaction = 0;
  std::uint64_t bytes = 0;  // that it had kept
};

// Removes what was kept for the oldest committed transactions, which stay committed but cannot be
// undone any more. The caller holds the ChangeLock. Throws Error; what was pruned before stays so.
std::vector<Pruned> prune(const Host& host, const Generations& generations);

// The pure part of it: which of them go, oldest first.
std::vector<Transaction> superfluous(std::vector<Transaction> transactions,
                                     const Generations& generations);

// Bytes that a transaction keeps on the disk.
std::uint64_t bytes_on_disk(const Host& host, const Transaction& transaction);

}  // namespace topsctl
