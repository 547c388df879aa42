// What the administrator adds to topsctl's own data: stacks, launchers, diagnoses.
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

// The .json files of such a directory, sorted by name; none if it is not there. They say what root
// runs and installs: throws Error{permission} if one of them, the directory, or one above it can be
// changed by other users than root and the caller, or is a link; Error{host_unfit}, naming the file
// that is too much, if they have more than `most` bytes together.
std::vector<SiteFile> read_site_data(const std::filesystem::path& folder, std::uint64_t most);

}  // namespace topsctl
