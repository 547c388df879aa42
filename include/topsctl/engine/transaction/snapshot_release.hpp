// Drops the backup of files that a transaction did not change.
#pragma once

#include <filesystem>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Drops the backup of files that are still the same, and rewrites the record; for the end of a
// transaction. Later writes into these files are not undone.
void release_unchanged(const Host& host, Snapshot& snapshot, const std::filesystem::path& store);

}  // namespace topsctl
