// The files of a folder of settings.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace topsctl {

// What lies in the folder itself and has that extension (".json"), sorted; nothing if there is no
// such folder, or if it cannot be read.
std::vector<std::filesystem::path> files_with_extension(const std::filesystem::path& folder,
                                                        std::string_view extension);

}  // namespace topsctl
