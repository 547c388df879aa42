// What of a snapshot need not be kept for an undo.
#pragma once

#include <filesystem>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Lets go of what was kept of files that are the same ones still, and writes the record anew; for
// the end of a transaction. What somebody writes into them later is not undone.
void release_unchanged(const Host& host, Snapshot& snapshot, const std::filesystem::path& store);

}  // namespace topsctl
