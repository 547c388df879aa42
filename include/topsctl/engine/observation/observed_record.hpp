// Adds an observer's backups of paths outside the write set to the snapshot.
#pragma once

#include <filesystem>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

// Stops the observer's backups: later changes by remaining processes are not part of the
// transaction. Does nothing if there was no observer. Throws Error.
void close_observation(const std::filesystem::path& store);

// Closes the observation and adds its backups to the snapshot; rewrites the record in the store
// durably. Is idempotent. Returns how many paths were added. Throws Error.
std::size_t adopt_observed(Snapshot& snapshot, const std::filesystem::path& store);
// The same with only the record in the store, if it exists.
void adopt_observed(const Host& host, const Transaction& transaction);

// For the end of a transaction: replaces links by copies where only the attributes of the file
// changed, so that later writes into the file do not change the backup. The caller syncs.
void replace_links_by_copies(const Host& host, Snapshot& snapshot,
                             const std::filesystem::path& store);

}  // namespace topsctl
