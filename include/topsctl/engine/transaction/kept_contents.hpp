// Whether what was kept of files is still what it was, before any of it is put back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

enum class LostContent : char {
  nothing,
  not_needed,   // the machine still has what was kept of it
  overwritten,  // a kept file that somebody wrote into instead of replacing it
  missing       // what was kept is gone, or is not what was kept
};

struct KeptContents {
  std::vector<LostContent> lost;     // by path of the snapshot
  std::vector<std::string> missing;  // the paths of the last kind, fit to be shown
};

// Reads what has a digest and compares it; what was kept as a link alone has none, and goes by size
// and time.
KeptContents check_contents(const Host& host, const Snapshot& snapshot,
                            const std::filesystem::path& store);

// Throws Error{rollback_incomplete} that names the paths whose content is missing.
void require_contents(const KeptContents& contents);

}  // namespace topsctl
