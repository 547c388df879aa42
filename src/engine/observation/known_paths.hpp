// Which paths a snapshot has the restore of, so that they may be changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// Logs, and what no restart of the machine survives or anybody may write: as for the proof of a
// rollback, nothing there belongs to an install. The path is canonical.
bool is_left_out(std::string_view path);

class KnownPaths {
 public:
  explicit KnownPaths(const Snapshot& snapshot);

  // Of a canonical path; nothing was there before, or it is kept, or a newcomer there is removed.
  // `is_folder`: a folder is to be made there.
  bool knows(const std::string& path, bool is_folder = false) const;
  // Its place among the paths of the snapshot and those that were added; -1: it is none of them.
  std::ptrdiff_t index_of(const std::string& path) const;
  // From now on the path is kept, too.
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
  TextMap<std::vector<std::string>> families_;  // prefixes, by folder
};

}  // namespace topsctl
