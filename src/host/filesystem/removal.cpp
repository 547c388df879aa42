// Removes directories with many files.
#include "topsctl/host/filesystem/removal.hpp"

#include <unistd.h>

#include <system_error>
#include <vector>

#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

void remove_tree(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (auto at = fs::recursive_directory_iterator(folder, failure);
       !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    std::error_code ignored;
    if (at->symlink_status(ignored).type() != fs::file_type::directory) files.push_back(at->path());
  }
  for_each_index(
      files.size(), [&](std::size_t i) { ::unlink(files[i].c_str()); }, disk_threads);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace topsctl
