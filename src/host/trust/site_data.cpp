// Reads these files with the same checks as trusted keys.
#include "topsctl/host/trust/site_data.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "host/trust/own_file.hpp"

namespace topsctl {

namespace fs = std::filesystem;

std::vector<SiteFile> read_site_data(const fs::path& folder, std::uint64_t most) {
  std::vector<SiteFile> files;
  struct stat status {};
  // Other users cannot change a missing directory.
  if (::lstat(folder.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) return files;
  for (const fs::path& file : own_files_in(folder, ".json")) {
    auto text = read_own_file(file, most);
    if (!text) continue;
    most -= text->size();
    files.push_back({file, *std::move(text)});
  }
  return files;
}

}  // namespace topsctl
