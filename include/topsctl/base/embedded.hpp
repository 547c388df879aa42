// The files of src/data and docs/commands as they were at build time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace topsctl {

struct EmbeddedFile {
  std::string_view name;  // "stacks/topsrider-2.5.136.json", "commands/install.md"
  std::string_view bytes;
};

const std::vector<EmbeddedFile>& embedded_files();

// The bytes of an embedded file; nothing if no file has that name.
std::optional<std::string_view> embedded_file(std::string_view name);

}  // namespace topsctl
