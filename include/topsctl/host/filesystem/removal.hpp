// Removes directories with many files.
#pragma once

#include <filesystem>

namespace topsctl {

// Removes a directory tree as far as possible. Removes links without following them. Uses many
// threads, because some disks take milliseconds to remove a file.
void remove_tree(const std::filesystem::path& folder);

}  // namespace topsctl
