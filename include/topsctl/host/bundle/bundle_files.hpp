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

// The files of a bundle, and how it was called.
struct FoundFiles {
  std::string subject;
  std::vector<FoundFile> files;
};

// The regular files under each of these folders, and these files; at least one. Throws
// Error{bad_bundle}.
FoundFiles files_of_bundle(const std::vector<std::filesystem::path>& paths);

// The regular files under a folder, hidden ones included, sorted by how they are shown; or the one
// file that the path is. Links to folders are not followed. Throws Error{bad_bundle}.
std::vector<FoundFile> files_under(const std::filesystem::path& path);

}  // namespace topsctl
