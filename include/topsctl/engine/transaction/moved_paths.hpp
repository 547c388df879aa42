// Finds files that a transaction moved although no write set named them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/folder_record.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Completes a snapshot by files that new diversions (dpkg-divert(1)) have moved until `end_ns`: a
// rename keeps the file, so it is backed up from its present place. Adds directories whose time
// changed although their listing did not. Rewrites the record in the store durably if anything was
// added. Is idempotent. Returns, sorted, paths that existed before and are now neither present nor
// backed up, and paths that appeared in a directory with a change time from before. Throws Error.
std::vector<std::string> complete_snapshot(const Host& host, Snapshot& snapshot,
                                           const std::filesystem::path& store,
                                           const FolderRecord& before, std::int64_t end_ns);

}  // namespace topsctl
