// Reads /proc and ignores errors.
#include "host/facts/process_files.hpp"

#include <cstdint>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

std::string process_text(const fs::path& file) {
  constexpr std::uint64_t most_of_proc = 1U << 20U;
  try {
    return read_text_if_present(file, most_of_proc).value_or("");
  } catch (const Error&) {
    return {};
  }
}

std::string process_link(const fs::path& link) {
  std::error_code failure;
  const fs::path target = fs::read_symlink(link, failure);
  return failure ? std::string() : target.string();
}

std::vector<std::string> process_status(const fs::path& folder) {
  const std::string text = process_text(folder / "stat");
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 > text.size()) return {};
  return split(text.substr(name_end + 2), ' ');
}

}  // namespace topsctl
