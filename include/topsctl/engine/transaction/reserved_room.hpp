// Disk space that is reserved for a rollback, in case the file system fills up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Reserves bytes and inodes in the transaction's directory, as reserved_folder: for the undo plan,
// the records, and the copy of a file that is written before it replaces the file. Throws
// Error{no_space}.
void reserve_room(const Host& host, const std::filesystem::path& folder, const Snapshot& snapshot);

// Estimates the bytes that an install will back up and reserve in the file system of the store:
// dpkg's databases, and those of the replaced files (paths of the host) that lie in another file
// system and so cannot be linked.
std::uint64_t expected_room(const Host& host, const std::vector<std::string>& replaced);

}  // namespace topsctl
