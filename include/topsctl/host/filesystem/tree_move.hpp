// Moves a tree of files into a folder that may have some of them already.
#pragma once

#include <filesystem>
#include <string>

#include "topsctl/host/filesystem/file_tree.hpp"

namespace topsctl {

// Renames every entry of `from` into `to`, folders that are not there as a whole; a file or link in
// the place of a file is replaced. Where `to`, or a folder in it, is another file system, files are
// copied, a file in their place removed before. `from` is left with what could not be renamed as a
// whole: empty folders. Throws Error if a folder is in the place of a file, or a file in that of a
// folder. `from` is a folder of ours, `to` a path of the tree.
void move_tree(const std::filesystem::path& from, const FileTree& tree, const std::string& to);

}  // namespace topsctl
