// The files in the directories of a bundle.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace topsctl {

struct FoundFile {
  std::filesystem::path file;
  std::string shown;  // relative to the given directory
};

// The files of a bundle, and its name for messages.
struct FoundFiles {
  std::string subject;
  std::vector<FoundFile> files;
};

// The given files, and the regular files below the given directories; at least one. Throws
// Error{bad_bundle}.
FoundFiles files_of_bundle(const std::vector<std::filesystem::path>& paths);

// The regular files below a directory, including hidden ones, sorted by shown path; or the file
// itself if the path is a file. Does not follow links to directories. Throws Error{bad_bundle}.
std::vector<FoundFile> files_under(const std::filesystem::path& path);

}  // namespace topsctl
