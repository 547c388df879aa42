// Restores a snapshot and compares the host with it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/kept_contents.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// A path that could not be restored.
struct RestoreFailure {
  std::string line;         // the path and the reason
  bool is_passing = false;  // failed for lack of space or descriptors
};

// Restores each path whose content is not lost. Is idempotent and can be rerun after an
// interruption. Paths that fail for lack of space or descriptors are retried once at the end, when
// other restores may have freed space. Returns the paths that could not be restored.
std::vector<RestoreFailure> restore_snapshot(const Host& host, const Snapshot& snapshot,
                                             const std::filesystem::path& store,
                                             const KeptContents& contents);
// The same; throws Error{rollback_incomplete} before anything is removed if a backup copy is
// missing.
std::vector<RestoreFailure> restore_snapshot(const Host& host, const Snapshot& snapshot,
                                             const std::filesystem::path& store);

// Compares each path with its backup. `linked` selects whether files that are backed up as links
// are read: after a restore, which has read what it restored, the same inode suffices.
RollbackProof compare_with_snapshot(const Host& host, const Snapshot& snapshot,
                                    const std::filesystem::path& store,
                                    Content linked = Content::ignore);

}  // namespace topsctl
