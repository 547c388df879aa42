// Which packages own which paths.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// Which of these packages own a path, by their file lists (TargetSnapshot::owners). A path is a
// folder if a path below it stands in any list; only what several packages own is looked up on the
// disk, as looking at each would take longer than all else. Throws Error{host_unfit} for more than
// most_owned_paths.
std::map<std::string, std::vector<std::string>> read_owners(
    const Host& host, const std::vector<TargetPackage>& packages);

}  // namespace topsctl
