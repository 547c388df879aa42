// Room that a restore is sure of, though the file system is filled up meanwhile.
#pragma once

#include <filesystem>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Takes bytes and inodes in the folder of a transaction, as reserved_folder: for the plan of the
// restore, the records, and what lies beside the file that is put back until it takes its place.
// Throws Error{no_space}.
void reserve_room(const Host& host, const std::filesystem::path& folder, const Snapshot& snapshot);

}  // namespace topsctl
