// What transactions keep on the disk, and what those that have ended need no longer, where a crash
// kept it from being removed.
#pragma once

#include <cstdint>

#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

// Bytes that a transaction keeps on the disk.
std::uint64_t bytes_on_disk(const Host& host, const Transaction& transaction);

// Whether something is left in the transaction's folder that its end should have removed: packages,
// temporary files, and of one that is restored or pruned the kept copies. Nothing of an unfinished
// transaction, and of one that was given up only what no person needs to look at.
bool has_garbage(const Host& host, const Transaction& transaction);

// Removes working_folders from a transaction's folder; what cannot be removed stays.
void remove_working_folders(const std::filesystem::path& folder);

// Removes that garbage; the caller holds the ChangeLock. What cannot be removed stays for the next
// time.
void remove_garbage(const Host& host, const Transaction& transaction);

}  // namespace topsctl
