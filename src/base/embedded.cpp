// Looks up one embedded file.
#include "topsctl/base/embedded.hpp"

namespace topsctl {

std::optional<std::string_view> embedded_file(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == name) return file.bytes;
  }
  return std::nullopt;
}

}  // namespace topsctl
