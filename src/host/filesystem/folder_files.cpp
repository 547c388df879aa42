// Lists folders of settings.
#include "topsctl/host/filesystem/folder_files.hpp"

#include <algorithm>
#include <system_error>

namespace topsctl {

namespace fs = std::filesystem;

std::vector<fs::path> files_with_extension(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (auto at = fs::directory_iterator(folder, failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    if (at->path().extension() == extension) files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace topsctl
