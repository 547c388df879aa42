// What a transaction has moved away, though no write set named it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/folder_record.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Completes a snapshot by what diversions (dpkg-divert(1)) that it does not know have moved until
// `end_ns`: a rename keeps the file, so it is kept where it lies now. Folders whose time has moved
// though they hold what they held are added too. The record in the store is written anew, durably,
// if anything is added. May be run any number of times. Returns, sorted, what was there before and
// is neither there now nor kept, and what has come into a folder with a time of change from before.
// Throws Error.
std::vector<std::string> complete_snapshot(const Host& host, Snapshot& snapshot,
                                           const std::filesystem::path& store,
                                           const FolderRecord& before, std::int64_t end_ns);

}  // namespace topsctl
