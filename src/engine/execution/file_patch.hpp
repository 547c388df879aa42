// Changes the content of existing files, under a snapshot.
#pragma once

#include <filesystem>
#include <string>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Marks only directories that contain a file of the snapshot and belong to this user for a restore
// of their times: other users may be changing the rest, and only its owner can set a directory's
// time. Rewrites the record in `store`.
void keep_times_of_own_folders(Snapshot& snapshot, const std::filesystem::path& store);

// Replaces a file of the snapshot by one of the same owner, mode and attributes; `temporary` is a
// directory that only this user may read. Returns a note for the report. Throws Error{busy} if the
// file is not what the step expects.
std::string perform(const Host& host, const PatchFile& file, const Snapshot& snapshot,
                    const std::filesystem::path& temporary);

}  // namespace topsctl
