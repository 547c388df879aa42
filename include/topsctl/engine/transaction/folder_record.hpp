// What the folders of a host held before a transaction: what is removed or renamed away leaves no
// trace that a scan by times could see.
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
  std::int64_t since_ns = 0;  // after all of them were looked at, by the file system's clock

  const ListedFolder* at(std::string_view path) const;  // nullptr: it was not looked at
  // Whether a path was there; nothing: its folder was there and was not looked at.
  std::optional<bool> held(const std::string& path) const;
};

// Where no change is looked for, canonical: what changes all the time, whoever installs what, and
// what is no part of the installed system.
std::vector<std::string> folders_not_looked_at(const Host& host);

// Looks through the file systems that hold the snapshot's paths, and writes the record into its
// store. The caller syncs.
FolderRecord record_folders(const Host& host, const Snapshot& snapshot,
                            const std::filesystem::path& store);
// Reads it back; nothing if there is none, or it is not whole.
std::optional<FolderRecord> load_folder_record(const std::filesystem::path& store);
// It has done its work once the transaction is committed.
void remove_folder_record(const std::filesystem::path& store);

}  // namespace topsctl
