// Files of wheels that would replace files of a host.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

// Compares the wheels of the selection, whose payload was read, with the host's files at the same
// paths. Reports files that are not part of the previous version, and commands that would hide the
// system's. `owners`: the debs of each path.
std::vector<Finding> wheel_clashes(const Host& host, const Selection& selection,
                                   const std::map<std::string, std::vector<std::string>>& owners);

}  // namespace topsctl
