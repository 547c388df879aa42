// Puts a snapshot back and compares with it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/kept_contents.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// What could not be put back.
struct RestoreFailure {
  std::string line;         // the path, and why
  bool is_passing = false;  // for want of room or descriptors
};

// Makes every path what it was, as far as its content is not lost. May be run any number of times,
// and again after it was cut off anywhere; what fails for want of room or descriptors is tried once
// more when all else is done, which may have made room. Returns what could not be put back.
std::vector<RestoreFailure> restore_snapshot(const Host& host, const Snapshot& snapshot,
                                             const std::filesystem::path& store,
                                             const KeptContents& contents);
// The same, and throws Error{rollback_incomplete} before anything is removed if a kept copy is
// missing.
std::vector<RestoreFailure> restore_snapshot(const Host& host, const Snapshot& snapshot,
                                             const std::filesystem::path& store);

// Compares every path with what was kept of it. `linked` says whether files that were kept as links
// are read: after a restore, which has read what it put back, it is enough that each is the very
// file.
RollbackProof compare_with_snapshot(const Host& host, const Snapshot& snapshot,
                                    const std::filesystem::path& store,
                                    Content linked = Content::ignore);

}  // namespace topsctl
