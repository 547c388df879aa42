// Puts a snapshot back and compares with it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Makes every path what it was. May be run any number of times, and again after it was cut off
// anywhere. Before anything is removed it makes sure that every kept copy is there and whole.
// Returns what could not be put back.
std::vector<std::string> restore_snapshot(const Host& host, const Snapshot& snapshot,
                                          const std::filesystem::path& store);

// Compares every path with what was kept of it; what has no digest must be the very file.
RollbackProof compare_with_snapshot(const Host& host, const Snapshot& snapshot,
                                    const std::filesystem::path& store);

}  // namespace topsctl
