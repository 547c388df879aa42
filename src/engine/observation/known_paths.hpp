// Paths that a snapshot can restore, so that they may be changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Logs, and paths that do not survive a reboot or are writable by all: as in the verification of a
// rollback, they do not belong to an install. The path is canonical.
bool is_left_out(std::string_view path);

class KnownPaths {
 public:
  explicit KnownPaths(const Snapshot& snapshot);

  // For a canonical path: it did not exist before, or has a backup, or a new file there is removed.
  // `is_folder`: a directory will be created there.
  bool knows(const std::string& path, bool is_folder = false) const;
  // Its index among the paths of the snapshot and the added ones; -1: unknown.
  std::ptrdiff_t index_of(const std::string& path) const;
  // From now on the path has a backup too.
  void add(const std::string& path, bool was_folder);

 private:
  struct Known {
    std::ptrdiff_t index = 0;
    bool was_folder = false;
    bool is_unpacked = false;
  };

  bool is_of_family(std::string_view path, bool is_folder) const;
  bool is_beside_unpacked(std::string_view path) const;

  TextMap<Known> paths_;
  TextMap<std::vector<std::string>> families_;  // prefixes, by directory
};

}  // namespace topsctl
