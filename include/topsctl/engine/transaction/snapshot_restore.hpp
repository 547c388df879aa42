// Puts a snapshot back and compares with it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/kept_contents.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Makes every path what it was, as far as its content is not lost. May be run any number of times,
// and again after it was cut off anywhere. Returns what could not be put back.
std::vector<std::string> restore_snapshot(const Host& host, const Snapshot& snapshot,
                                          const std::filesystem::path& store,
                                          const KeptContents& contents);
// The same, and throws Error{rollback_incomplete} before anything is removed if a kept copy is
// missing.
std::vector<std::string> restore_snapshot(const Host& host, const Snapshot& snapshot,
                                          const std::filesystem::path& store);

// Compares every path with what was kept of it. `linked` says whether files that were kept as links
// are read: after a restore, which has read what it put back, it is enough that each is the very
// file.
RollbackProof compare_with_snapshot(const Host& host, const Snapshot& snapshot,
                                    const std::filesystem::path& store,
                                    Content linked = Content::ignore);

}  // namespace topsctl
