// Checks that the backup of files is intact, before any of it is restored.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

enum class LostContent : char {
  nothing,
  not_needed,   // the host still has the same file
  overwritten,  // a file that is backed up as a link, and was written in place
  missing       // the backup is gone, or has other content
};

struct KeptContents {
  std::vector<LostContent> lost;     // by the index of the snapshot's path
  std::vector<std::string> missing;  // paths with LostContent::missing, printable
};

// Compares each backup with its digest. A backup that is only a link has no digest and is compared
// by size and time.
KeptContents check_contents(const Host& host, const Snapshot& snapshot,
                            const std::filesystem::path& store);

// Throws Error{rollback_incomplete} that names the paths whose content is missing.
void require_contents(const KeptContents& contents);

}  // namespace topsctl
