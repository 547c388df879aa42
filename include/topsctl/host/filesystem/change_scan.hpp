// Looks through whole file systems: for what has changed since a moment, by the times that the
// kernel keeps, and for what each folder holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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
// (canonical), which are looked through whole, from the root down. Not looked at: what is
// `excluded` (canonical), and other file systems. A folder that cannot be read is passed over.
ChangeScan changed_since(const Host& host, const std::vector<std::string>& folders,
                         std::int64_t since_ns, const std::vector<std::string>& excluded,
                         std::uint64_t most_entries = 5'000'000);

// What a folder holds, and when that was last changed.
struct ListedFolder {
  std::string path;  // as the machine sees it
  std::int64_t mtime_ns = 0;
  std::string names;  // sorted, each ended by a NUL
  bool operator==(const ListedFolder&) const = default;
};

// Every folder there, sorted by path; where changed_since looks.
std::vector<ListedFolder> listed_folders(const Host& host, const std::vector<std::string>& folders,
                                         const std::vector<std::string>& excluded,
                                         std::uint64_t most_entries = 5'000'000);
// One folder as it is now; nothing if it is none, or cannot be read.
std::optional<ListedFolder> listed_folder(const Host& host, const std::string& folder);

}  // namespace topsctl
