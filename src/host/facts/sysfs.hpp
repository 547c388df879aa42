// Attributes and directories of sysfs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace topsctl {

// Printable, without the line break; empty if it cannot be read, for example for a removed device.
std::string sysfs_attribute(const std::filesystem::path& file);
// Sorted; empty if there is no such directory.
std::vector<std::string> sysfs_names(const std::filesystem::path& folder);

}  // namespace topsctl
