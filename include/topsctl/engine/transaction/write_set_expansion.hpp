// The paths of a host that a write set covers, before and after a change.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

// One path of the expanded write set.
struct WriteSetMember {
  std::string path;  // on the host, with links in its directories followed
  Writing writing = Writing::in_place;
  bool is_unpacked = false;  // by dpkg, which creates files of derived names beside it
  bool is_found = false;     // it exists or may appear; no name in the write set
};

// Every path of the write set, sorted: existing paths of its families (canonical ones) and beside
// those that dpkg unpacks, and all directories above.
std::vector<WriteSetMember> members_of(const Host& host, const WriteSet& write_set,
                                       const std::vector<PathFamily>& families);

// Paths that are not in the snapshot: in its families, beside those that dpkg unpacks, and in new
// directories; deepest last.
std::vector<std::string> new_paths(const Host& host, const Snapshot& snapshot);

}  // namespace topsctl
