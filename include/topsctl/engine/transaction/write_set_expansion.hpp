// Which paths a write set means on a machine: before a change, and after it.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// One path that is meant.
struct WriteSetMember {
  std::string path;  // as the machine sees it, links in its folders followed
  Writing writing = Writing::in_place;
  bool is_unpacked = false;  // by dpkg, which makes files of other names beside it
  bool is_found = false;     // there, or possible: nothing names it
};

// Every path of the write set, sorted: what is there now of its families (canonical ones) and
// beside what dpkg unpacks, and the folders above all of them.
std::vector<WriteSetMember> members_of(const Host& host, const WriteSet& write_set,
                                       const std::vector<PathFamily>& families);

// Paths that the snapshot does not know: in its families, beside what dpkg unpacks, and in folders
// that were not there before; deepest last.
std::vector<std::string> new_paths(const Host& host, const Snapshot& snapshot);

}  // namespace topsctl
