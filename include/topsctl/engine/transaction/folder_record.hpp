// Listing of a host's directories before a transaction. A scan by times cannot see what was removed
// or renamed away.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/host/filesystem/change_scan.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct FolderRecord {
  std::vector<ListedFolder> folders;  // sorted by path
  std::int64_t since_ns = 0;          // after all of them were listed, by the file system's clock

  const ListedFolder* at(std::string_view path) const;  // nullptr: it was not listed
  // Whether a path existed; nothing if its directory existed but was not listed.
  std::optional<bool> held(const std::string& path) const;
};

// Canonical directories that are not scanned for changes: they change all the time without an
// install, or are not part of the installed system.
std::vector<std::string> folders_not_looked_at(const Host& host);

// Lists the file systems that hold the snapshot's paths, and writes the record into its store. The
// caller syncs.
FolderRecord record_folders(const Host& host, const Snapshot& snapshot,
                            const std::filesystem::path& store);
// Reads the record back; nothing if it is missing or incomplete.
std::optional<FolderRecord> load_folder_record(const std::filesystem::path& store);
// Removes the record, which is not needed after the commit.
void remove_folder_record(const std::filesystem::path& store);

}  // namespace topsctl
