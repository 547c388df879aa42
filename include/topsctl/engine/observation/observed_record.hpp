// What an observer has kept of paths that no write set named, made part of the snapshot.
#pragma once

#include <filesystem>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

// Nothing more is kept from now on: what processes that are left change is their own. Does nothing
// if there was no observer. Throws Error.
void close_observation(const std::filesystem::path& store);

// Closes, and completes the snapshot by what was kept; its record in the store is written anew,
// durably. May be run any number of times. Returns how many paths were added. Throws Error.
std::size_t adopt_observed(Snapshot& snapshot, const std::filesystem::path& store);
// The same with the record in the store alone, if that is there.
void adopt_observed(const Host& host, const Transaction& transaction);

// For the end of a transaction: copies what is still the file of its path, only with other
// attributes, so that what somebody writes into it later leaves what was kept. The caller syncs.
void part_from_files(const Host& host, Snapshot& snapshot, const std::filesystem::path& store);

}  // namespace topsctl
