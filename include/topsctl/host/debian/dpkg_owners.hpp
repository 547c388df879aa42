// Which packages own which paths.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// The owners of each path among these packages, by their file lists (TargetSnapshot::owners). A
// path is a directory if any list has a path below it; only paths with several owners are checked
// on the disk, because checking all would take too long. Throws Error{host_unfit} for more than
// most_owned_paths.
std::map<std::string, std::vector<std::string>> read_owners(
    const Host& host, const std::vector<TargetPackage>& packages);

}  // namespace topsctl
