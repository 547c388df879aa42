// Scans whole file systems: for changes since a time, by the kernel's timestamps, and for the
// content of each directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// The time of the last change of a path's content or attributes (st_ctim), in ns since the epoch by
// the file system's own clock; -1 if the path does not exist.
std::int64_t change_time_ns(const std::filesystem::path& path);

struct ChangeScan {
  std::vector<std::string> paths;  // on the host, sorted
  bool is_complete = true;         // false: there were too many entries to scan all
};

// Every path that was changed at or after `since_ns` on the file systems of these directories
// (canonical). Scans these file systems completely, from the root down, except for `excluded`
// (canonical) and other file systems. Skips unreadable directories.
ChangeScan changed_since(const Host& host, const std::vector<std::string>& folders,
                         std::int64_t since_ns, const std::vector<std::string>& excluded,
                         std::uint64_t most_entries = 5'000'000);

// The entries of a directory, and the time of their last change.
struct ListedFolder {
  std::string path;  // on the host
  std::int64_t mtime_ns = 0;
  std::string names;  // sorted, each ended by a NUL
  bool operator==(const ListedFolder&) const = default;
};

// Every directory that changed_since would scan, sorted by path.
std::vector<ListedFolder> listed_folders(const Host& host, const std::vector<std::string>& folders,
                                         const std::vector<std::string>& excluded,
                                         std::uint64_t most_entries = 5'000'000);
// One directory as it is now; nothing if it is not a directory or cannot be read.
std::optional<ListedFolder> listed_folder(const Host& host, const std::string& folder);

}  // namespace topsctl
