// Removal of folders with many files.
#pragma once

#include <filesystem>

namespace topsctl {

// Removes a folder with all in it, as far as that can be done. Links are removed, not followed. By
// many threads: some disks take milliseconds to let go of one file.
void remove_tree(const std::filesystem::path& folder);

}  // namespace topsctl
