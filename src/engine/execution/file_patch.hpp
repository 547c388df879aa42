// Changes the content of files that are there already, under a snapshot.
#pragma once

#include <filesystem>
#include <string>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Of folders, only those that hold a file of the snapshot and belong to this user get their times
// back: others may be at work in all others, and nobody but its owner can set a folder's time.
// Writes the record in `store` anew.
void keep_times_of_own_folders(Snapshot& snapshot, const std::filesystem::path& store);

// Replaces a file of the snapshot by one of the same owner, mode and attributes; `temporary` is a
// folder that only this user may read. Returns what there is to say of it. Throws Error{busy} if
// the file is not what the step expects.
std::string perform(const Host& host, const PatchFile& file, const Snapshot& snapshot,
                    const std::filesystem::path& temporary);

}  // namespace topsctl
