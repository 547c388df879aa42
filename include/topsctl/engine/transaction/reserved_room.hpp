// Room that a restore is sure of, though the file system is filled up meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Takes bytes and inodes in the folder of a transaction, as reserved_folder: for the plan of the
// restore, the records, and what lies beside the file that is put back until it takes its place.
// Throws Error{no_space}.
void reserve_room(const Host& host, const std::filesystem::path& folder, const Snapshot& snapshot);

// What an install will keep and reserve in the file system of the store, in bytes, before it is
// known to the byte: dpkg's databases, and of the files that it replaces (paths of the machine)
// those that lie in another file system, of which no link can be kept.
std::uint64_t expected_room(const Host& host, const std::vector<std::string>& replaced);

}  // namespace topsctl
