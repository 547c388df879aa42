// Reads small files that may go at any time.
#include "host/facts/sysfs.hpp"

#include <algorithm>
#include <cstdint>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

std::string sysfs_attribute(const fs::path& file) {
  constexpr std::uint64_t most_attribute = 4096;
  try {
    return printable(trimmed(read_text_if_present(file, most_attribute).value_or("")));
  } catch (const Error&) {
    return {};
  }
}

std::vector<std::string> sysfs_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure); !failure && at != fs::directory_iterator();
       at.increment(failure))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace topsctl
