// Moves a file tree into a directory that may have some of the files already.
#pragma once

#include <filesystem>
#include <string>

#include "topsctl/host/filesystem/file_tree.hpp"

namespace topsctl {

// Renames every entry of `from` into `to`, missing directories as a whole; replaces existing files
// and links. If `to`, or a directory in it, is on another file system, removes existing files there
// and copies. Leaves the empty directories that were not renamed as a whole in `from`. Throws Error
// if a directory would replace a file, or a file a directory. `from` is a directory of ours, `to` a
// path of the tree.
void move_tree(const std::filesystem::path& from, const FileTree& tree, const std::string& to);

}  // namespace topsctl
