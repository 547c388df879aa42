// Finds what has changed on a machine since a moment, by the times that the kernel keeps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// The time of the last change of a path's content or attributes (st_ctim), in ns since the epoch by
// the file system's own clock; -1 if there is no such path.
std::int64_t change_time_ns(const std::filesystem::path& path);

struct ChangeScan {
  std::vector<std::string> paths;  // as the machine sees them, sorted
  bool is_complete = true;         // false: there were too many entries to look at all of them
};

// Every path that was changed at or after `since_ns` on the file systems of these folders
// (canonical), which are looked through whole, from the root down. Not looked at: folders of
// `excluded` (canonical), and other file systems. A folder that cannot be read is passed over.
ChangeScan changed_since(const Host& host, const std::vector<std::string>& folders,
                         std::int64_t since_ns, const std::vector<std::string>& excluded,
                         std::uint64_t most_entries = 5'000'000);

}  // namespace topsctl
