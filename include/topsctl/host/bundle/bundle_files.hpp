// The files of a bundle's folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace topsctl {

struct FoundFile {
  std::filesystem::path file;
  std::string shown;  // relative to the folder that was given
};

// The regular files under a folder, hidden ones included, sorted by how they are shown; or the one
// file that the path is. Links to folders are not followed. Throws Error{bad_bundle}.
std::vector<FoundFile> files_under(const std::filesystem::path& path);

}  // namespace topsctl
