// The administrator's additions to topsctl's data: stacks, launchers, diagnoses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace topsctl {

struct SiteFile {
  std::filesystem::path path;
  std::string text;
};

// The .json files of such a directory, sorted by name; empty if it does not exist. They control
// what root runs and installs: throws Error{permission} if one of them, the directory, or one above
// it is a link or can be changed by users other than root and the caller; Error{host_unfit} with
// the name of the exceeding file if they have more than `most` bytes together.
std::vector<SiteFile> read_site_data(const std::filesystem::path& folder, std::uint64_t most);

}  // namespace topsctl
