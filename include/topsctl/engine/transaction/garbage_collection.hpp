// Disk use of transactions, and removal of files that a crash kept an ended transaction from
// removing.
#pragma once

#include <cstdint>

#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

// Bytes that a transaction keeps on the disk.
std::uint64_t bytes_on_disk(const Host& host, const Transaction& transaction);

// Whether the transaction's directory still has files that its end should have removed: packages
// and temporary files, and the backup of a restored or pruned one. Never true for an unfinished
// transaction. After --give-up, files that a person may need do not count.
bool has_garbage(const Host& host, const Transaction& transaction);

// Removes working_folders from a transaction's directory; skips those that cannot be removed.
void remove_working_folders(const std::filesystem::path& folder);

// Removes that garbage; the caller holds the ChangeLock. Files that cannot be removed stay for the
// next run.
void remove_garbage(const Host& host, const Transaction& transaction);

}  // namespace topsctl
