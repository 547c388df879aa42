// Files of wheels that would take the place of what a host has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

// Compares the wheels of the selection, whose payload was read, with what is at their places on the
// host: files that are not of the version before, and commands that would be found before the
// system's. `owners`: the debs of each path.
std::vector<Finding> wheel_clashes(const Host& host, const Selection& selection,
                                   const std::map<std::string, std::vector<std::string>>& owners);

}  // namespace topsctl
